import { describe, expect, test } from 'vitest';
import { type BatchingSenderPorts, createBatchingSender, type PartToSend, progressByPart } from '#client/batch-put.ts';
import { TransferError } from '#client/errors.ts';
import type { ByteSource } from '#client/ports.ts';

interface Named extends ByteSource {
  readonly name: string;
}

const soon = () => new Promise<void>((resolve) => setImmediate(resolve));
const blueprintOf = (name: string) =>
  ({ method: 'PUT', url: `https://storage.example.com/${name}?signed=1`, headers: {}, body: '' }) as const;
const etags = (parts: readonly PartToSend<Named>[]) =>
  JSON.stringify({ parts: parts.map(({ source }) => ({ etag: `of ${source.name}` })) });

/** A storage whose requests are answered by `put`; notes which went in one batch, and which one by one. */
function setUp(
  put: (parts: readonly PartToSend<Named>[], nth: number) => string | TransferError,
  more: Partial<BatchingSenderPorts<Named>> = {},
) {
  const batches: string[][] = [];
  const single: string[] = [];
  let gated = 0;
  const sender = createBatchingSender<Named>({
    async put(url, parts) {
      expect(url).toBe('https://storage.example.com/-/parts');
      expect(gated).toBeGreaterThan(0);
      const readable = parts.filter(({ source }) => source.name !== 'unreadable');
      if (readable.length > 0) batches.push(readable.map(({ source }) => source.name));
      const answer = put(readable, batches.length);
      if (answer instanceof TransferError) throw answer;
      return { blake3: parts.map(({ source }) => (source.name === 'unreadable' ? null : `digest of ${source.name}`)), text: answer };
    },
    async single(_, { name }) {
      expect(gated).toBeGreaterThan(0);
      single.push(name);
      if (name === 'unreadable') throw new TransferError('source_unreadable', 'It cannot be read.');
      return { etag: 'single', blake3: 'single' };
    },
    async gate(work) {
      gated++;
      try {
        return await work();
      } finally {
        gated--;
      }
    },
    url: 'https://storage.example.com/-/parts',
    signal: new AbortController().signal,
    linger: soon,
    ...more,
  });
  const send = async (names: readonly string[], { size = 10, md5 = false } = {}) => {
    const results = await Promise.allSettled(
      names.map((name) => {
        const options = { md5, onBytes: () => {}, signal: new AbortController().signal };
        return sender(blueprintOf(name), { name, size }, { offset: 0, length: size }, options);
      }),
    );
    return results.map((result) => (result.status === 'fulfilled' ? result.value.etag : result.reason.code));
  };
  return { send, batches, single };
}

describe('small parts', () => {
  test('go in one batch, and each comes to what the storage says of it', async () => {
    const { send, batches, single } = setUp(
      () => '{"parts":[{"etag":"1"},{"status":404,"code":"NoSuchUpload"},{"status":503,"code":"SlowDown","retry_after":"3"}]}',
    );
    expect(await send(['a', 'b', 'c'])).toEqual(['1', 'upload_gone', 'storage_busy']);
    expect([batches, single]).toEqual([[['a', 'b', 'c']], []]);
  });

  test('that cannot be read fail by themselves, and the others go without them', async () => {
    const { send, batches, single } = setUp(etags);
    expect(await send(['a', 'unreadable', 'c'])).toEqual(['of a', 'source_unreadable', 'of c']);
    expect([batches, single]).toEqual([[['a', 'c']], ['unreadable']]);
    expect(await send(['unreadable'])).toEqual(['source_unreadable']);
    expect(batches).toHaveLength(1);
  });

  test.each(['storage_refused', 'address_refused', 'upload_gone'] as const)('go one by one where their request is %s', async (code) => {
    const { send, single } = setUp(() => new TransferError(code, 'No.'));
    expect(await send(['a', 'b'])).toEqual(['single', 'single']);
    expect(single).toEqual(['a', 'b']);
  });

  test('do not go in batches any more after three requests that were refused one after the other', async () => {
    const { send, batches, single } = setUp((parts, nth) => (nth === 2 ? etags(parts) : new TransferError('storage_refused', 'No.')));
    for (let round = 0; round < 7; round++) await send(['a', 'b']);
    // One refused, one not, three refused; two rounds without.
    expect(batches).toHaveLength(5);
    expect(single).toHaveLength(12);
  });

  test.each(['cut', 'stalled', 'storage_busy', 'storage_failed', 'unreachable'] as const)(
    'fail each where their request is %s',
    async (code) => {
      const { send, single } = setUp(() => new TransferError(code, 'No.'));
      expect(await send(['a', 'b'])).toEqual([code, code]);
      expect(single).toEqual([]);
    },
  );

  test.each(['', 'null', '{"parts":[]}', '{"parts":[{"etag":"1"}]}'])(
    'are not taken for sent by an answer of other parts: %j',
    async (text) => {
      expect(await setUp(() => text).send(['a', 'b'])).toEqual(['single', 'single']);
    },
  );

  test('go one by one where they are large, and where an MD5 is wanted', async () => {
    const { send, batches } = setUp(etags);
    expect(await send(['a', 'b'], { size: 512 * 1024 + 1 })).toEqual(['single', 'single']);
    expect(await send(['a', 'b'], { md5: true })).toEqual(['single', 'single']);
    expect(batches).toEqual([]);
    expect(await send(['a', 'b'])).toEqual(['of a', 'of b']);
  });

  test('are 200 or 4 MiB at most in a request', async () => {
    const many = setUp(etags);
    await many.send(Array.from({ length: 450 }, (_, index) => `${index}`));
    expect(many.batches.map(({ length }) => length)).toEqual([200, 200, 50]);
    const heavy = setUp(etags);
    await heavy.send(
      Array.from({ length: 20 }, (_, index) => `${index}`),
      { size: 500 * 1024 },
    );
    expect(heavy.batches.map(({ length }) => length)).toEqual([8, 8, 4]);
  });
});

test('each part hears what of it has gone out, once the head has', () => {
  const heard: number[][] = [[], [], []];
  const parts = [5, 0, 7].map((length, index) => ({
    slice: { offset: 0, length },
    onBytes: (count: number) => void heard[index]!.push(count),
  }));
  const gone = progressByPart(parts, 4);
  for (const count of [3, 2, 6, 5]) gone(count);
  expect(heard).toEqual([[1, 4], [], [2, 5]]);
});
