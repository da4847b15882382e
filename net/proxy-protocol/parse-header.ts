import { isIPv4, isIPv6 } from 'node:net';

/**
 * The PROXY protocol of HAProxy, versions 1 and 2: what a proxy that passes on bytes says of its client before the first of
 * them. Read strictly, since what stands there decides whom limits and logs mean.
 */
export type ProxyHeader =
  /** These bytes may be the beginning of a header. */
  | { readonly kind: 'incomplete' }
  | { readonly kind: 'invalid' }
  /** `length`: bytes of the header. `client`: null for the proxy's own connections, such as its health checks. */
  | { readonly kind: 'complete'; readonly length: number; readonly client: ProxiedClient | null };

export interface ProxiedClient {
  readonly address: string;
  readonly port: number;
}

/** What a header may have at most: addresses and what proxies tell of TLS. */
export const longestProxyHeader = 2_048;

const incomplete: ProxyHeader = { kind: 'incomplete' };
const invalid: ProxyHeader = { kind: 'invalid' };
const complete = (length: number, client: ProxiedClient | null): ProxyHeader => ({ kind: 'complete', length, client });

export function parseProxyHeader(bytes: Buffer): ProxyHeader {
  if (bytes.length === 0) return incomplete;
  return bytes[0] === signature[0] ? parseBinary(bytes) : parseText(bytes);
}

const beginning = Buffer.from('PROXY ');
const longestText = 107;
const textPattern = /^PROXY (?:UNKNOWN(?: [ -~]*)?|TCP([46]) ([\da-fA-F.:]+) ([\da-fA-F.:]+) (0|[1-9]\d{0,4}) (0|[1-9]\d{0,4}))$/;

function parseText(bytes: Buffer): ProxyHeader {
  const seen = Math.min(bytes.length, beginning.length);
  if (bytes.compare(beginning, 0, seen, 0, seen) !== 0) return invalid;
  const end = bytes.subarray(0, longestText).indexOf('\r\n');
  if (end < 0) return bytes.length < longestText ? incomplete : invalid;
  const match = textPattern.exec(bytes.toString('latin1', 0, end));
  if (!match) return invalid;
  const [, family, from, to, fromPort, toPort] = match;
  if (family === undefined) return complete(end + 2, null);
  const isAddress = family === '4' ? isIPv4 : isIPv6;
  if (!isAddress(from!) || !isAddress(to!) || Number(fromPort) > 65_535 || Number(toPort) > 65_535) return invalid;
  return complete(end + 2, { address: from!, port: Number(fromPort) });
}

const signature = Buffer.from('0d0a0d0a000d0a515549540a', 'hex');
const fixedLength = 16;

function parseBinary(bytes: Buffer): ProxyHeader {
  const seen = Math.min(bytes.length, signature.length);
  if (bytes.compare(signature, 0, seen, 0, seen) !== 0) return invalid;
  if (bytes.length < fixedLength) return incomplete;
  const command = bytes[12]!;
  const family = bytes[13]!;
  const rest = bytes.readUInt16BE(14);
  if ((command !== 0x20 && command !== 0x21) || fixedLength + rest > longestProxyHeader) return invalid;
  if (bytes.length < fixedLength + rest) return incomplete;
  const body = bytes.subarray(fixedLength, fixedLength + rest);
  // Of a connection of the proxy's own, and of one whose client it does not know, the rest says nothing.
  if (command === 0x20 || family === 0) return complete(fixedLength + rest, null);
  const size = family === 0x11 ? 4 : family === 0x21 ? 16 : 0;
  if (size === 0 || !areFields(body, 2 * size + 4)) return invalid;
  return complete(fixedLength + rest, { address: addressOf(body.subarray(0, size)), port: body.readUInt16BE(2 * size) });
}

/** Whether fields of type, length and value follow the addresses up to the end. */
function areFields(body: Buffer, from: number): boolean {
  let at = from;
  while (at + 3 <= body.length) at += 3 + body.readUInt16BE(at + 1);
  return at === body.length;
}

function addressOf(bytes: Buffer): string {
  if (bytes.length === 4) return bytes.join('.');
  return Array.from({ length: 8 }, (_, group) => bytes.readUInt16BE(2 * group).toString(16)).join(':');
}
