const ipv4 = /^\d{1,3}(?:\.\d{1,3}){3}$/;
const mapped = /^::ffff:([\da-f]{1,4}):([\da-f]{1,4})$/;

/**
 * Identity of a client for limits by address: an IPv4 address, or the /64 network of an IPv6 address, since a client
 * that has one of its addresses can use them all. An IPv4-mapped IPv6 address counts as IPv4. `null` for text that is
 * not an address.
 */
export function addressKeyOf(address: string | undefined): string | null {
  const known = (address ?? '').replace(/%.*$/, '');
  if (ipv4.test(known)) return URL.canParse(`http://${known}`) ? known : null;
  if (!/^[\da-f:.]+$/i.test(known) || !URL.canParse(`http://[${known}]`)) return null;
  // Normalized to the shortest form.
  const short = new URL(`http://[${known}]`).hostname.slice(1, -1);
  const inside = mapped.exec(short);
  if (inside) return [inside[1]!, inside[2]!].flatMap((part) => bytesOf(Number.parseInt(part, 16))).join('.');
  const [head = '', tail] = short.split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  // Expands `::`. Only the first four groups count, and those after `::` are rarely among them.
  const zeros = tail === undefined ? [] : Array<string>(8 - before.length - after.length).fill('0');
  return `${[...before, ...zeros, ...after].slice(0, 4).join(':')}::/64`;
}

const bytesOf = (group: number): number[] => [group >> 8, group & 255];
