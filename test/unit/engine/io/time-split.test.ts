import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Busy, causes, createTimeSplit } from '#engine/io/time-split.ts';

function manual() {
  let now = 1_000;
  const split = createTimeSplit(() => now);
  split.begin();
  return {
    split,
    pass(milliseconds: number) {
      now += milliseconds;
    },
  };
}

describe('the arithmetic', () => {
  test('time is shared out by what the pieces are busy with, and is waiting where there are none', () => {
    const { split, pass } = manual();
    pass(100);
    split.enter('network');
    pass(200);
    split.enter('server');
    pass(400);
    split.move('network', 'limit');
    pass(1_000);
    split.leave('limit');
    split.leave('server');
    pass(50);
    expect(split.spent()).toEqual({
      elapsed: 1_750,
      waiting: 150,
      network: 400,
      server: 700,
      limit: 500,
      reading: 0,
      hashing: 0,
      writing: 0,
      slowest: 'server',
    });
  });

  test("the thread's own work comes off first, one timed stretch standing for sixteen", () => {
    const { split, pass } = manual();
    split.enter('network');
    expect(Array.from({ length: 33 }, () => split.sampled()).filter(Boolean)).toHaveLength(3);
    split.took('hashing', 10);
    split.took('reading', 5);
    pass(400);
    expect(split.spent()).toMatchObject({ hashing: 160, reading: 80, network: 160, elapsed: 400 });
    // What one sample overstates is not counted before the time has passed.
    split.took('hashing', 100);
    pass(100);
    expect(split.spent()).toMatchObject({ hashing: 260, network: 160, elapsed: 500 });
  });

  test('what was slow long ago is not slow now; time between two runs is nobody’s', () => {
    const { split, pass } = manual();
    split.enter('limit');
    pass(60_000);
    split.move('limit', 'network');
    pass(8_000);
    expect(split.spent()).toMatchObject({ limit: 60_000, network: 8_000, slowest: 'network' });
    split.leave('network');
    split.end();
    pass(1_000_000);
    split.begin();
    pass(10);
    expect(split.spent()).toMatchObject({ elapsed: 68_010, waiting: 10 });
  });

  test('whatever happens, the parts sum to the time that passed, and none is negative', () => {
    const busy = causes.filter((cause) => cause !== 'waiting') as Busy[];
    const step = fc.record({
      cause: fc.constantFrom(...busy),
      to: fc.constantFrom(...busy),
      act: fc.nat(4),
      ms: fc.double({ min: 0, max: 9_999, noNaN: true }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const { split, pass } = manual();
        const under: Busy[] = [];
        let sum = 0;
        for (const { cause, to, act, ms } of steps) {
          if (act === 0) under.push(cause);
          if (act === 0) split.enter(cause);
          const one = act === 1 || act === 2 ? under.pop() : undefined;
          if (one && act === 1) split.leave(one);
          if (one && act === 2) {
            split.move(one, to);
            under.push(to);
          }
          if (act === 3) split.took(cause, ms / 16);
          pass(ms);
          sum += ms;
        }
        const { elapsed, slowest: _, ...parts } = split.spent();
        expect(Object.values(parts).reduce((total, part) => total + part, 0)).toBe(elapsed);
        expect(Math.abs(elapsed - sum)).toBeLessThanOrEqual(causes.length);
        for (const part of Object.values(parts)) expect(part).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});
