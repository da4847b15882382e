import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { TransferError } from '#client/errors.ts';
import { createAdaptiveConcurrency } from '#engine/transfer/concurrency/adaptive-concurrency.ts';
import {
  type ConcurrencyState,
  initialState,
  initialStateWhenFar,
  nextConcurrency,
  type Sample,
} from '#engine/transfer/concurrency/concurrency.ts';
import { chunksPerTransfer } from '#engine/transfer/concurrency/limits.ts';
import { createFakeClock } from '#test/support/clock/fake-clock.ts';

/** Bytes a second that a wire gives to so many connections, the n-th sample of it. */
type Wire = (connections: number, sample: number) => number;

const MB = 1_000_000;

/** Each connection is held back by itself, all together by the wire. */
const wire =
  (each: number, all: number): Wire =>
  (connections) =>
    Math.min(all, each * connections);

/** The same every time, and as uneven as a real wire. */
function unevenness(seed: number, by: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return 1 + (state / 2_147_483_648 - 0.5) * 2 * by;
  };
}

/** Limits and speeds over time: new connections bring half of what they can in their first sample. */
function run(samples: number, speed: Wire, failures: (sample: number) => number = () => 0, uneven = () => 1) {
  const limits: number[] = [];
  const speeds: number[] = [];
  let state: ConcurrencyState = initialState;
  let before = state.limit;
  for (let sample = 0; sample < samples; sample++) {
    const { limit } = state;
    const warm = limit > before ? before + (limit - before) / 2 : limit;
    const bytesPerSecond = speed(warm, sample) * uneven();
    limits.push(limit);
    speeds.push(bytesPerSecond);
    before = limit;
    state = nextConcurrency(state, { bytesPerSecond, failures: failures(sample), wanted: true });
  }
  return { limits, speeds };
}

const mean = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0) / numbers.length;

describe('simulated, a sample each two seconds', () => {
  test.each([
    ['a long round trip, a wide wire', 3 * MB, 1_000 * MB, 48 * MB],
    ['a long round trip, a wire for nine', 3 * MB, 27 * MB, 27 * MB],
    ['a wire that four fill', 30 * MB, 100 * MB, 100 * MB],
    ['a wire that one fills', 500 * MB, 100 * MB, 100 * MB],
  ])('%s: after a minute it gets nine tenths of what there is, or more', (_, each, all, best) => {
    for (let seed = 1; seed <= 20; seed++) {
      const { speeds } = run(90, wire(each, all), undefined, unevenness(seed, 0.1));
      expect(mean(speeds.slice(30))).toBeGreaterThan(best * 0.9);
    }
  });

  test('where more bring nothing it stays with four, but for rare tries', () => {
    for (let seed = 1; seed <= 20; seed++) {
      const { limits } = run(300, wire(30 * MB, 100 * MB), undefined, unevenness(seed, 0.05));
      expect(limits.filter((limit) => limit === 4).length).toBeGreaterThan(limits.length * 0.85);
      expect(Math.max(...limits)).toBe(6);
    }
  });

  test('it grows to the most, and no further', () => {
    const { limits } = run(60, wire(3 * MB, 1_000 * MB));
    expect(limits.at(-1)).toBe(chunksPerTransfer.max);
    expect(limits.indexOf(chunksPerTransfer.max)).toBeLessThan(20);
  });

  test('a wire that grows worse with each connection past eight keeps it near eight', () => {
    const { limits } = run(200, (connections) => (connections <= 8 ? connections * MB : (16 - connections) * MB));
    expect(mean(limits.slice(50))).toBeLessThan(9);
    expect(mean(limits.slice(50))).toBeGreaterThan(5);
  });

  test('failures halve it, down to one, and it comes back when they are over', () => {
    const { limits } = run(100, wire(3 * MB, 1_000 * MB), (sample) => (sample >= 40 && sample < 46 ? 3 : 0));
    expect(limits.slice(40, 47)).toEqual([16, 8, 4, 2, 1, 1, 1]);
    expect(limits.at(-1)).toBe(chunksPerTransfer.max);
  });

  test('on a far line it doubles as long as that is worthwhile, and goes back where it was not', () => {
    const after = (state: ConcurrencyState, each: number, all: number, samples: number): ConcurrencyState => {
      let next = state;
      for (let sample = 0; sample < samples; sample++)
        next = nextConcurrency(next, { bytesPerSecond: wire(each, all)(next.limit, 0), failures: 0, wanted: true });
      return next;
    };
    const four: ConcurrencyState = { ...initialStateWhenFar, limit: 4 };
    expect([2, 4, 6].map((samples) => after(four, 3 * MB, 1_000 * MB, samples).limit)).toEqual([8, 16, 16]);
    expect([2, 4].map((samples) => after(four, 30 * MB, 100 * MB, samples))).toMatchObject([
      { limit: 8, slowStart: true },
      { limit: 4, slowStart: false },
    ]);
  });

  test('a stall is no judgement, and a try with nothing to do is taken back', () => {
    const trying: ConcurrencyState = { limit: 6, phase: { name: 'try', samples: 1, from: 4, before: MB }, cooldown: 4, slowStart: false };
    expect(nextConcurrency(trying, { bytesPerSecond: 0, failures: 0, wanted: true }).limit).toBe(4);
    expect(nextConcurrency(trying, { bytesPerSecond: MB, failures: 0, wanted: false }).limit).toBe(4);
    expect(nextConcurrency(initialState, { bytesPerSecond: MB, failures: 0, wanted: false })).toEqual(initialState);
  });

  test('whatever it sees, it stays between one and the most', () => {
    const sample = fc.record({ bytesPerSecond: fc.nat(1e9), failures: fc.nat(2), wanted: fc.boolean() });
    fc.assert(
      fc.property(fc.array(sample, { maxLength: 300 }), (samples: Sample[]) => {
        let state = initialState;
        for (const one of samples) {
          state = nextConcurrency(state, one);
          expect(state.limit).toBeGreaterThanOrEqual(1);
          expect(state.limit).toBeLessThanOrEqual(chunksPerTransfer.max);
        }
      }),
    );
  });
});

