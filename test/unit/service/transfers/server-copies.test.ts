import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { ProviderError, type ProviderErrorCode } from '#providers/errors.ts';
import type { CloudProvider, CopySource } from '#providers/ports.ts';
import { aroundCalls, type Call } from '#providers/wrappers/around.ts';
import { createCopyingProvider } from '#test/support/providers/copying-provider.ts';
import { newCloud } from '#test/support/providers/in-memory-provider.ts';
import { type DeliveryBench, deliveryBench, filesBelow, manifestFacts } from '#test/support/service/delivery-bench.ts';
import { rowOf } from '#test/support/service/in-memory-delivery-journal.ts';
import { storeFiles } from '#test/support/service/stored-files.ts';

const contents = {
  'a.txt': Buffer.from('small'),
  'empty.bin': Buffer.alloc(0),
  'day 1/large.mov': randomBytes(12_345),
  'day 1/medium.mov': randomBytes(3_000),
  'day 2/none': null,
};
/** Chunks of 2,500 bytes. */
const partsInAll = 1 + 5 + 2;

let bench: DeliveryBench;
beforeEach(() => {
  bench = deliveryBench(storeFiles(contents), newCloud());
});

/** Storage of ours in the bucket `ours`, and what is asked of theirs, each call before it is done. */
function run(before: (call: Call<unknown>) => void | Promise<void> = () => {}, change: Parameters<DeliveryBench['run']>[0] = {}) {
  const { stored, cloud } = bench;
  const provider = aroundCalls(createCopyingProvider(cloud, stored.bytes), async (call) => {
    await before(call as Call<unknown>);
    return await call.run();
  });
  const locate = (key: string) => ({ origins: ['https://s3.example'], bucket: 'ours', key });
  return bench.run({ provider, storage: { ...stored, locate }, manifest: manifestFacts, ...change });
}

function expectWhole(): void {
  const arrived = filesBelow(bench.cloud, 'Longshore/Rushes');
  for (const [path, content] of Object.entries(contents)) if (content) expect(arrived.get(path)?.equals(content), path).toBe(true);
  expect(bench.cloud.uploads.size).toBe(0);
}

const refusal = (code: ProviderErrorCode) => new ProviderError(code, 'It may not.', { answered: 'AccessDenied 403' });

