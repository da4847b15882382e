import { expect, it } from 'vitest';
import { createStorageTotals } from '#service/overview/storage-totals.ts';

/** Totals whose search takes `cost` milliseconds of a clock that only the test moves. */
function scene(cost: number) {
  let at = 0;
  let searches = 0;
  const totals = createStorageTotals(() => at);
  const find = async () => {
    searches += 1;
    const found = { packages: searches, bytes: searches };
    await Promise.resolve();
    at += cost;
    return found;
  };
  const packages = async (name = 'a team') => (await totals.get(name, find)).packages;
  return { packages, totals, pass: (milliseconds: number) => (at += milliseconds) };
}

it('what is found quickly is found anew each time', async () => {
  const { packages } = scene(10);
  expect([await packages(), await packages()]).toEqual([1, 2]);
});

it('what took long is kept for 300 times as long, and for at most 30 seconds', async () => {
  const short = scene(50);
  expect([await short.packages(), await short.packages()]).toEqual([1, 1]);
  short.pass(14_999);
  expect(await short.packages()).toBe(1);
  short.pass(1);
  expect(await short.packages()).toBe(2);

  const long = scene(5_000);
  expect(await long.packages()).toBe(1);
  long.pass(29_999);
  expect(await long.packages()).toBe(1);
  long.pass(1);
  expect(await long.packages()).toBe(2);
});

it('concurrent callers share one search, and other names have their own', async () => {
  const { packages } = scene(50);
  expect(await Promise.all([packages(), packages(), packages('another')])).toEqual([1, 1, 2]);
});

it('an error goes to whoever waits, and the next call searches again', async () => {
  const { packages, totals } = scene(50);
  const fails = () => totals.get('a team', () => Promise.reject(new Error('the database is away')));
  await expect(Promise.all([fails(), fails()])).rejects.toThrow('away');
  expect(await packages()).toBe(1);
});
