/** A request's or answer's head, and the bytes of its body as they come: the framing of HTTP/1.1 and nothing more of it. */
export interface Message {
  /** The first line. */
  readonly line: string;
  /** By lower-case name. */
  readonly fields: ReadonlyMap<string, string>;
  /** As they came, with the empty line at the end. */
  readonly head: Buffer;
  /** Bytes of the body; `null` where only its end tells. */
  readonly length: number | null;
  /** To be read to its end before the next message is asked for. Chunks come with their framing. */
  readonly body: AsyncIterable<Buffer>;
}

export type BodyLength = number | 'chunked' | 'to the end';

const longestHead = 64 * 1024;

/** Every message that comes by a connection. Ends with the connection, between messages or (`CutOff`) within one. */
export async function* messagesOf(
  source: AsyncIterable<Buffer>,
  lengthOf: (line: string, fields: Message['fields']) => BodyLength,
): AsyncGenerator<Message> {
  const bytes = reader(source);
  for (;;) {
    const head = await bytes.through('\r\n\r\n');
    if (!head) return;
    const [line = '', ...rest] = head.toString('latin1').trimEnd().split('\r\n');
    const fields = new Map(rest.map((field) => fieldOf(field)));
    const length = lengthOf(line, fields);
    const body = length === 'chunked' ? chunks(bytes) : bytes.take(length === 'to the end' ? Number.POSITIVE_INFINITY : length);
    yield { line, fields, head, length: typeof length === 'number' ? length : null, body };
  }
}

export function requestLength(_line: string, fields: Message['fields']): BodyLength {
  return statedLength(fields) ?? 0;
}

/** @param method of the request that is answered */
export function responseLength(method: string, line: string, fields: Message['fields']): BodyLength {
  const status = statusOf(line);
  if (method === 'HEAD' || status < 200 || status === 204 || status === 304) return 0;
  return statedLength(fields) ?? 'to the end';
}

export function statusOf(line: string): number {
  return Number(line.split(' ')[1]);
}

/** The connection ended within a message. */
export class CutOff extends Error {
  override readonly name = 'CutOff';
}

function statedLength(fields: Message['fields']): BodyLength | null {
  if (fields.get('transfer-encoding')?.includes('chunked')) return 'chunked';
  const length = fields.get('content-length');
  return length === undefined ? null : Number(length);
}

function fieldOf(text: string): [string, string] {
  const colon = text.indexOf(':');
  return [text.slice(0, colon).toLowerCase(), text.slice(colon + 1).trim()];
}

type Reader = ReturnType<typeof reader>;

async function* chunks(bytes: Reader): AsyncGenerator<Buffer> {
  for (;;) {
    const size = await line(bytes);
    yield size;
    const length = Number.parseInt(size.toString('latin1'), 16);
    if (length > 0) yield* bytes.take(length + 2);
    else {
      for (let trailer = await line(bytes); ; trailer = await line(bytes)) {
        yield trailer;
        if (trailer.length === 2) return;
      }
    }
  }
}

async function line(bytes: Reader): Promise<Buffer> {
  const found = await bytes.through('\r\n');
  if (!found) throw new CutOff('The connection ended within a message.');
  return found;
}

function reader(source: AsyncIterable<Buffer>) {
  const pieces = source[Symbol.asyncIterator]();
  let held: Buffer = Buffer.alloc(0);

  /** False: that was all. */
  async function more(): Promise<boolean> {
    const { value, done } = await pieces.next();
    if (done) return false;
    held = held.length === 0 ? value : Buffer.concat([held, value]);
    return true;
  }

  return {
    /** Everything up to this text, and the text itself; `null` when the connection has ended before the first byte. */
    async through(end: string): Promise<Buffer | null> {
      for (let at = held.indexOf(end); ; at = held.indexOf(end)) {
        if (at >= 0) {
          const found = held.subarray(0, at + end.length);
          held = held.subarray(at + end.length);
          return found;
        }
        if (held.length > longestHead) throw new Error('This is not HTTP: there is no end to its head.');
        if (!(await more())) {
          if (held.length === 0) return null;
          throw new CutOff('The connection ended within a message.');
        }
      }
    },
    /** So many bytes, piece by piece; of infinitely many, those that come. */
    async *take(length: number): AsyncGenerator<Buffer> {
      for (let left = length; left > 0; ) {
        if (held.length === 0 && !(await more())) {
          if (length === Number.POSITIVE_INFINITY) return;
          throw new CutOff('The connection ended within a message.');
        }
        const piece = held.subarray(0, left);
        held = held.subarray(piece.length);
        left -= piece.length;
        yield piece;
      }
    },
  };
}
