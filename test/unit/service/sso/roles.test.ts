import { describe, expect, it } from 'vitest';
import { admittedRole, type RoleRules, roleOfGroups } from '#service/sso/roles.ts';

const byGroups: RoleRules = {
  groupRoles: [
    { group: 'crew', role: 'member' },
    { group: 'leads', role: 'admin' },
    { group: 'tools', role: 'integration_manager' },
  ],
  defaultRole: 'guest',
};
const noGroups: RoleRules = { groupRoles: [], defaultRole: 'member' };
const strict = (rules: RoleRules): RoleRules => ({ ...rules, defaultRole: null });
const stranger = { present: null, groups: [], invited: null, former: false } as const;

describe('the role of groups', () => {
  it.each([
    [['crew'], 'member'],
    [['crew', 'leads', 'tools'], 'admin'],
    [['tools', 'crew'], 'integration_manager'],
    [['Crew', 'owner'], null],
    [[], null],
  ] as const)('of %j is %s', (groups, role) => {
    expect(roleOfGroups(byGroups, groups)).toBe(role);
  });
});

describe('who arrives', () => {
  it.each([
    ['an owner stays one', byGroups, { ...stranger, present: 'owner', groups: ['crew'] }, 'owner'],
    ['an owner stays one without a group', strict(byGroups), { ...stranger, present: 'owner' }, 'owner'],
    ['a member is raised by a group', byGroups, { ...stranger, present: 'guest', groups: ['leads'] }, 'admin'],
    ['a member is lowered by a group', byGroups, { ...stranger, present: 'admin', groups: ['crew'] }, 'member'],
    ['a member whom no group names has the default role', byGroups, { ...stranger, present: 'admin' }, 'guest'],
    ['a member whom no group names is out without one', strict(byGroups), { ...stranger, present: 'admin' }, { refused: 'groups' }],
    ['a member keeps their role where groups decide nothing', strict(noGroups), { ...stranger, present: 'admin' }, 'admin'],
    ['somebody new has the default role', noGroups, stranger, 'member'],
    ['somebody new is out without one', strict(noGroups), stranger, { refused: 'no_role' }],
    ['an invitation gives its role', strict(noGroups), { ...stranger, invited: 'guest' }, 'guest'],
    ['a group counts more than an invitation', byGroups, { ...stranger, invited: 'admin', groups: ['crew'] }, 'member'],
    ['who was removed is out', noGroups, { ...stranger, former: true }, { refused: 'removed' }],
    ['who was removed comes back by a group', byGroups, { ...stranger, former: true, groups: ['crew'] }, 'member'],
    ['who was removed comes back by an invitation', noGroups, { ...stranger, former: true, invited: 'guest' }, 'guest'],
  ] as const)('%s', (_, rules, arrival, role) => {
    expect(admittedRole(rules, arrival)).toEqual(role);
  });
});
