import { describe, expect, it } from 'vitest';
import { roles } from '#protocol/roles.ts';
import { may, type Permission, permissions } from '#service/permissions.ts';

/** contract/conventions.md §10, written out again: owner, admin, integration manager, member, guest. */
const expected: Record<Permission, string> = {
  'api_keys.create': 'yyy--',
  'api_keys.manage_own': 'yyy--',
  'api_keys.manage_all': 'y----',
  'api_keys.list': 'y----',
  'team.manage': 'yy---',
  'sso.manage': 'y----',
  'audit.read': 'yy---',
  'members.read': 'yyyyy',
  'members.manage': 'yy---',
  'owners.manage': 'y----',
  'teamspaces.read': 'yyyyy',
  'teamspaces.see_all': 'yy---',
  'teamspaces.manage': 'yy---',
  'integrations.manage': 'yyy--',
  'tags.manage': 'yyyy-',
  'packages.create': 'yyyy-',
  'packages.read': 'yyyyy',
  'packages.manage_own': 'yyyy-',
  'packages.see_all': 'yy---',
  'packages.manage_all': 'yy---',
  'packages.hold': 'yy---',
};

describe('permissions', () => {
  it.each(Object.keys(permissions) as Permission[])('%s', (permission) => {
    expect(roles.map((role) => (may(role, permission) ? 'y' : '-')).join('')).toBe(expected[permission]);
  });
});
