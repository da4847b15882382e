import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createFairQueue } from '#engine/io/fair-queue.ts';
import { createThrottle } from '#engine/io/rate-limit.ts';
import { createFakeClock } from '#test/support/clock/fake-clock.ts';

interface Waiter {
  readonly bytes: number;
  readonly name: string;
}

/** What each has had after so many turns, where all of them always have ten waiting. */
function served(turns: number, weights: Readonly<Record<string, number>>): Record<string, number> {
  const queue = createFairQueue<Waiter>();
  const had = Object.fromEntries(Object.keys(weights).map((name) => [name, 0]));
  const flows = Object.fromEntries(Object.entries(weights).map(([name, weight]) => [name, queue.flow(() => weight)]));
  for (const [name, flow] of Object.entries(flows)) for (let count = 0; count < 10; count++) flow.push({ bytes: 1, name });
  for (let turn = 0; turn < turns; turn++) {
    const one = queue.shift()!;
    had[one.name]! += one.bytes;
    flows[one.name]!.push(one);
  }
  return had;
}

describe('a line that several share', () => {
  test('is shared by weight', () => expect(served(700, { high: 4, normal: 2, low: 1 })).toEqual({ high: 400, normal: 200, low: 100 }));

  test('is all of whoever is alone', () => expect(served(50, { alone: 0.1 })).toEqual({ alone: 50 }));

  test('goes to whoever came first, within one', () => {
    const queue = createFairQueue<Waiter>();
    const flow = queue.flow(() => 1);
    for (const name of ['a', 'b', 'c']) flow.push({ bytes: 1, name });
    flow.remove(queue.first()!);
    expect([queue.shift()?.name, queue.shift()?.name, queue.shift(), queue.length]).toEqual(['b', 'c', undefined, 0]);
  });

  test('an idle member saves up no turns, and a new one does not wait for the others', () => {
    const queue = createFairQueue<Waiter>();
    const busy = queue.flow(() => 1);
    const away = queue.flow(() => 1);
    for (let turn = 0; turn < 100_000; turn++) busy.had(10);
    for (const name of ['busy 1', 'busy 2']) busy.push({ bytes: 10, name });
    for (const name of ['away 1', 'away 2', 'away 3']) away.push({ bytes: 10, name });
    const order = Array.from({ length: 5 }, () => queue.shift()!.name);
    expect(order.slice(0, 2)).not.toEqual(['busy 1', 'busy 2']);
    expect(order.indexOf('busy 2')).toBeLessThan(4);
  });

  test('whatever pieces they take, none that always waits has had a piece more than its part', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom('a', 'b'), fc.integer({ min: 1, max: 100 })), { minLength: 50 }), (pieces) => {
        const queue = createFairQueue<Waiter>();
        const [a, b] = [queue.flow(() => 3), queue.flow(() => 1)];
        for (const [name, bytes] of pieces) (name === 'a' ? a : b).push({ bytes, name });
        const had = { a: 0, b: 0 };
        const left = { a: pieces.filter(([name]) => name === 'a').length, b: pieces.filter(([name]) => name === 'b').length };
        while (left.a > 0 && left.b > 0) {
          const { name, bytes } = queue.shift()! as { name: 'a' | 'b'; bytes: number };
          had[name] += bytes;
          left[name]--;
          expect(Math.abs(had.a / 3 - had.b)).toBeLessThanOrEqual(100 / 3 + 100);
        }
      }),
    );
  });
});

describe('a limit that several share', () => {
  const rate = 1_000_000;
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const signal = new AbortController().signal;

  /** Takers that always want more, so many pieces of each at a time; gives what each has had after some seconds. */
  async function shared(seconds: number, takers: readonly { weight: number; atOnce: number }[]) {
    const clock = createFakeClock();
    const throttle = createThrottle({ clock, limitAt: () => ({ bytesPerSecond: rate, until: Number.POSITIVE_INFINITY }) });
    const had = takers.map(() => 0);
    const limiters = takers.map(({ weight }) => throttle.share(() => weight));
    let over = false;
    takers.forEach(({ atOnce }, index) => {
      for (let count = 0; count < atOnce; count++) {
        void (async () => {
          while (!over) {
            await limiters[index]!.take(10_000, signal);
            had[index]! += 10_000;
          }
        })();
      }
    });
    for (let step = 0; step < seconds * 100; step++) {
      clock.advance(10);
      await settle();
    }
    over = true;
    const rates = limiters.map((limiter) => limiter.rate());
    clock.advance(10_000);
    return { had, rates };
  }

  test('gives each its part, however many pieces another one asks for at once', async () => {
    const { had, rates } = await shared(10, [
      { weight: 1, atOnce: 16 },
      { weight: 1, atOnce: 1 },
      { weight: 2, atOnce: 4 },
    ]);
    for (const [index, part] of [0.25, 0.25, 0.5].entries()) {
      expect(had[index]! / (10 * rate)).toBeGreaterThan(part * 0.9);
      expect(had[index]! / (10 * rate)).toBeLessThan(part * 1.1);
      expect(rates[index]).toBe(rate * part);
    }
  });

  test('is given whole to the last one that remains', async () => {
    const clock = createFakeClock();
    const throttle = createThrottle({ clock, limitAt: () => ({ bytesPerSecond: rate, until: Number.POSITIVE_INFINITY }) });
    const [one, other] = [throttle.share(() => 1), throttle.share(() => 1)];
    // Each of these finds the line free, and goes at once.
    expect(one.take(1, signal)).toBeUndefined();
    clock.advance(10);
    expect(other.take(1, signal)).toBeUndefined();
    expect(one.rate()).toBe(rate / 2);
    clock.advance(1_500);
    expect(one.take(1, signal)).toBeUndefined();
    clock.advance(1_000);
    expect([one.rate(), throttle.rate()]).toEqual([rate, rate]);
  });
});
