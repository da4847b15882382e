/** A request that is received directly from the socket: `PUT <target>` with a known length, on a keep-alive connection. */
export interface RawPut {
  /** Path and query. */
  readonly target: string;
  /** Bytes of the body. */
  readonly length: number;
  /** Bytes of the head, with its empty line. */
  readonly headLength: number;
  /** Whom a proxy sends it for, as it says. */
  readonly forwardedFor?: string | undefined;
}

const requestLine = /^PUT (\/[!-~]*) HTTP\/1\.1$/;
const field = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[\t ]*([\t -~\x80-\xff]*?)[\t ]*$/;
/**
 * Headers, besides the length, that have no effect here. Any other header (`Transfer-Encoding`, `Expect`, `Origin`,
 * `Upgrade`, unknown ones) may change where the body ends or what the answer is.
 */
const harmless = new Set([
  'host',
  'connection',
  'content-type',
  'accept',
  'accept-encoding',
  'accept-language',
  'user-agent',
  'sec-fetch-mode',
  'x-forwarded-for',
  // Only of reading.
  'x-longshore-accel',
]);

/**
 * Parses a head that was received as a whole. `null` for everything except a plain PUT with exactly one length: the
 * caller must then use a full HTTP parser, so that there is only one interpretation of where a request ends.
 */
export function parseRawPut(bytes: Buffer): RawPut | null {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return null;
  const [first, ...lines] = bytes.toString('latin1', 0, end).split('\r\n');
  const target = requestLine.exec(first!)?.[1];
  if (target === undefined) return null;
  const fields = new Map<string, string>();
  for (const line of lines) {
    const [, name, value] = field.exec(line) ?? [];
    if (name === undefined || fields.has(name.toLowerCase())) return null;
    fields.set(name.toLowerCase(), value!);
  }
  const length = fields.get('content-length');
  fields.delete('content-length');
  const connection = fields.get('connection');
  if (length === undefined || !/^\d{1,15}$/.test(length) || !fields.has('host')) return null;
  if (connection !== undefined && connection.toLowerCase() !== 'keep-alive') return null;
  for (const name of fields.keys()) if (!harmless.has(name)) return null;
  return { target, length: Number(length), headLength: end + 4, forwardedFor: fields.get('x-forwarded-for') };
}
