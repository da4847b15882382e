import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bothLimits, createThrottle } from '#engine/io/rate-limit.ts';
import { burstMs, emptyBucket, pieceOf, seenAt, spend, waitOf } from '#engine/io/token-bucket.ts';
import { createFakeClock } from '#test/support/clock/fake-clock.ts';
import { runs } from '#test/support/faults/seeds.ts';

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const signal = new AbortController().signal;
const always = (bytesPerSecond: number) => ({ bytesPerSecond, until: Number.POSITIVE_INFINITY });

interface Moved {
  readonly at: number;
  readonly bytes: number;
}

/** The most and the least that moved in any stretch of so many milliseconds between two times. */
function extremes(log: readonly Moved[], from: number, to: number, stretch: number): { most: number; least: number } {
  let most = 0;
  let least = Number.POSITIVE_INFINITY;
  for (let start = from; start + stretch <= to; start += 10) {
    let sum = 0;
    for (const { at, bytes } of log) if (at >= start && at < start + stretch) sum += bytes;
    most = Math.max(most, sum);
    least = Math.min(least, sum);
  }
  return { most, least };
}

describe('the arithmetic', () => {
  const rates = fc.integer({ min: 20_000, max: 500_000_000 });

  test('whatever the rate and however late one looks, in 10 s there is neither 5 % more nor, unless one looks too late, 5 % less', () => {
    fc.assert(
      fc.property(rates, fc.array(fc.integer({ min: 0, max: burstMs }), { minLength: 20, maxLength: 40 }), (rate, delays) => {
        const piece = pieceOf(rate);
        const log: Moved[] = [];
        let bucket = emptyBucket(0);
        let now = 0;
        for (let turn = 0; now < 25_000; turn++) {
          bucket = seenAt(bucket, now);
          let together = 0;
          while (waitOf(bucket) <= 0) {
            bucket = spend(bucket, piece, rate);
            together += piece;
          }
          log.push({ at: now, bytes: together });
          // Timers count whole milliseconds, and come late.
          now += Math.ceil(waitOf(bucket)) + Math.floor(delays[turn % delays.length]! * 0.9);
        }
        const { most, least } = extremes(log, 0, 25_000, 10_000);
        expect(most).toBeLessThanOrEqual(rate * 10 * 1.05);
        expect(least).toBeGreaterThanOrEqual(rate * 10 * 0.95);
      }),
      { numRuns: runs(20, 1_000) },
    );
  });

  test('a clock that jumps, either way and however far, neither lets more through than a burst nor holds anything up', () => {
    fc.assert(
      fc.property(rates, fc.array(fc.integer({ min: -100_000_000, max: 100_000_000 }), { minLength: 1, maxLength: 20 }), (rate, jumps) => {
        let bucket = emptyBucket(0);
        let now = 0;
        for (const jump of jumps) {
          now += jump;
          bucket = seenAt(bucket, now);
          let through = 0;
          while (waitOf(bucket) <= 0) {
            bucket = spend(bucket, pieceOf(rate), rate);
            through += pieceOf(rate);
          }
          expect(through).toBeLessThanOrEqual((rate * burstMs) / 1_000 + 2 * pieceOf(rate));
          expect(waitOf(bucket)).toBeLessThanOrEqual((pieceOf(rate) * 1_000) / rate + 1);
        }
      }),
    );
  });

  test('what is taken in one go lasts 20 ms, and is never nothing nor much', () => {
    expect([1, 100_000, 1_000_000, 10_000_000_000].map(pieceOf)).toEqual([256, 2_000, 20_000, 262_144]);
  });
});

