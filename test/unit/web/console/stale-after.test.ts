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
];
const staleKeys = (changes: readonly TeamChange[] | null) =>
  keys.filter(staleAfter('t', changes)).map((key) =>
    key
      .slice(2)
      .filter((part) => typeof part === 'string')
      .join(' '),
  );

describe('what a change in a Team makes stale', () => {
  it.each([
    [[{ what: 'packages', package_id: 'a' }], ['packages', 'overview UTC', 'package a', 'package a links', 'package a downloads']],
    [[{ what: 'links', package_id: 'a' }], ['package a links']],
    [[{ what: 'links' }], ['package a links', 'package b links']],
    [[{ what: 'downloads', package_id: 'a' }], ['overview UTC', 'package a downloads']],
    [[{ what: 'deliveries' }], ['package b deliveries']],
    [
      [{ what: 'gateways' }, { what: 'members' }],
      ['members', 'connections', 'gateways'],
    ],
    // Of a newer version of the service.
    [[{ what: 'moons' } as unknown as TeamChange], []],
    [[], []],
  ] as const)('%j', (changes, stale) => {
    expect(staleKeys(changes)).toEqual(stale);
  });

  it('is all that a change could, where anything may have changed: not what is being filled in', () => {
    const all = staleKeys(null);
    expect(all).not.toContain('settings');
    expect(all).not.toContain('storage');
    expect(all).not.toContain('connections c files sources');
    expect(all).toHaveLength(keys.length - 5);
  });
});
