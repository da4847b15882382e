import { isIP } from 'node:net';
import { endianness } from 'node:os';

/** A TCP connection of this process: `local` is its own end. */
export interface Ends {
  readonly localAddress: string;
  readonly localPort: number;
  readonly remoteAddress: string;
  readonly remotePort: number;
}

/** How `/proc/net/tcp` and `/proc/net/tcp6` print the peer's socket: the first two columns of its row. */
export interface PeerKeys {
  /** `null` where both ends are IPv6. */
  readonly tcp: string | null;
  /** Also needed for IPv4: a program may connect through an IPv6 socket (`::ffff:127.0.0.1`). */
  readonly tcp6: string;
}

const isLittle = endianness() === 'LE';

/** The kernel prints addresses as 32-bit numbers in this machine's byte order. */
function words(bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes);
  if (isLittle) buffer.swap32();
  return buffer.toString('hex').toUpperCase();
}

const mappedHead = words(new Uint8Array([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff]));

/** Four bytes for an IPv4 address, also an IPv4-mapped one; sixteen for IPv6; `null` where it is not an address. */
function bytesOf(address: string): Uint8Array | null {
  if (isIP(address) === 4) return new Uint8Array(address.split('.').map(Number));
  if (isIP(address) !== 6 || address.includes('%')) return null;
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const groups = (text: string): string[] => (text === '' ? [] : text.split(':'));
  const before = groups(head);
  const after = groups(tail ?? '');
  const all = [...before, ...Array<string>(8 - before.length - after.length).fill('0'), ...after].map((group) =>
    Number.parseInt(group, 16),
  );
  const bytes = new Uint8Array(all.flatMap((group) => [group >> 8, group & 0xff]));
  const isMapped = bytes.subarray(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff;
  return isMapped ? bytes.subarray(12) : bytes;
}

const portOf = (port: number): string => port.toString(16).toUpperCase().padStart(4, '0');

/** The keys to look for; `null` where an end has no address, for example after the connection has closed. */
export function peerKeys({ localAddress, localPort, remoteAddress, remotePort }: Ends): PeerKeys | null {
  const own = bytesOf(localAddress);
  const other = bytesOf(remoteAddress);
  if (!own || !other || own.length !== other.length) return null;
  const row = (head: string): string => `${head}${words(other)}:${portOf(remotePort)} ${head}${words(own)}:${portOf(localPort)}`;
  return own.length === 4 ? { tcp: row(''), tcp6: row(mappedHead) } : { tcp: null, tcp6: row('') };
}

/** States of an open or half-closed connection: ESTABLISHED, FIN_WAIT1, FIN_WAIT2, CLOSE_WAIT, LAST_ACK, CLOSING. */
const connected = new Set(['01', '04', '05', '08', '09', '0B']);

/**
 * The user of a row whose first two columns have matched. `null` for a socket without an owner (inode 0): the kernel
 * reports root for it, whoever the owner was.
 *
 * @param columns the rest of the row: state, queues, timer, retransmissions, uid, timeout, inode …
 */
export function uidIn(columns: string): number | null {
  const [state = '', , , , uid = '', , inode = '0'] = columns.trim().split(/ +/);
  return connected.has(state) && inode !== '0' && /^\d{1,10}$/.test(uid) ? Number(uid) : null;
}
