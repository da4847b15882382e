import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { TransferError } from '#client/errors.ts';
import { type Batch, type PlanRules, plan } from '#engine/transfer/pipeline/plan.ts';
import { runBatches } from '#engine/transfer/pipeline/run-batches.ts';
import type { FileRecord } from '#engine/transfer/record.ts';

const large = 2 * 1024 * 1024;
const fileOf = (id: number, size = 1): FileRecord => ({ id, size }) as FileRecord;
const idsOf = (files: readonly FileRecord[]): number[] => files.map(({ id }) => id);

/** Pages of four, of so many files. */
const pagesOf =
  (count: number, sizeOf: (id: number) => number = () => 1) =>
  (afterId: number): FileRecord[] =>
    Array.from({ length: Math.min(4, count - afterId) }, (_, index) => fileOf(afterId + index + 1, sizeOf(afterId + index + 1)));

const never = new AbortController().signal;
/** Threes; multiples of 6 go alone. */
const rules: PlanRules = { shares: ({ id, size }) => size === 1 && id % 6 !== 0, most: { files: 3, bytes: 100 } };
const alone: PlanRules = { ...rules, most: { files: 1, bytes: 100 } };

type Pipeline = Parameters<typeof runBatches>[0];
type Options = Partial<Pipeline> &
  Pick<Pipeline, 'next'> & {
    /** Moves a batch, and returns those of its files that are not done. */
    readonly work: (batch: Batch, signal: AbortSignal) => Promise<readonly FileRecord[]>;
  };
const run = (by: PlanRules, { work, ...options }: Options): Promise<void> =>
  runBatches({
    plan: (files) => plan(files, by),
    limit: 4,
    weight: () => 2,
    signal: never,
    async move(batch, signal) {
      const left = await work(batch, signal);
      return { files: batch.files.map((file) => ({ file, is: left.includes(file) ? 'missed' : 'done' })), lost: null };
    },
    fail() {},
    async pauseAfter() {},
    ...options,
  });

/** Stands until the signal, as whoever waits for a connection does. */
const untilStopped = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

test('each file once, in order, and never more at once than the limit', async () => {
  const begun: number[] = [];
  let underWay = 0;
  let most = 0;
  await run(alone, {
    next: pagesOf(23),
    limit: 5,
    async work({ files: [file] }) {
      begun.push(file!.id);
      most = Math.max(most, ++underWay);
      for (let turns = file!.id % 3; turns >= 0; turns--) await turn();
      underWay--;
      return [];
    },
  });
  expect(begun).toEqual(Array.from({ length: 23 }, (_, index) => index + 1));
  expect(most).toBe(5);
});

test('those that share go together, and what they leave goes alone, each once', async () => {
  const together: number[][] = [];
  const single: number[] = [];
  await run(rules, {
    next: pagesOf(13),
    async work({ files }) {
      if (files.length > 1) together.push(idsOf(files));
      else single.push(files[0]!.id);
      await turn();
      return files.length > 1 ? files.slice(1, 2) : [];
    },
  });
  for (const batch of together) expect(batch.length).toBeLessThanOrEqual(3);
  const left = together.map((batch) => batch[1]!);
  expect(together.flat().filter((id) => single.includes(id))).toEqual(left);
  const all = [...together.flat().filter((id) => !left.includes(id)), ...single];
  expect(all.sort((a, b) => a - b)).toEqual(Array.from({ length: 13 }, (_, index) => index + 1));
});

test('is over once all batches are, also where their weights are no whole numbers', async () => {
  const moved: number[] = [];
  await run(
    { shares: () => true, most: { files: 2, bytes: 100 } },
    {
      next: pagesOf(40),
      limit: 192,
      weight: () => 192 / 5,
      async work({ files }) {
        moved.push(...idsOf(files));
        await turn();
        return [];
      },
    },
  );
  expect(moved).toHaveLength(40);
});

test('a batch counts for its weight', async () => {
  let underWay = 0;
  let most = 0;
  await run(
    { shares: () => true, most: { files: 2, bytes: 100 } },
    {
      next: pagesOf(60),
      async work() {
        most = Math.max(most, ++underWay);
        await turn();
        underWay--;
        return [];
      },
    },
  );
  expect(most).toBe(2);
});

test('a batch that waits is filled by later pages', async () => {
  const gate = Promise.withResolvers<void>();
  const sizes: number[] = [];
  let pages = 0;
  const running = run(
    { shares: () => true, most: { files: 8, bytes: 100 } },
    {
      limit: 1,
      weight: () => 1,
      next(afterId) {
        pages++;
        if (afterId === 16) gate.resolve();
        return pagesOf(16)(afterId);
      },
      async work({ files }) {
        sizes.push(files.length);
        await gate.promise;
        return [];
      },
    },
  );
  await running;
  expect([sizes, pages]).toEqual([[4, 8, 4], 5]);
});

