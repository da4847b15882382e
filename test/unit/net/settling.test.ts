import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { settling } from '#net/settling.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('waits so long at most, as often as it is asked', async () => {
  const { promise, resolve } = Promise.withResolvers<string>();
  const one = settling(promise);
  for (let n = 0; n < 3; n += 1) {
    const wait = one.within(1_000);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await wait).toBe(false);
  }
  const last = one.within(1_000);
  resolve('here');
  expect([await last, await one.within(1_000), await one.promise]).toEqual([true, true, 'here']);
  expect(vi.getTimerCount()).toBe(0);
});

it('tells of a rejection by the promise alone', async () => {
  const { promise, reject } = Promise.withResolvers<never>();
  const one = settling(promise);
  const wait = one.within(1_000);
  reject(new Error('gone'));
  expect(await wait).toBe(true);
  await expect(one.promise).rejects.toThrow('gone');
});

it('leaves nothing on the promise, however often it waits', async () => {
  const { promise } = Promise.withResolvers<never>();
  const asked = vi.spyOn(promise, 'then');
  const one = settling(promise);
  for (let n = 0; n < 5; n += 1) {
    const wait = one.within(1);
    await vi.advanceTimersByTimeAsync(1);
    await wait;
  }
  expect(asked).toHaveBeenCalledTimes(1);
});
