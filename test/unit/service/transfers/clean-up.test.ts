import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { ProviderError } from '#providers/errors.ts';
import type { CloudProvider } from '#providers/ports.ts';
import { aroundCalls, type CallName } from '#providers/wrappers/around.ts';
import { cleanUp } from '#service/transfers/delivery/clean-up.ts';
import { type Cloud, createInMemoryProvider, newCloud } from '#test/support/providers/in-memory-provider.ts';
import { type DeliveryBench, deliveryBench, manifestFacts, smallLimits } from '#test/support/service/delivery-bench.ts';
import { createInMemoryJournal } from '#test/support/service/in-memory-delivery-journal.ts';
import { storeFiles } from '#test/support/service/stored-files.ts';

const never = new AbortController().signal;
const clean = ({ cloud, state }: DeliveryBench): Promise<void> =>
  cleanUp({ provider: createInMemoryProvider(cloud), journal: createInMemoryJournal(state), givenFolder: null, signal: never });

/** A provider that fails at some call, before it does anything or after. */
function failing(cloud: Cloud, at: CallName, after: number, isDone = false) {
  let calls = 0;
  return aroundCalls(createInMemoryProvider(cloud), async ({ name, run }) => {
    const fails = name === at && ++calls > after;
    if (fails && !isDone) throw new ProviderError('unreachable', 'The connection broke.');
    const answer = await run();
    if (fails) throw new ProviderError('unreachable', 'The connection broke.');
    return answer;
  });
}

const contents = { 'a/empty/er': null, 'b/large.mov': randomBytes(9_500), 'c/small.txt': Buffer.from('c') };

describe('cleaning up after a delivery that was cancelled', () => {
  test('unfinished uploads end, and with nothing complete nothing stays, the folder included', async () => {
    const bench = deliveryBench(storeFiles(contents), newCloud());
    await expect(bench.run({ provider: failing(bench.cloud, 'complete', 0), limits: { ...smallLimits, files: 1 } })).rejects.toThrow();
    expect(bench.cloud.uploads.size).toBeGreaterThan(0);
    expect(bench.cloud.folders.size).toBe(1);
    // As Box makes it for a file that was then aborted.
    bench.cloud.folders.add('Longshore/Rushes/b');
    bench.cloud.folders.add('Longshore/Rushes');
    await clean(bench);
    expect(bench.cloud.uploads.size).toBe(0);
    expect([...bench.cloud.folders]).toEqual([]);
    expect(bench.state.folder).toBeNull();
    expect(bench.state.claims.size).toBe(0);
    expect((await bench.run()).done.files).toBe(3);
    expect(bench.cloud.folders).toEqual(new Set(['Longshore/Rushes/a/empty/er']));
  });

  test('what is complete stays, also where its answer was lost, and a retry sends only the rest', async () => {
    const bench = deliveryBench(storeFiles(contents), newCloud());
    const provider = failing(bench.cloud, 'complete', 0, true);
    await expect(bench.run({ provider, limits: { ...smallLimits, files: 1 } })).rejects.toThrow();
    // Whichever of the two was first.
    expect(bench.cloud.files.size).toBe(1);
    const [path, { etag }] = [...bench.cloud.files][0]!;
    await clean(bench);
    await clean(bench);
    expect(bench.state.folder).toBe('Longshore/Rushes');
    expect(bench.cloud.folders.size).toBe(0);
    expect((await bench.run()).done.files).toBe(3);
    expect(bench.cloud.files.get(path)!.etag).toBe(etag);
    expect(bench.cloud.folders.size).toBe(1);
    expect(bench.cloud.files.size).toBe(2);
  });

  test('an unfinished manifest ends too', async () => {
    const bench = deliveryBench(storeFiles({}), newCloud());
    await expect(bench.run({ provider: failing(bench.cloud, 'putPart', 0), manifest: manifestFacts })).rejects.toThrow();
    expect(bench.cloud.uploads.size).toBe(1);
    await clean(bench);
    expect(bench.cloud.uploads.size).toBe(0);
  });

  test('a delivery that never began leaves nothing to do', async () => {
    await clean(deliveryBench(storeFiles(contents), newCloud()));
  });

  test.each([
    ['a folder that is never gone', null],
    ['pages without end', 'more'],
  ])('a provider that lists %s comes to an end', async (_, cursor) => {
    const bench = deliveryBench(storeFiles(contents), newCloud());
    await expect(bench.run({ provider: failing(bench.cloud, 'complete', 0), limits: { ...smallLimits, files: 1 } })).rejects.toThrow();
    let lists = 0;
    const provider: CloudProvider = {
      ...createInMemoryProvider(bench.cloud),
      async list({ recursive = false }) {
        lists++;
        return recursive ? { entries: [{ kind: 'folder', id: 'x', name: 'x' }], cursor } : { entries: [], cursor: null };
      },
      async remove() {},
    };
    const journal = createInMemoryJournal(bench.state);
    await expect(cleanUp({ provider, journal, givenFolder: null, signal: never })).rejects.toMatchObject({ code: 'bad_answer' });
    expect(lists).toBeLessThan(30_000);
  });
});
