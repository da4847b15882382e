import { describe, expect, test } from 'vitest';
import { type BatchingReceiverPorts, createBatchGetRequests, createBatchingReceiver, type ObjectToFetch } from '#client/batch-get.ts';
import { TransferError } from '#client/errors.ts';

interface Named {
  readonly name: string;
}

const soon = () => new Promise<void>((resolve) => setImmediate(resolve));

type Storage = (objects: readonly ObjectToFetch<Named>[], nth: number) => TransferError | undefined;

/** A storage that tells of objects what `storage` does; notes which came in one batch, and which one by one. */
function setUp(storage: Storage, more: Partial<BatchingReceiverPorts<Named>> = {}) {
  const fetched: string[][] = [];
  const single: string[] = [];
  let gated = 0;
  const gate = async <T>(work: () => Promise<T>): Promise<T> => {
    gated++;
    try {
      return await work();
    } finally {
      gated--;
    }
  };
  const requests = createBatchGetRequests<Named>({
    async fetch(url, objects) {
      expect(url).toBe('https://storage.example.com/-/objects');
      expect(gated).toBeGreaterThan(0);
      fetched.push(objects.map(({ sink }) => sink.name));
      const failure = storage(objects, fetched.length);
      if (failure) throw failure;
    },
    gate,
    url: 'https://storage.example.com/-/objects',
    signal: new AbortController().signal,
  });
  const receive = createBatchingReceiver<Named>({
    requests,
    async single(_, { name }) {
      expect(gated).toBeGreaterThan(0);
      single.push(name);
      if (name === 'gone') throw new TransferError('object_gone', 'It is gone.');
      return { blake3: 'single' };
    },
    gate,
    linger: soon,
    ...more,
  });
  const sinks = new Map<string, Named>();
  const sinkOf = (name: string): Named => {
    const sink = sinks.get(name) ?? { name };
    sinks.set(name, sink);
    return sink;
  };
  const get = async (names: readonly string[], { size = 10, offset = 0 } = {}) => {
    const results = await Promise.allSettled(
      names.map((name) => {
        const options = { onBytes: () => {}, signal: new AbortController().signal };
        return receive(`https://storage.example.com/${name}?signed=1`, sinkOf(name), { offset, length: size }, options);
      }),
    );
    return results.map((result) => (result.status === 'fulfilled' ? result.value.blake3 : result.reason.code));
  };
  return { get, fetched, single };
}

const storedObjects: Storage = (objects) => {
  for (const { onReceived, sink } of objects) onReceived({ blake3: `of ${sink.name}` });
  return undefined;
};

describe('small files', () => {
  test('come in one batch, each as it was written', async () => {
    const { get, fetched, single } = setUp(storedObjects);
    expect(await get(['a', 'b', 'c'])).toEqual(['of a', 'of b', 'of c']);
    expect([fetched, single]).toEqual([[['a', 'b', 'c']], []]);
  });

  test('of which nothing comes are fetched one by one, and fail there in the usual words', async () => {
    const { get, single } = setUp(([first]) => {
      first!.onReceived({ blake3: 'came' });
      return undefined;
    });
    expect(await get(['a', 'b', 'gone'])).toEqual(['came', 'single', 'object_gone']);
    expect(single).toEqual(['b', 'gone']);
  });

  test('that cannot be written fail by themselves', async () => {
    const { get } = setUp(([first, second]) => {
      first!.onFailure(new TransferError('disk_full', 'Full.'));
      second!.onReceived({ blake3: 'came' });
      return undefined;
    });
    expect(await get(['a', 'b'])).toEqual(['disk_full', 'came']);
  });

  test.each(['storage_refused', 'address_refused', 'object_gone', 'wrong_answer'] as const)(
    'come one by one where their request is %s, but for those that came',
    async (code) => {
      const { get, single } = setUp(([first]) => {
        first!.onReceived({ blake3: 'came' });
        return new TransferError(code, 'No.');
      });
      expect(await get(['a', 'b'])).toEqual(['came', 'single']);
      expect(single).toEqual(['b']);
    },
  );

  test.each(['cut', 'stalled', 'storage_busy', 'storage_failed', 'unreachable'] as const)(
    'fail where their request is %s, but for those that came; the next time they come one by one',
    async (code) => {
      const { get, fetched, single } = setUp(([first]) => {
        first!.onReceived({ blake3: 'came' });
        return new TransferError(code, 'No.');
      });
      expect(await get(['a', 'b'])).toEqual(['came', code]);
      expect(await get(['b'])).toEqual(['single']);
      expect([fetched, single]).toEqual([[['a', 'b']], ['b']]);
    },
  );

  test('do not come in batches any more after three requests that were refused one after the other', async () => {
    const { get, fetched, single } = setUp((objects, nth) =>
      nth === 2 ? storedObjects(objects, nth) : new TransferError('storage_refused', 'No.'),
    );
    for (let round = 0; round < 7; round++) await get([`a${round}`, `b${round}`]);
    // One refused, one not, three refused; two rounds without.
    expect(fetched).toHaveLength(5);
    expect(single).toHaveLength(12);
  });

  test('come one by one where fewer are due than a request is worth, where they are large, and where they are a part of a file', async () => {
    const { get, fetched } = setUp(storedObjects, { minItems: 2 });
    expect(await get(['a'])).toEqual(['single']);
    expect(await get(['b', 'c'], { size: 256 * 1024 + 1 })).toEqual(['single', 'single']);
    expect(await get(['d', 'e'], { offset: 10 })).toEqual(['single', 'single']);
    expect(fetched).toEqual([]);
    expect(await get(['f', 'g'])).toEqual(['of f', 'of g']);
  });

  test('are 200 or 4 MiB at most in a request', async () => {
    const many = setUp(storedObjects);
    await many.get(Array.from({ length: 450 }, (_, index) => `${index}`));
    expect(many.fetched.map(({ length }) => length)).toEqual([200, 200, 50]);
    const heavy = setUp(storedObjects);
    await heavy.get(
      Array.from({ length: 40 }, (_, index) => `${index}`),
      { size: 256 * 1024 },
    );
    expect(heavy.fetched.map(({ length }) => length)).toEqual([15, 15, 10]);
  });
});
