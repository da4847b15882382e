import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createPartMemory, type TransferMemory } from '#service/transfers/part-memory.ts';

const never = new AbortController().signal;

/** Whether what was asked for has been given, after all that could happen has happened. */
function asking(memory: TransferMemory, bytes: number, signal = never) {
  const asked = { given: false, release: () => {} };
  memory.acquire(bytes, signal).then(
    (release) => Object.assign(asked, { given: true, release }),
    () => {},
  );
  return asked;
}
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('the memory for parts', () => {
  test('lets a transfer that holds nothing have a part, however much the others hold', async () => {
    const all = createPartMemory({ reserved: 10, shared: 20 });
    const [greedy, late, later] = [all.open(), all.open(), all.open()];
    const held = [10, 10, 10].map((bytes) => asking(greedy, bytes));
    const beyond = asking(greedy, 1);
    const first = [asking(late, 10), asking(later, 25)];
    await settled();
    expect([...held, beyond, ...first].map(({ given }) => given)).toEqual([true, true, true, false, true, true]);
  });

  test('gives what all share to the transfer that holds least', async () => {
    const all = createPartMemory({ reserved: 10, shared: 10 });
    const [one, other] = [all.open(), all.open()];
    const held = [asking(one, 10), asking(one, 10), asking(other, 10)];
    const mine = asking(one, 5);
    const theirs = asking(other, 5);
    await settled();
    expect([mine.given, theirs.given]).toEqual([false, false]);
    held[1]!.release();
    await settled();
    expect([mine.given, theirs.given]).toEqual([true, true]);

    held[0]!.release();
    mine.release();
    const large = asking(one, 20);
    const small = asking(other, 5);
    await settled();
    // The one that holds nothing comes first, and what it does not leave is waited for.
    expect([large.given, small.given]).toEqual([true, false]);
  });

  test('serves a transfer in its order, so that a large part is not overtaken', async () => {
    const memory = createPartMemory({ reserved: 10, shared: 0 }).open();
    const first = asking(memory, 6);
    const large = asking(memory, 8);
    const small = asking(memory, 1);
    await settled();
    expect([first.given, large.given, small.given]).toEqual([true, false, false]);
    first.release();
    await settled();
    expect([large.given, small.given]).toEqual([true, true]);
  });

  test('forgets who does not wait any more, and gives all of it for more than all of it', async () => {
    const memory = createPartMemory({ reserved: 10, shared: 0 }).open();
    const first = asking(memory, 100);
    const stop = new AbortController();
    const waits = memory.acquire(10, stop.signal);
    const next = asking(memory, 1);
    stop.abort(new Error('stopped'));
    await expect(waits).rejects.toThrow('stopped');
    first.release();
    first.release();
    const rest = [asking(memory, 9), asking(memory, 1)];
    await settled();
    expect([next, ...rest].map(({ given }) => given)).toEqual([true, true, false]);
  });

  describe('with a limit', () => {
    test('lets transfers take turns, and each of them go on', async () => {
      const all = createPartMemory({ reserved: 10, shared: 20 });
      const [one, other, third] = [all.open(), all.open(), all.open()];
      all.limit(1 / 8);
      const asked = [asking(one, 10), asking(one, 10), asking(other, 10), asking(third, 10)];
      const given = async () => {
        await settled();
        return asked.map((each) => each.given);
      };
      expect(await given()).toEqual([true, false, false, false]);
      asked[0]!.release();
      expect(await given()).toEqual([true, false, true, false]);
      asked[2]!.release();
      expect(await given()).toEqual([true, false, true, true]);
      asked[3]!.release();
      expect(await given()).toEqual([true, true, true, true]);
    });

    test('is none again when it is lifted', async () => {
      const all = createPartMemory({ reserved: 10, shared: 20 });
      const [one, other] = [all.open(), all.open()];
      all.limit(1 / 8);
      const asked = [asking(one, 10), asking(one, 10), asking(other, 10)];
      await settled();
      expect(asked.map(({ given }) => given)).toEqual([true, false, false]);
      all.limit(1);
      await settled();
      expect(asked.map(({ given }) => given)).toEqual([true, true, true]);
    });

    test('keeps none waiting that holds nothing, whatever the others do', async () => {
      vi.useFakeTimers();
      onTestFinished(() => void vi.useRealTimers());
      const all = createPartMemory({ reserved: 10, shared: 20 });
      const [stuck, other] = [all.open(), all.open()];
      all.limit(1 / 8);
      const asked = [asking(stuck, 10), asking(stuck, 10), asking(other, 10), asking(other, 10)];
      await vi.advanceTimersByTimeAsync(999);
      expect(asked.map(({ given }) => given)).toEqual([true, false, false, false]);
      await vi.advanceTimersByTimeAsync(60_000);
      expect(asked.map(({ given }) => given)).toEqual([true, false, true, false]);
      asked[2]!.release();
      await vi.advanceTimersByTimeAsync(0);
      expect(asked.map(({ given }) => given)).toEqual([true, false, true, true]);
    });
  });

  test('uses buffers again that nobody reads any more, and only those', () => {
    const all = createPartMemory({ reserved: 2 ** 22, shared: 0 });
    const memory = all.open();
    const size = 1_500_000;
    const lost = memory.take(size);
    const given = memory.take(size);
    expect([lost, given].map((buffers) => buffers.reduce((sum, { length }) => sum + length, 0))).toEqual([size, size]);
    memory.give(given);
    const again = memory.take(size);
    const arrays = (buffers: readonly Buffer[]) => new Set(buffers.map(({ buffer }) => buffer));
    expect(arrays(again)).toEqual(arrays(given));
    expect(arrays(again).isDisjointFrom(arrays(lost))).toBe(true);
    expect(again.reduce((sum, { length }) => sum + length, 0)).toBe(size);
    // Each other has another thread's eyes on it.
    expect(again[0]!.buffer).toBeInstanceOf(SharedArrayBuffer);
    memory.give(again);
    memory.close();
    // V8 would let those of many transfers lie.
    expect(arrays(all.open().take(size)).isSubsetOf(arrays(given))).toBe(true);
  });

  test('uses small buffers again too, and keeps no more of them than makes sense', () => {
    const memory = createPartMemory({ reserved: 2 ** 26, shared: 0 }).open();
    for (const size of [0, 1, 10_240, 200_000]) {
      const [first] = memory.take(size);
      expect(first!.length).toBe(size);
      const other = memory.take(size);
      memory.give([first!]);
      const [again] = memory.take(size);
      expect([again!.length, again!.buffer]).toEqual([size, first!.buffer]);
      expect(other[0]!.buffer).not.toBe(first!.buffer);
    }
    const many = Array.from({ length: 40 }, () => memory.take(250_000)[0]!);
    memory.give(many);
    const known = new Set(many.map(({ buffer }) => buffer));
    const kept = Array.from({ length: 40 }, () => memory.take(250_000)[0]!).filter(({ buffer }) => known.has(buffer));
    expect(kept).toHaveLength(16);
  });
});
