import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createPauses, pauseAt } from '#engine/transfer/pauses.ts';
import type { Pause } from '#engine/transfer/state-machine.ts';
import { createFakeClock } from '#test/support/clock/fake-clock.ts';

const hour = 3_600_000;
const start = Date.UTC(2026, 10, 20);

test('a pause is over at its end, and one without an end never is', () => {
  const pause = { since: start, until: start + 2 * hour };
  expect(pauseAt(pause, start + 2 * hour - 1, null)).toBe(pause);
  expect(pauseAt(pause, start + 2 * hour, null)).toBeNull();
  const endless = { since: start, until: null };
  expect(pauseAt(endless, start + 1_000 * hour, start)).toBe(endless);
});

test('a clock put back moves the pause back with it, whether the agent ran or not', () => {
  const pause = { since: start, until: start + 2 * hour };
  expect(pauseAt(pause, start + hour - 24 * hour, start + hour)).toEqual({ since: start - 24 * hour, until: start - 22 * hour });
  expect(pauseAt(pause, start - 24 * hour, null)).toEqual({ since: start - 24 * hour, until: start - 22 * hour });
});

test('whatever the clock does, what is left of a pause is never more than was asked for', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 100 * hour }),
      fc.array(fc.integer({ min: -50 * hour, max: 50 * hour }), { maxLength: 20 }),
      (length, jumps) => {
        let now = start;
        let last: number | null = start;
        let pause: Pause | null = { since: start, until: start + length };
        for (const jump of jumps) {
          now += jump;
          pause = pauseAt(pause, now, last);
          last = now;
          if (!pause) return;
          expect(pause.until! - now).toBeLessThanOrEqual(length);
          expect(pause.until! - pause.since).toBe(length);
        }
      },
    ),
  );
});

test('it wakes when the soonest is due, looks again meanwhile, and stops when nothing is paused for a time', () => {
  const clock = createFakeClock(start);
  let all: Pause[] = [{ since: start, until: start + hour }];
  const looks: number[] = [];
  const pauses = createPauses({
    clock,
    settle(now, last) {
      looks.push(now - start);
      all = all.flatMap((pause) => pauseAt(pause, now, last) ?? []);
      return all;
    },
  });
  pauses.look();
  clock.advance(hour - 1);
  expect(all).toHaveLength(1);
  clock.advance(1);
  expect(all).toHaveLength(0);
  expect(looks.at(-1)).toBe(hour);
  expect(looks.length).toBeGreaterThan(100);
  expect(clock.pending).toBe(0);
  all = [{ since: clock.now(), until: clock.now() + hour }];
  pauses.look();
  pauses.close();
  expect(clock.pending).toBe(0);
});
