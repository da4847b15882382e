import { describe, expect, it } from 'vitest';
import type { TeamChange } from '#protocol/hosted/team-events.ts';
import { staleAfter } from '#web/console/app/stale-after.ts';

const keys = [
  ['account'],
  ['team', 'other', 'packages', {}],
  ['team', 't', 'packages', { sort: 'name' }],
  ['team', 't', 'overview', 'UTC'],
  ['team', 't', 'storage'],
  ['team', 't', 'package', 'a'],
  ['team', 't', 'package', 'a', 'links'],
  ['team', 't', 'package', 'a', 'downloads'],
  ['team', 't', 'package', 'b', 'links'],
  ['team', 't', 'package', 'b', 'deliveries'],
  ['team', 't', 'members', {}],
  ['team', 't', 'connections'],
  ['team', 't', 'connections', 'c', 'files', 'sources', ''],
  ['team', 't', 'gateways'],
  ['team', 't', 'settings'],
  ['team', 't', 'audit-log', {}],
  ['team', 't', 'audit-log', 'verification', '', ''],
  ['team', 't', 'api-keys', { own: true }],
  ['team', 't', 'portals', 'p'],
  ['team', 't', 'portals', 'p', 'answers'],
  ['team', 't', 'mail-preview'],
];
const staleKeys = (changes: readonly TeamChange[] | null) =>
  keys.filter(staleAfter('t', changes)).map((key) =>
    key
      .slice(key[0] === 'team' ? 2 : 0)
      .filter((part) => typeof part === 'string')
      .join(' '),
  );

describe('what a change in a Team makes stale', () => {
  it.each([
    [
      [{ what: 'packages', package_id: 'a' }],
      ['packages', 'overview UTC', 'package a', 'package a links', 'package a downloads', 'portals p answers'],
    ],
    [[{ what: 'links', package_id: 'a' }], ['package a links']],
    [[{ what: 'links' }], ['package a links', 'package b links']],
    [[{ what: 'downloads', package_id: 'a' }], ['overview UTC', 'package a downloads']],
    [[{ what: 'deliveries' }], ['package b deliveries']],
    [
      [{ what: 'gateways' }, { what: 'members' }],
      ['account', 'members', 'connections', 'gateways'],
    ],
    [[{ what: 'audit_log' }], ['audit-log']],
    [[{ what: 'team' }], ['account', 'storage', 'settings']],
    [[{ what: 'api_keys' }], ['api-keys']],
    [[{ what: 'portals' }], ['portals p', 'portals p answers']],
    // Of a newer version of the service.
    [[{ what: 'moons' } as unknown as TeamChange], []],
    [[], []],
  ] as const)('%j', (changes, stale) => {
    expect(staleKeys(changes)).toEqual(stale);
  });

  it('is all that a change could, where anything may have changed', () => {
    const all = staleKeys(null);
    for (const never of ['connections c files sources', 'audit-log verification', 'mail-preview']) expect(all).not.toContain(never);
    // Those, and what is of another Team.
    expect(all).toHaveLength(keys.length - 4);
  });
});
