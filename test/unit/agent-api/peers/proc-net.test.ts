import { mkdirSync, writeFileSync } from 'node:fs';
import { endianness } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createPeerUids } from '#agent-api/peers/peer-uids.ts';
import { peerKeys, uidIn } from '#agent-api/peers/proc-net.ts';
import { tempFolder } from '../../../support/system/temp-folder.ts';

const ends = (localAddress: string, remoteAddress: string) => ({ localAddress, localPort: 8090, remoteAddress, remotePort: 50_000 });
const zeros = '0'.repeat(16);

/** As Intel's and Arm's machines print them. */
describe.runIf(endianness() === 'LE')('a peer in the tables of connections', () => {
  it.each<[string, string, string | null, string]>([
    ['127.0.0.1', '127.0.0.1', '0100007F:C350 0100007F:1F9A', `${zeros}FFFF00000100007F:C350 ${zeros}FFFF00000100007F:1F9A`],
    ['127.0.0.1', '127.1.2.3', '0302017F:C350 0100007F:1F9A', `${zeros}FFFF00000302017F:C350 ${zeros}FFFF00000100007F:1F9A`],
    ['::ffff:127.0.0.1', '::ffff:7f00:1', '0100007F:C350 0100007F:1F9A', `${zeros}FFFF00000100007F:C350 ${zeros}FFFF00000100007F:1F9A`],
    ['::1', '::1', null, `${zeros}0000000001000000:C350 ${zeros}0000000001000000:1F9A`],
    ['::1', '2001:db8::a:b', null, `B80D0120${zeros}0B000A00:C350 ${zeros}0000000001000000:1F9A`],
  ])('%s from %s', (local, remote, tcp, tcp6) => {
    expect(peerKeys(ends(local, remote))).toEqual({ tcp, tcp6 });
  });

  it('is looked for by both addresses and both ports, and nothing is where there is no connection', () => {
    expect(peerKeys(ends('', ''))).toBeNull();
    expect(peerKeys(ends('127.0.0.1', '::1'))).toBeNull();
    expect(peerKeys({ ...ends('127.0.0.1', '127.0.0.1'), localPort: 1, remotePort: 65_535 })?.tcp).toBe('0100007F:FFFF 0100007F:0001');
  });
});

it.each<[string, string, string, number | null]>([
  ['a connection', '01', '4711', 1000],
  ['one whose user has shut an end of it', '05', '4711', 1000],
  ['one whose user has closed it, which the kernel calls root’s', '05', '0', null],
  ['one that is only being asked for', '02', '4711', null],
  ['one that is over', '06', '0', null],
  ['a listener', '0A', '4711', null],
])('whose is %s', (_, state, inode, uid) => {
  expect(uidIn(` ${state} 00000000:00000000 00:00000000 00000000  1000        0 ${inode} 1 0000000000000000 20 4 30 10 -1`)).toBe(uid);
});

describe.runIf(endianness() === 'LE')('looking whose a connection is', () => {
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  beforeEach(async () => {
    folder = await tempFolder();
  });
  afterEach(() => folder.remove());

  const head = '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n';
  let number = 0;
  const row = (key: string, uid: number, inode = 4711): string =>
    `${String(number++).padStart(4)}: ${key} 01 00000000:00000000 00:00000000 00000000 ${String(uid).padStart(5)}        0 ${inode} 1 0 20\n`;
  const tables = (tcp: string, tcp6: string | null): string => {
    const place = join(folder.path, 'net');
    mkdirSync(place);
    writeFileSync(join(place, 'tcp'), head + tcp);
    if (tcp6 !== null) writeFileSync(join(place, 'tcp6'), head + tcp6);
    return place;
  };
  const asked = ends('127.0.0.1', '127.0.0.1');
  const keys = peerKeys(asked)!;

  it('finds it among thousands, several at once', async () => {
    const others = Array.from({ length: 12_000 }, (_, index) => {
      const { tcp } = peerKeys({ ...asked, remotePort: index + 1 })!;
      return row(tcp!, index);
    });
    const peers = createPeerUids(tables(others.join(''), null));
    const ports = [1, 2, 500, 9_999, 10_000, 10_001, 12_000, 12_001];
    const found = await Promise.all(ports.map((remotePort) => peers.uidOf({ ...asked, remotePort })));
    expect(found).toEqual([0, 1, 499, 9_998, 9_999, 10_000, 11_999, null]);
  });

  it('takes no other direction, port or address for it', async () => {
    const [peer, own] = keys.tcp!.split(' ');
    const near = [`${own} ${peer}`, `${peer} 0100007F:1F9B`, `0100007F:C351 ${own}`, `0200007F:C350 ${own}`, `${peer} 0200007F:1F9A`];
    const peers = createPeerUids(tables(near.map((key) => row(key, 0)).join(''), ''));
    expect(await peers.uidOf(asked)).toBeNull();
  });

  it('finds who called 127.0.0.1 by an IPv6 socket, and passes over a row that nobody holds', async () => {
    const peers = createPeerUids(tables(row(keys.tcp!, 0, 0), row(keys.tcp6, 1000)));
    expect(await peers.uidOf(asked)).toBe(1000);
  });

  it('fails where there are no tables, and not only where there is none for IPv6', async () => {
    await expect(createPeerUids(join(folder.path, 'none')).uidOf(asked)).rejects.toThrow('ENOENT');
    expect(await createPeerUids(tables('', null)).uidOf(asked)).toBeNull();
  });
});
