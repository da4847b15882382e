import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { TransferError } from '#client/errors.ts';
import { createAdaptiveGate } from '#engine/transfer/concurrency/adaptive-concurrency.ts';
import { beginning, type Look, mostWidth, nextWidth, type Width } from '#engine/transfer/concurrency/concurrency.ts';
import { createFakeClock } from '#test/support/clock/fake-clock.ts';

/** Bytes a second that a wire gives to so many connections, the n-th look at it. */
type Wire = (connections: number, look: number) => number;

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

/** Widths and speeds over time: new connections bring half of what they can in their first look. */
function run(looks: number, speed: Wire, failures: (look: number) => number = () => 0, uneven = () => 1) {
  const widths: number[] = [];
  const speeds: number[] = [];
  let state: Width = beginning;
  let before = state.width;
  for (let look = 0; look < looks; look++) {
    const { width } = state;
    const warm = width > before ? before + (width - before) / 2 : width;
    const bytesPerSecond = speed(warm, look) * uneven();
    widths.push(width);
    speeds.push(bytesPerSecond);
    before = width;
    state = nextWidth(state, { bytesPerSecond, failures: failures(look), wanted: true });
  }
  return { widths, speeds };
}

const mean = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0) / numbers.length;

describe('simulated, a look each two seconds', () => {
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
      const { widths } = run(300, wire(30 * MB, 100 * MB), undefined, unevenness(seed, 0.05));
      expect(widths.filter((width) => width === 4).length).toBeGreaterThan(widths.length * 0.85);
      expect(Math.max(...widths)).toBe(6);
    }
  });

  test('it grows to the most, and no further', () => {
    const { widths } = run(60, wire(3 * MB, 1_000 * MB));
    expect(widths.at(-1)).toBe(mostWidth);
    expect(widths.indexOf(mostWidth)).toBeLessThan(20);
  });

  test('a wire that grows worse with each connection past eight keeps it near eight', () => {
    const { widths } = run(200, (connections) => (connections <= 8 ? connections * MB : (16 - connections) * MB));
    expect(mean(widths.slice(50))).toBeLessThan(9);
    expect(mean(widths.slice(50))).toBeGreaterThan(5);
  });

  test('failures halve it, down to one, and it comes back when they are over', () => {
    const { widths } = run(100, wire(3 * MB, 1_000 * MB), (look) => (look >= 40 && look < 46 ? 3 : 0));
    expect(widths.slice(40, 47)).toEqual([16, 8, 4, 2, 1, 1, 1]);
    expect(widths.at(-1)).toBe(mostWidth);
  });

  test('a stall is no judgement, and a try with nothing to do is taken back', () => {
    const trying: Width = { width: 6, phase: { name: 'try', looks: 1, from: 4, before: MB }, patience: 4 };
    expect(nextWidth(trying, { bytesPerSecond: 0, failures: 0, wanted: true }).width).toBe(4);
    expect(nextWidth(trying, { bytesPerSecond: MB, failures: 0, wanted: false }).width).toBe(4);
    expect(nextWidth(beginning, { bytesPerSecond: MB, failures: 0, wanted: false })).toEqual(beginning);
  });

  test('whatever it sees, it stays between one and the most', () => {
    const look = fc.record({ bytesPerSecond: fc.nat(1e9), failures: fc.nat(2), wanted: fc.boolean() });
    fc.assert(
      fc.property(fc.array(look, { maxLength: 300 }), (looks: Look[]) => {
        let state = beginning;
        for (const one of looks) {
          state = nextWidth(state, one);
          expect(state.width).toBeGreaterThanOrEqual(1);
          expect(state.width).toBeLessThanOrEqual(mostWidth);
        }
      }),
    );
  });
});

describe('the gate', () => {
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  function setUp(most: () => number = () => mostWidth, allowed: () => number = () => 0) {
    const clock = createFakeClock();
    let bytes = 0;
    let underWay = 0;
    const ends: ((error?: Error) => void)[] = [];
    const { gate, width, eachMoves } = createAdaptiveGate({ clock, moved: () => bytes, most, allowed });
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
    return { clock, begin, pass, ends, width, eachMoves, underWay: () => underWay };
  }

  test('lets four begin, and more where they bring more', async () => {
    const { begin, pass, ends, underWay, clock } = setUp();
    const all = Array.from({ length: 40 }, begin);
    await settle();
    expect(underWay()).toBe(4);
    await pass(4, MB);
    expect(underWay()).toBe(6);
    await pass(20, MB);
    expect(underWay()).toBe(mostWidth);
    for (let done = 0; done < 40; done++) {
      ends.shift()!();
      await settle();
    }
    await Promise.all(all);
    expect([underWay(), clock.pending]).toEqual([0, 0]);
  });

  test('under a limit two begin, and no others are tried where they move all that it allows', async () => {
    const { begin, pass, ends, width, eachMoves } = setUp(
      () => mostWidth,
      () => 2 * MB,
    );
    const all = Array.from({ length: 12 }, begin);
    await settle();
    expect([width(), eachMoves()]).toEqual([2, null]);
    await pass(20, MB);
    expect([width(), eachMoves()]).toEqual([2, MB]);
    // The line brings less than the limit allows: more of them may bring more.
    await pass(20, MB / 4);
    expect(width()).toBeGreaterThan(2);
    for (let done = 0; done < 12; done++) {
      ends.shift()?.();
      await settle();
    }
    await Promise.all(all);
  });

  test('shrinks when the network or the storage fails chunks, not when the disk does', async () => {
    const { begin, pass, ends, width } = setUp();
    const all = Array.from({ length: 12 }, begin);
    await settle();
    ends.shift()!(new TransferError('file_changed', 'It has changed.'));
    await pass(2, MB);
    expect(width()).toBe(4);
    ends.shift()!(new TransferError('cut', 'It broke.'));
    await pass(2, MB);
    expect(width()).toBe(2);
    for (let done = 0; done < 12; done++) {
      ends.shift()?.();
      await settle();
    }
    await Promise.all(all);
  });

  test('keeps to a bound from outside, and follows when that is lifted', async () => {
    let most = 1;
    const { begin, pass, ends, underWay, width } = setUp(() => most);
    const all = Array.from({ length: 6 }, begin);
    await settle();
    expect([underWay(), width()]).toEqual([1, 1]);
    await pass(20, MB);
    expect(underWay()).toBe(1);
    most = mostWidth;
    await pass(2, MB);
    expect(underWay()).toBe(4);
    for (let done = 0; done < 6; done++) {
      ends.shift()?.();
      await settle();
    }
    await Promise.all(all);
  });
});
