import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createBatcher } from '#service/database/batcher.ts';

/** Batches whose runs the test ends one by one. */
function steppedBatches(max = 10) {
  const runs: { items: readonly string[]; end: () => void; fail: (error: Error) => void }[] = [];
  const add = createBatcher<string, string>({
    max,
    keyOf: (item) => item[0]!,
    run: (items) =>
      new Promise((resolve, reject) => {
        runs.push({ items, end: () => resolve(items.map((item) => item.toUpperCase())), fail: reject });
      }),
  });
  return { add, runs };
}

it('runs a single call at once, and batches those that come meanwhile', async () => {
  const { add, runs } = steppedBatches();
  const first = add('a');
  await turn();
  expect(runs.map((run) => run.items)).toEqual([['a']]);
  const later = [add('b'), add('c'), add('d')];
  await turn();
  expect(runs).toHaveLength(1);
  runs[0]!.end();
  expect(await first).toBe('A');
  await turn();
  expect(runs.map((run) => run.items)).toEqual([['a'], ['b', 'c', 'd']]);
  runs[1]!.end();
  expect(await Promise.all(later)).toEqual(['B', 'C', 'D']);
});

it('batches calls of one turn of the event loop, up to a maximum', async () => {
  const { add, runs } = steppedBatches(2);
  const calls = ['a', 'b', 'c'].map(add);
  await turn();
  expect(runs.map((run) => run.items)).toEqual([['a', 'b']]);
  runs[0]!.end();
  await calls[0];
  await turn();
  expect(runs[1]!.items).toEqual(['c']);
  runs[1]!.end();
  expect(await Promise.all(calls)).toEqual(['A', 'B', 'C']);
});

it('without keys batches equal calls', async () => {
  const runs: (readonly string[])[] = [];
  const add = createBatcher<string, string>({
    max: 10,
    run: async (items) => {
      runs.push(items);
      return items.map((item) => item.toUpperCase());
    },
  });
  expect(await Promise.all(['a', 'a', 'b', 'a'].map(add))).toEqual(['A', 'A', 'B', 'A']);
  expect(runs).toEqual([['a', 'a', 'b', 'a']]);
});

it('runs calls of one key in different batches and in order', async () => {
  const { add, runs } = steppedBatches();
  const calls = ['a1', 'b1', 'a2', 'a3', 'b2'].map(add);
  const expected = [['a1', 'b1'], ['a2', 'b2'], ['a3']];
  for (const [index, items] of expected.entries()) {
    await turn();
    expect(runs[index]!.items).toEqual(items);
    runs[index]!.end();
    await turn();
  }
  expect(await Promise.all(calls)).toEqual(['A1', 'B1', 'A2', 'A3', 'B2']);
});

it('lets no call fail because of another', async () => {
  const runs: (readonly string[])[] = [];
  const add = createBatcher<string, string>({
    max: 10,
    keyOf: (item) => item,
    run: async (items) => {
      runs.push(items);
      if (items.includes('bad')) throw new Error('bad');
      return items;
    },
  });
  const results = await Promise.allSettled(['a', 'bad', 'c'].map(add));
  expect(results.map((result) => result.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(runs).toEqual([['a', 'bad', 'c'], ['a'], ['bad'], ['c']]);
  expect(await add('d')).toBe('d');
});
