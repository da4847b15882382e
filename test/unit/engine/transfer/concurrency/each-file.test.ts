import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type Batching, eachFile } from '#engine/transfer/concurrency/each-file.ts';
import type { FileRecord } from '#engine/transfer/record.ts';

const fileOf = (id: number): FileRecord => ({ id }) as FileRecord;
const idsOf = (files: readonly FileRecord[]): number[] => files.map(({ id }) => id);

/** Pages of four, of so many files. */
const pagesOf =
  (count: number) =>
  (afterId: number): FileRecord[] =>
    Array.from({ length: Math.min(4, count - afterId) }, (_, index) => fileOf(afterId + index + 1));

const never = new AbortController().signal;

test('each file once, in order, and never more at once than the limit', async () => {
  const begun: number[] = [];
  let underWay = 0;
  let most = 0;
  await eachFile({
    next: pagesOf(23),
    limit: 5,
    signal: never,
    async work({ id }) {
      begun.push(id);
      most = Math.max(most, ++underWay);
      for (let turns = id % 3; turns >= 0; turns--) await turn();
      underWay--;
    },
  });
  expect(begun).toEqual(Array.from({ length: 23 }, (_, index) => index + 1));
  expect(most).toBe(5);
});

/** Groups of three of those that are not multiples of 6; of each group the second is left. */
function groups(seen: number[][], more: Partial<Batching> = {}): Batching {
  return {
    weight: 2,
    count: (files, from) => {
      const alone = files.findIndex(({ id }, index) => index >= from && id % 6 === 0);
      return Math.min(3, (alone === -1 ? files.length : alone) - from);
    },
    async work(files) {
      seen.push(idsOf(files));
      await turn();
      return files.slice(1, 2);
    },
    ...more,
  };
}

test('those that go together do, and what they leave goes alone, each once', async () => {
  const seen: number[][] = [];
  const alone: number[] = [];
  const work = async ({ id }: FileRecord): Promise<void> => {
    alone.push(id);
    await turn();
  };
  await eachFile({ next: pagesOf(13), limit: 4, signal: never, work, batching: groups(seen) });
  // By pages of four: 4 has nobody beside it, 6 and 12 go alone by themselves, and 13 is the last page.
  expect(seen).toEqual([
    [1, 2, 3],
    [7, 8],
    [9, 10, 11],
  ]);
  expect([...alone].sort((a, b) => a - b)).toEqual([2, 4, 5, 6, 8, 10, 12, 13]);
});

test('a group counts for its weight', async () => {
  let underWay = 0;
  let most = 0;
  const batching = groups([], {
    async work() {
      most = Math.max(most, ++underWay);
      await turn();
      underWay--;
      return [];
    },
  });
  await eachFile({ next: pagesOf(60), limit: 4, signal: never, work: () => turn(), batching });
  expect(most).toBe(2);
});

test('a failure keeps others from beginning, waits for those under way, and is thrown', async () => {
  const ended: number[] = [];
  const begun: number[] = [];
  const working = eachFile({
    next: pagesOf(40),
    limit: 3,
    signal: never,
    async work({ id }, signal) {
      begun.push(id);
      if (id === 2) throw new Error('the second');
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      await turn();
      ended.push(id);
      throw signal.reason;
    },
  });
  await expect(working).rejects.toThrow('the second');
  expect([begun, ended]).toEqual([
    [1, 2, 3],
    [1, 3],
  ]);
});

test.each(['a group', 'the next page'])('a failure of %s is thrown, too', async (what) => {
  const next = (afterId: number): FileRecord[] => {
    if (what === 'the next page' && afterId > 0) throw new Error(what);
    return pagesOf(8)(afterId);
  };
  const batching = groups([], {
    async work() {
      if (what === 'a group') throw new Error(what);
      return [];
    },
  });
  await expect(eachFile({ next, limit: 4, signal: never, work: async () => {}, batching })).rejects.toThrow(what);
});

test('whoever waits for the next page still goes on with what a group has left', async () => {
  const page = Promise.withResolvers<FileRecord[]>();
  const alone = Promise.withResolvers<number>();
  const working = eachFile({
    next: (afterId) => (afterId === 0 ? [fileOf(1), fileOf(2)] : page.promise),
    limit: 4,
    signal: never,
    work: async ({ id }) => alone.resolve(id),
    batching: groups([]),
  });
  expect(await alone.promise).toBe(2);
  page.resolve([]);
  await working;
});

test('the signal ends it with its reason, when nothing runs any more', async () => {
  const stop = new AbortController();
  let running = 0;
  const working = eachFile({
    next: pagesOf(40),
    limit: 3,
    signal: stop.signal,
    async work(_, signal) {
      running++;
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      await turn();
      running--;
    },
  });
  await turn();
  expect(running).toBe(3);
  stop.abort(new Error('stopped'));
  await expect(working).rejects.toThrow('stopped');
  expect(running).toBe(0);
});
