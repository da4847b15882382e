import { describe, expect, it } from 'vitest';
import { commandFor, powerlessUser } from '#service/database/unprivileged.ts';

describe('powerlessUser', () => {
  const nobody = 'nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin';
  it.each([
    [`root:x:0:0:root:/root:/bin/sh\n${nobody}\npostgres:x:107:110::/var/lib/postgresql:/bin/bash\n`, { uid: 107, gid: 110 }],
    [`root:x:0:0:root:/root:/bin/sh\n${nobody}\n`, { uid: 65_534, gid: 65_534 }],
    ['nobody:*:-2:-2:Unprivileged User:/var/empty:/usr/bin/false\n', { uid: 65_534, gid: 65_534 }],
    ['postgres:x:0:0::/:/bin/sh\n', { uid: 65_534, gid: 65_534 }],
    ['', { uid: 65_534, gid: 65_534 }],
  ])('%#', (passwd, expected) => {
    expect(powerlessUser(passwd)).toEqual(expected);
  });
});

describe('commandFor', () => {
  it('runs the command as this user, as another one, or in a user namespace', () => {
    expect(commandFor({ how: 'as-is' }, 'p', ['-a'])).toEqual({ program: 'p', args: ['-a'], as: {} });
    expect(commandFor({ how: 'uid', uid: 7, gid: 8 }, 'p', ['-a'])).toEqual({ program: 'p', args: ['-a'], as: { uid: 7, gid: 8 } });
    expect(commandFor({ how: 'unshare', uid: 7, gid: 8 }, 'p', ['-a'])).toEqual({
      program: 'unshare',
      args: ['--user', '--map-user=7', '--map-group=8', '--', 'p', '-a'],
      as: {},
    });
  });
});
