import type { Readable } from 'node:stream';

/** The first bytes of an answer that is an error, `most` at least where there are as many. The stream is destroyed then. */
export async function firstBytes(body: Readable, most = 64 * 1024): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of body as AsyncIterable<Buffer>) {
    pieces.push(piece);
    length += piece.length;
    // Leaving the loop destroys the stream.
    if (length >= most) break;
  }
  return Buffer.concat(pieces);
}