describe('the gate', () => {
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  function setUp(
    most: () => number = () => chunksPerTransfer.max,
    allowed: () => number = () => 0,
    roundTripMs: () => number | null = () => null,
  ) {
    const clock = createFakeClock();
    let bytes = 0;
    let underWay = 0;
    const ends: ((error?: Error) => void)[] = [];
    const { gate, limit, connectionSpeed } = createAdaptiveConcurrency({ clock, moved: () => bytes, max: most, allowed, roundTripMs });
    const begin = (): Promise<unknown> =>
      gate(async () => {
        underWay++;
        try {
          await new Promise<void>((resolve, reject) => ends.push((error) => (error ? reject(error) : resolve())));
        } finally {
          underWay--;
        }
      }).catch((error: unknown) => error);
    /** Some seconds in which each that is under way moves so many bytes a second. */
    async function pass(seconds: number, each: number): Promise<void> {
      for (let half = 0; half < seconds * 2; half++) {
        bytes += (underWay * each) / 2;
        clock.advance(500);
        await settle();
      }
    }
    return { clock, begin, pass, ends, limit, connectionSpeed, underWay: () => underWay };
  }

  test('lets four begin, and more where they bring more', async () => {
    const { begin, pass, ends, underWay, clock } = setUp();
    const all = Array.from({ length: 40 }, begin);
    await settle();
    expect(underWay()).toBe(4);
    await pass(4, MB);
    expect(underWay()).toBe(6);
    await pass(20, MB);
    expect(underWay()).toBe(chunksPerTransfer.max);
    for (let done = 0; done < 40; done++) {
      ends.shift()!();
      await settle();
    }
    await Promise.all(all);
    expect([underWay(), clock.pending]).toEqual([0, 0]);
  });

  test('lets eight begin on a far line, which is known by then, and looks again after as long as their windows take to open', async () => {
    let roundTripMs: number | null = null;
    const { begin, pass, ends, underWay } = setUp(
      () => chunksPerTransfer.max,
      () => 0,
      () => roundTripMs,
    );
    roundTripMs = 62.5;
    const all = Array.from({ length: 40 }, begin);
    await settle();
    expect(underWay()).toBe(8);
    await pass(1, MB);
    expect(underWay()).toBe(chunksPerTransfer.max);
    for (let done = 0; done < 40; done++) {
      ends.shift()!();
      await settle();
    }
    await Promise.all(all);
  });

  test('on a far line tells the speed of connections whose windows are open, not of new ones', async () => {
    const { begin, pass, ends, limit, connectionSpeed } = setUp(
      () => chunksPerTransfer.max,
      () => 0,
      () => 62.5,
    );
    const all = Array.from({ length: 40 }, begin);
    await settle();
    await pass(0.5, MB / 10);
    expect(connectionSpeed()).toBe(null);
    await pass(0.5, MB);
    expect([limit(), connectionSpeed()]).toEqual([chunksPerTransfer.max, MB]);
    // Half of them are new now.
    await pass(0.5, MB / 2);
    expect(connectionSpeed()).toBe(MB);
    await pass(0.5, MB);
    expect(connectionSpeed()).toBe(MB);
    for (let done = 0; done < 40; done++) {
      ends.shift()!();
      await settle();
    }
    await Promise.all(all);
  });

  test('on a far line tells the speed of few chunks too, for which no more connections are opened', async () => {
    const { begin, pass, ends, connectionSpeed } = setUp(
      () => chunksPerTransfer.max,
      () => 0,
      () => 62.5,
    );
    const all = Array.from({ length: 3 }, begin);
    await settle();
    await pass(0.5, MB / 10);
    expect(connectionSpeed()).toBe(null);
    await pass(0.5, MB);
    expect(connectionSpeed()).toBe(MB);
    for (let done = 0; done < 3; done++) {
      ends.shift()!();
      await settle();
    }
    await Promise.all(all);
  });

  test('under a limit two begin, and no others are tried where they move all that it allows', async () => {
    const { begin, pass, ends, limit, connectionSpeed } = setUp(
      () => chunksPerTransfer.max,
      () => 2 * MB,
    );
    const all = Array.from({ length: 12 }, begin);
    await settle();
    expect([limit(), connectionSpeed()]).toEqual([2, null]);
    await pass(20, MB);
    expect([limit(), connectionSpeed()]).toEqual([2, MB]);
    // The line brings less than the limit allows: more of them may bring more.
    await pass(20, MB / 4);
    expect(limit()).toBeGreaterThan(2);
    for (let done = 0; done < 12; done++) {
      ends.shift()?.();
      await settle();
    }
    await Promise.all(all);
  });

  test('shrinks when the network or the storage fails chunks, not when the disk does', async () => {
    const { begin, pass, ends, limit } = setUp();
    const all = Array.from({ length: 12 }, begin);
    await settle();
    ends.shift()!(new TransferError('file_changed', 'It has changed.'));
    await pass(2, MB);
    expect(limit()).toBe(4);
    ends.shift()!(new TransferError('cut', 'It broke.'));
    await pass(2, MB);
    expect(limit()).toBe(2);
    for (let done = 0; done < 12; done++) {
      ends.shift()?.();
      await settle();
    }
    await Promise.all(all);
  });

  test('keeps to a bound from outside, and follows when that is lifted', async () => {
    let most = 1;
    const { begin, pass, ends, underWay, limit } = setUp(() => most);
    const all = Array.from({ length: 6 }, begin);
    await settle();
    expect([underWay(), limit()]).toEqual([1, 1]);
    await pass(20, MB);
    expect(underWay()).toBe(1);
    most = chunksPerTransfer.max;
    await pass(2, MB);
    expect(underWay()).toBe(4);
    for (let done = 0; done < 6; done++) {
      ends.shift()?.();
      await settle();
    }
    await Promise.all(all);
  });
});