describe('files that lie at the server they go to', () => {
  test('are copied there, all but one without content', async () => {
    const calls: string[] = [];
    let reads = 0;
    const storage = {
      async read(...range: Parameters<typeof bench.stored.read>) {
        reads++;
        return await bench.stored.read(...range);
      },
      locate: (key: string) => ({ origins: [], bucket: 'ours', key }),
    };
    await run(({ name }) => void calls.push(name), { storage, manifest: null });
    expectWhole();
    expect(calls.filter((name) => name === 'copyPart')).toHaveLength(partsInAll);
    expect(calls.filter((name) => name === 'putPart')).toHaveLength(1);
    expect(reads).toBe(0);
  });

  test('the first part is tried by itself, and the others follow', async () => {
    const first = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    let copies = 0;
    let begun = 0;
    const hold = async ({ name }: Call<unknown>) => {
      if (name === 'begin') begun++;
      if (name !== 'copyPart' || ++copies > 1) return;
      asked.resolve();
      await first.promise;
    };
    const running = run(hold, { limits: { files: 5, parts: 2 } });
    await asked.promise;
    // What does not wait for it had its turn: a file without content has nothing to be copied.
    while (!bench.cloud.files.has('Longshore/Rushes/empty.bin')) await new Promise((resolve) => setImmediate(resolve));
    expect([copies, begun]).toEqual([1, 2]);
    first.resolve();
    await running;
    expect(copies).toBe(partsInAll);
    expectWhole();
  });

  test.each(['forbidden', 'misconfigured', 'no_destination', 'not_found', 'changed', 'bad_answer', 'copy_differs'] as const)(
    'a server that says %s is asked once, and gets the bytes',
    async (code) => {
      let copies = 0;
      const result = await run(({ name }) => {
        if (name !== 'copyPart') return;
        copies++;
        throw refusal(code);
      });
      expect(result.done.files).toBe(5);
      expect(copies).toBe(1);
      expectWhole();
    },
  );

  test('one that stops to allow it in the middle: what was copied is not sent again', async () => {
    const put = new Map<string, number[]>();
    let copies = 0;
    await run(({ name, subject }) => {
      if (name === 'copyPart' && ++copies > 4) throw refusal('forbidden');
      if (name === 'putPart') put.set(subject, [...(put.get(subject) ?? []), 1]);
    });
    expectWhole();
    // Four of eight were copied; of the others each is sent once, in parts of its upload or of ours.
    const sent = [...bench.state.rows.values()].filter(({ object }) => object !== null).length;
    expect(sent).toBe(6);
    expect(copies).toBeGreaterThan(4);
    expect(put.get('part 1')!.length).toBeLessThan(5);
  });

  test('a copy of other bytes is not completed: the file is sent, and says what is wrong where ours is', async () => {
    const { id } = bench.stored.files.find(({ path }) => path === 'day 1/large.mov')!;
    const ours = bench.stored.bytes.get(id)!;
    const wrong = new Map(bench.stored.bytes).set(id, randomBytes(ours.length));
    const locate = (key: string) => ({ origins: ['https://s3.example'], bucket: 'ours', key });
    await bench.run({ provider: createCopyingProvider(bench.cloud, wrong), storage: { ...bench.stored, locate } });
    expectWhole();

    bench = deliveryBench(storeFiles(contents), newCloud());
    const lost = bench.stored.files.find(({ path }) => path === 'day 1/large.mov')!;
    bench.stored.bytes.set(lost.id, randomBytes(lost.size));
    await expect(run()).rejects.toThrow(/^day 1\/large\.mov: What the storage of this service holds/);
    expect(filesBelow(bench.cloud, 'Longshore/Rushes').has('day 1/large.mov')).toBe(false);
    expect(bench.cloud.uploads.size).toBe(0);
  });

  test('after the end of the process, confirmed parts are not copied again', async () => {
    const stop = new AbortController();
    const answered: string[] = [];
    const copying = (after: () => void): CloudProvider => {
      const inner = createCopyingProvider(bench.cloud, bench.stored.bytes);
      return {
        ...inner,
        async copyPart(request, signal) {
          const part = await inner.copyPart(request, signal);
          answered.push(`${request.source.key} ${request.number}`);
          after();
          return part;
        },
      };
    };
    const provider = copying(() => void (answered.length === 4 && stop.abort(new Error('killed'))));
    await expect(run(undefined, { provider, signal: stop.signal })).rejects.toThrow('killed');
    await run(undefined, { provider: copying(() => {}) });
    expect(new Set(answered).size).toBe(answered.length);
    expect(answered).toHaveLength(partsInAll);
    expectWhole();
  });

  test('one that goes on by bytes, and whose digests prove nothing then, is sent from its beginning', async () => {
    const stop = new AbortController();
    let copies = 0;
    const one = { files: 1, parts: 1 };
    const cut = run(({ name }) => void (name === 'copyPart' && ++copies === 4 && stop.abort(new Error('killed'))), {
      signal: stop.signal,
      limits: one,
    });
    await expect(cut).rejects.toThrow('killed');
    const opaque = createCopyingProvider(bench.cloud, bench.stored.bytes);
    let refused = 0;
    const provider: CloudProvider = {
      ...opaque,
      async copyPart() {
        throw refusal('forbidden');
      },
      async complete(request, signal) {
        if (request.handle['copyOf'] === undefined) return await opaque.complete(request, signal);
        refused++;
        throw refusal('copy_differs');
      },
    };
    await run(undefined, { provider });
    expect(refused).toBe(1);
    expectWhole();
  });

  test('an upload that was begun by bytes goes on by bytes, and says nothing against copying', async () => {
    const stop = new AbortController();
    const { id } = bench.stored.files.find(({ path }) => path === 'day 1/large.mov')!;
    let parts = 0;
    const bytes = run(({ name }) => void (name === 'putPart' && ++parts === 4 && stop.abort(new Error('killed'))), {
      storage: bench.stored,
      signal: stop.signal,
      limits: { files: 1, parts: 1 },
    });
    await expect(bytes).rejects.toThrow('killed');
    expect(rowOf(bench.state, id).upload).not.toBeNull();
    let copies = 0;
    await run(({ name }) => void (name === 'copyPart' && copies++));
    expectWhole();
    expect(copies).toBeGreaterThan(0);
  });

  test.each([
    ['a bucket that theirs does not reach', { bucket: 'elsewhere' }, {}],
    ['parts that are cut otherwise than the object says', { bucket: 'ours' }, { etag: `${'0'.repeat(32)}-7` }],
  ])('nothing is asked of %s', async (_, place, facts) => {
    bench = deliveryBench(storeFiles(contents), newCloud());
    Object.assign(bench.state, { files: bench.state.files.map((file) => ({ ...file, ...facts })) });
    let copies = 0;
    const locate = (key: string) => ({ origins: ['https://s3.example'], ...place, key });
    await run(({ name }) => void (name === 'copyPart' && copies++), { storage: { ...bench.stored, locate } });
    expect(copies).toBe(0);
    expectWhole();
  });

  test('the source is what our record of the file says', async () => {
    const sources: CopySource[] = [];
    const inner = createCopyingProvider(bench.cloud, bench.stored.bytes);
    const provider: CloudProvider = {
      ...inner,
      copyPart: (request, signal) => {
        sources.push(request.source);
        return inner.copyPart(request, signal);
      },
    };
    await run(undefined, { provider });
    const ids = new Set(bench.stored.files.map(({ id }) => id));
    expect(sources.every(({ bucket, key }) => bucket === 'ours' && ids.has(key))).toBe(true);
  });
});
