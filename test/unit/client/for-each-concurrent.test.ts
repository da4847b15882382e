import { describe, expect, test } from 'vitest';
import { forEachConcurrent } from '#client/for-each-concurrent.ts';

describe('forEachConcurrent', () => {
  test('do all the work, so much at once', async () => {
    let running = 0;
    let most = 0;
    const done: number[] = [];
    await forEachConcurrent(3, [5, 6, 7, 8, 9], async (index) => {
      most = Math.max(most, ++running);
      await new Promise((resume) => setImmediate(resume));
      running--;
      done.push(index);
    });
    expect(done.sort()).toEqual([5, 6, 7, 8, 9]);
    expect(most).toBe(3);
  });

  test('after a failure begin nothing new', async () => {
    const begun: number[] = [];
    await expect(
      forEachConcurrent(1, [0, 1, 2], async (index) => {
        begun.push(index);
        if (index === 1) throw new Error('no');
      }),
    ).rejects.toThrow('no');
    expect(begun).toEqual([0, 1]);
  });

  test('after a failure tell those that have not quite begun', async () => {
    const gate = Promise.withResolvers<void>();
    const told: boolean[] = [];
    const working = forEachConcurrent(2, [0, 1], async (index, halted) => {
      told.push(halted());
      if (index === 0) throw new Error('no');
      await gate.promise;
      told.push(halted());
    });
    gate.resolve();
    await expect(working).rejects.toThrow('no');
    expect(told).toEqual([false, false, true]);
  });
});
