import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { digestsOf } from '#providers/digests.ts';
import { digestsByThread } from '#service/transfers/digest-thread.ts';

/** Bytes in pieces of shared memory, as parts lie. */
function shared(bytes: Buffer, pieceSize: number): Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += pieceSize) {
    const piece = bytes.subarray(at, at + pieceSize);
    const buffer = Buffer.from(new SharedArrayBuffer(pieceSize), 0, piece.length);
    piece.copy(buffer);
    pieces.push(buffer);
  }
  return pieces;
}

describe('digests by a thread', () => {
  test('are those of the bytes, whichever are asked for, many at once', async () => {
    const names = ['md5', 'sha1', 'crc32c'] as const;
    const all = [1, 70_000, 200_000, 524_288].map((size) => randomBytes(size));
    const made = await Promise.all(all.map((bytes) => digestsByThread(names, shared(bytes, 65_536))));
    expect(made).toEqual(all.map((bytes) => digestsOf(bytes, names)));
    expect(await digestsByThread(['md5'], shared(all[1]!, 100_000))).toEqual({ md5: createHash('md5').update(all[1]!).digest('hex') });
  });
});