describe('the throttle', () => {
  test('without a limit nothing waits and nobody is asked for the time', () => {
    const clock = createFakeClock();
    let asked = 0;
    const now = (): number => {
      asked++;
      return clock.now();
    };
    const throttle = createThrottle({ clock: { ...clock, now }, limitAt: () => always(0) });
    asked = 0;
    expect(throttle.piece()).toBe(Number.POSITIVE_INFINITY);
    for (let round = 0; round < 100; round++) expect(throttle.take(1e12, signal)).toBeUndefined();
    expect([asked, clock.pending]).toEqual([0, 0]);
  });

  /** Takers that always want more, for so long. */
  async function run(rates: readonly number[], takers: readonly { bytes: number; limit?: number }[], secondsEach: number) {
    const clock = createFakeClock();
    let rate = rates[0]!;
    const whole = createThrottle({ clock, limitAt: () => always(rate) });
    const logs: Moved[][] = takers.map(() => []);
    const stop = new AbortController();
    const start = clock.now();
    const running = takers.map(async ({ bytes, limit }, place) => {
      const limiter = limit === undefined ? whole : bothLimits(createThrottle({ clock, limitAt: () => always(limit) }), whole);
      while (!stop.signal.aborted) {
        for (let left = bytes; left > 0; ) {
          const length = Math.min(left, limiter.piece());
          await limiter.take(length, stop.signal);
          logs[place]!.push({ at: clock.now() - start, bytes: length });
          left -= length;
        }
      }
    });
    const ended = Promise.allSettled(running);
    for (const next of rates) {
      rate = next;
      whole.changed();
      for (let step = 0; step < secondsEach * 100; step++) {
        await settle();
        clock.advance(10);
      }
    }
    stop.abort(new Error('over'));
    await ended;
    expect(clock.pending).toBe(0);
    return logs;
  }

  const sum = (log: readonly Moved[], from = 0, to = Number.POSITIVE_INFINITY): number =>
    log.reduce((total, { at, bytes }) => (at >= from && at < to ? total + bytes : total), 0);

  test('large and small takers together keep to it within 5 % of any 10 s', async () => {
    const logs = await run([1_000_000], [{ bytes: 262_144 }, { bytes: 10_240 }, { bytes: 7 }, { bytes: 64_000_000 }], 15);
    const { most, least } = extremes(logs.flat(), 0, 15_000, 10_000);
    expect(most).toBeLessThanOrEqual(10_500_000);
    expect(least).toBeGreaterThanOrEqual(9_500_000);
    // And nobody is left out.
    for (const log of logs) expect(log.length).toBeGreaterThan(100);
  });

  test('a change holds at once, for what waits already too', async () => {
    const [log] = await run([10_000, 2_000_000, 200_000], [{ bytes: 262_144 }], 10);
    for (const [place, rate] of [10_000, 2_000_000, 200_000].entries()) {
      const moved = sum(log!, place * 10_000, (place + 1) * 10_000);
      expect(moved / (rate * 10)).toBeGreaterThan(0.95);
      expect(moved / (rate * 10)).toBeLessThan(1.05);
    }
  });

  test("a transfer's own limit holds inside the whole's, and takes nothing from the others", async () => {
    const [own, other] = await run([1_000_000], [{ bytes: 262_144, limit: 100_000 }, { bytes: 262_144 }], 10);
    expect(Math.abs(sum(own!) / 1_000_000 - 1)).toBeLessThan(0.05);
    expect(Math.abs(sum(other!) / 9_000_000 - 1)).toBeLessThan(0.05);
  });

  test('lifted, everybody goes; given up, the next one has its turn', async () => {
    const clock = createFakeClock();
    let rate = 1_000;
    const throttle = createThrottle({ clock, limitAt: () => always(rate) });
    await throttle.take(100_000, signal);
    const stop = new AbortController();
    const order: string[] = [];
    const first = Promise.resolve(throttle.take(10, stop.signal)).catch(() => order.push('gave up'));
    const second = Promise.resolve(throttle.take(10, signal)).then(() => order.push('went'));
    stop.abort(new Error('stopped'));
    await settle();
    expect(order).toEqual(['gave up']);
    rate = 0;
    throttle.changed();
    await Promise.all([first, second]);
    expect(order).toEqual(['gave up', 'went']);
    expect(throttle.take(1e9, signal)).toBeUndefined();
    rate = 1_000;
    throttle.changed();
    await throttle.take(100_000, signal);
    await expect(throttle.take(1, AbortSignal.abort(new Error('stopped')))).rejects.toThrow('stopped');
    expect(clock.pending).toBe(0);
  });

  test('a limit that ends by itself, as by a schedule, lets go of who waits at its end', async () => {
    const clock = createFakeClock(0);
    const throttle = createThrottle({
      clock,
      limitAt: (now) => (now < 60_000 ? { bytesPerSecond: 1_000, until: 60_000 } : { bytesPerSecond: 0, until: 120_000 }),
    });
    await throttle.take(1_000_000, signal);
    let went = -1;
    const waiting = Promise.resolve(throttle.take(1, signal)).then(() => {
      went = clock.now();
    });
    clock.advance(59_999);
    await settle();
    expect(went).toBe(-1);
    clock.advance(1);
    await waiting;
    expect(went).toBe(60_000);
  });
});