test.each<[string, (id: number) => boolean]>([
  ['small ones do not wait for large ones that stand', (id) => id <= 50],
  ['large ones do not wait for small ones that stand', (id) => id > 50],
])('%s', async (_, stands) => {
  const stop = new AbortController();
  const through: number[] = [];
  const done = Promise.withResolvers<void>();
  const sizeOf = (id: number): number => (id <= 50 === stands(1) ? large : 1);
  const running = run(alone, {
    next: pagesOf(60, sizeOf),
    signal: stop.signal,
    async work({ files }, signal) {
      if (stands(files[0]!.id)) return untilStopped(signal);
      await turn();
      if (through.push(files[0]!.id) === 10) done.resolve();
      return [];
    },
  });
  running.catch(() => {});
  await done.promise;
  expect(through.every((id) => !stands(id))).toBe(true);
  stop.abort(new Error('stopped'));
  await expect(running).rejects.toThrow('stopped');
});

test('no more than a bounded number of files is planned while nothing moves', async () => {
  const stop = new AbortController();
  let highest = 0;
  const running = run(alone, {
    signal: stop.signal,
    next(afterId) {
      highest = afterId;
      return Array.from({ length: 256 }, (_, index) => fileOf(afterId + index + 1, large));
    },
    work: (_, signal) => untilStopped(signal),
  });
  running.catch(() => {});
  for (let turns = 0; turns < 20; turns++) await turn();
  expect(highest).toBe(1_024);
  stop.abort(new Error('stopped'));
  await expect(running).rejects.toThrow('stopped');
});

test('a failure keeps others from beginning, waits for those under way, and is thrown', async () => {
  const ended: number[] = [];
  const begun: number[] = [];
  const working = run(alone, {
    next: pagesOf(40),
    limit: 3,
    async work({ files: [file] }, signal) {
      begun.push(file!.id);
      if (file!.id === 2) throw new Error('the second');
      await untilStopped(signal).catch(() => {});
      await turn();
      ended.push(file!.id);
      throw signal.reason;
    },
  });
  await expect(working).rejects.toThrow('the second');
  expect([begun, ended]).toEqual([
    [1, 2, 3],
    [1, 3],
  ]);
});

test.each(['a batch', 'the next page'])('a failure of %s is thrown, too', async (what) => {
  const next = (afterId: number): FileRecord[] => {
    if (what === 'the next page' && afterId > 0) throw new Error(what);
    return pagesOf(8)(afterId);
  };
  const work = async ({ files }: Batch): Promise<FileRecord[]> => {
    if (what === 'a batch' && files.length > 1) throw new Error(what);
    return [];
  };
  await expect(run(rules, { next, work })).rejects.toThrow(what);
});

test('whoever waits for the next page still goes on with what a batch has left', async () => {
  const page = Promise.withResolvers<FileRecord[]>();
  const single = Promise.withResolvers<number>();
  const working = run(rules, {
    next: (afterId) => (afterId === 0 ? [fileOf(1), fileOf(2)] : page.promise),
    async work({ files }) {
      if (files.length > 1) return files.slice(1);
      single.resolve(files[0]!.id);
      return [];
    },
  });
  expect(await single.promise).toBe(2);
  page.resolve([]);
  await working;
});

test('the signal ends it with its reason, when nothing runs any more', async () => {
  const stop = new AbortController();
  let running = 0;
  const working = run(alone, {
    next: pagesOf(40),
    limit: 3,
    signal: stop.signal,
    async work(_, signal) {
      running++;
      await untilStopped(signal).catch(() => {});
      await turn();
      running--;
      return [];
    },
  });
  await turn();
  expect(running).toBe(3);
  stop.abort(new Error('stopped'));
  await expect(working).rejects.toThrow('stopped');
  expect(running).toBe(0);
});

test('of a lost batch all files go alone after one pause, and one that cannot be moved ends no other', async () => {
  const story: string[] = [];
  const busy = new TransferError('storage_busy', 'Busy.');
  const gone = new TransferError('object_gone', 'Gone.');
  await run(rules, {
    next: pagesOf(3),
    work: async () => [],
    async move({ files }) {
      story.push(`move ${idsOf(files)}`);
      if (files.length > 1) return { files: files.map((file) => ({ file, is: 'missed' })), lost: { error: busy } };
      const [file] = files as [FileRecord];
      return { files: [file.id === 2 ? { file, is: 'failed', error: gone } : { file, is: 'done' }], lost: null };
    },
    fail: ({ id }, error) => void story.push(`fail ${id} ${(error as TransferError).code}`),
    async pauseAfter(error) {
      story.push(`pause ${(error as TransferError).code}`);
    },
  });
  expect(story).toEqual(['move 1,2,3', 'pause storage_busy', 'move 1', 'move 2', 'move 3', 'fail 2 object_gone']);
});
