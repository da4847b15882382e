import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { digestsOf } from '#providers/digests.ts';
import type { PutPartRequest } from '#providers/ports.ts';
import type { Content } from '#service/transfers/delivery/content.ts';
import { FileHash } from '#service/transfers/delivery/file-hash.ts';
import { bufferedPart } from '#service/transfers/delivery/part-bytes.ts';
import { sendParts } from '#service/transfers/delivery/send-parts.ts';
import { createPartMemory, type TransferMemory } from '#service/transfers/part-memory.ts';
import { createInMemoryProvider, inMemoryPlan } from '#test/support/providers/in-memory-provider.ts';

const never = new AbortController().signal;
const mebibyte = 1024 * 1024;
const bytes = randomBytes(1.5 * mebibyte);

const contentOf = (file: Buffer): Content => ({
  size: file.length,
  async *read(start, end) {
    yield file.subarray(start, end);
  },
});

const newMemory = (): TransferMemory => createPartMemory({ reserved: 8 * mebibyte, shared: 0 }).open();
const arrays = (buffers: readonly Uint8Array[] = []) => new Set(buffers.map(({ buffer }) => buffer));
/** By identity: what they hold says nothing. */
const areSame = (some: readonly Uint8Array[], others?: readonly Uint8Array[]) =>
  arrays(some).symmetricDifference(arrays(others)).size === 0;
const hashOf = (content: Content) => FileHash.of({ content, digest: null, chunkSize: 0 }, []);

async function partOf(memory: TransferMemory, file: Buffer) {
  const content = contentOf(file);
  const source = { content, memory, hash: await hashOf(content) };
  return await bufferedPart(source, { number: 1, offset: 0, size: file.length }, ['md5'], never);
}

describe('a part in memory', () => {
  test.each([
    ['large', bytes],
    ['small', bytes.subarray(0, 10_000)],
  ])('a %s one that was sent as a stream has its buffers used again, and the stream keeps what it had', async (_, file) => {
    const memory = newMemory();
    const part = await partOf(memory, file);
    expect(part.digests).toEqual(digestsOf(file, ['md5']));
    expect(file.subarray(3).equals(await buffer(part.open(3)))).toBe(true);
    const begun = part.open(0);
    const [first] = (await begun.take(1).toArray()) as Buffer[];
    part.done();
    const again = memory.take(file.length);
    expect(areSame(again, part.pieces)).toBe(true);
    for (const piece of again) piece.fill(0);
    expect(file.subarray(0, first!.length).equals(first!)).toBe(true);
    await expect(buffer(part.open(0))).rejects.toThrow('given back');
  });

  test('gives its buffers back once', async () => {
    const memory = newMemory();
    const part = await partOf(memory, bytes);
    part.done();
    part.done();
    expect(arrays(memory.take(bytes.length)).isDisjointFrom(arrays(memory.take(bytes.length)))).toBe(true);
  });

  test('that cannot be read has its buffers used again', async () => {
    const memory = newMemory();
    const taken: Buffer[][] = [];
    const watched = { ...memory, take: (size: number) => (taken[taken.length] = memory.take(size)) };
    const content: Content = {
      size: bytes.length,
      // biome-ignore lint/correctness/useYield: it fails before
      async *read() {
        throw new Error('broken');
      },
    };
    const source = { content, memory: watched, hash: await hashOf(content) };
    await expect(bufferedPart(source, { number: 1, offset: 0, size: bytes.length }, ['md5'], never)).rejects.toThrow('broken');
    expect(areSame(memory.take(bytes.length), taken[0])).toBe(true);
  });

  test('that the provider refuses has its buffers used again, and so have those beside it', async () => {
    const memory = newMemory();
    const seen: (readonly Uint8Array[])[] = [];
    const { promise: both, resolve } = Promise.withResolvers<void>();
    const provider = createInMemoryProvider(undefined, { ...inMemoryPlan, largestPart: mebibyte });
    provider.putPart = async ({ pieces = [] }: PutPartRequest) => {
      if (seen.push(pieces) === 2) resolve();
      await both;
      throw new Error('refused');
    };
    const content = contentOf(bytes);
    const sending = sendParts({
      provider,
      memory,
      concurrency: 2,
      upload: { state: 'open', handle: {}, layout: { fileSize: bytes.length, partSize: mebibyte }, stored: [] },
      content,
      hash: await hashOf(content),
      stored: () => undefined,
      signal: never,
    });
    await expect(sending).rejects.toThrow('refused');
    expect(seen.length).toBe(2);
    expect(areSame(memory.take(bytes.length), seen.flat())).toBe(true);
  });
});
