import { Readable } from 'node:stream';

const endedEarly = () => new Error('The bytes of the part ended early.');

/** The first `size` bytes of a stream, which is destroyed then; an error if it has fewer. */
export function firstOf(source: Readable, size: number): Readable {
  async function* pieces(): AsyncGenerator<Buffer> {
    let left = size;
    for await (const piece of source as AsyncIterable<Buffer>) {
      const wanted = piece.subarray(0, left);
      left -= wanted.length;
      yield wanted;
      if (left === 0) return;
    }
    if (left > 0) throw endedEarly();
  }
  return Readable.from(pieces(), { objectMode: false });
}

/** A stream of exactly `size` bytes, in memory. Rejects with the signal's reason even where the stream is stuck. */
export async function bytesOf(source: Readable, size: number, signal: AbortSignal): Promise<Buffer> {
  const abort = () => source.destroy(signal.reason as Error);
  signal.addEventListener('abort', abort, { once: true });
  try {
    const pieces: Buffer[] = [];
    let length = 0;
    for await (const piece of source as AsyncIterable<Buffer>) {
      pieces.push(piece);
      length += piece.length;
      if (length > size) throw new Error('The part has more bytes than it should.');
    }
    if (length < size) throw endedEarly();
    return Buffer.concat(pieces);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
