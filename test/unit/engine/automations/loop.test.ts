import { expect, it } from 'vitest';
import type { AutomationRecord } from '#engine/automations/record.ts';
import { createLoop } from '#engine/automations/runner/loop.ts';
import { silentLog } from '#engine/ports.ts';
import { createFakeClock } from '#test/support/clock/fake-clock.ts';

it('goes on after the end of a pass could not be noted, as on a full disk', async () => {
  const clock = createFakeClock();
  let passes = 0;
  let full = true;
  const found = { nextInMs: 1_000, waitingFor: '', waiting: 0, message: '', state: 'watching' } as const;
  const loop = createLoop({
    record: () => ({ id: 'a' }) as AutomationRecord,
    work: {
      pass: async () => {
        passes++;
        return found;
      },
      close: async () => {},
    },
    clock,
    random: () => 0,
    log: silentLog,
    changed() {
      if (full) throw new Error('database or disk is full');
    },
  });
  await loop.setActive(true);
  await expect.poll(() => clock.pending).toBe(1);
  full = false;
  await expect
    .poll(() => {
      clock.advance(1_000);
      return passes;
    })
    .toBeGreaterThan(1);
  await loop.close();
  expect(clock.pending).toBe(0);
});

it('rests a minute at most after a pass that took long, and not by a clock that was set back', async () => {
  const clock = createFakeClock();
  let passes = 0;
  let takes = 600_000;
  const loop = createLoop({
    record: () => ({ id: 'a' }) as AutomationRecord,
    work: {
      async pass() {
        passes++;
        clock.advance(takes);
        return { nextInMs: 1_000, waitingFor: '', waiting: 0, message: '', state: 'watching' };
      },
      close: async () => {},
    },
    clock,
    random: () => 0,
    log: silentLog,
    changed: () => {},
  });
  await loop.setActive(true);
  await expect.poll(() => clock.pending).toBe(1);
  takes = 1_000;
  clock.advance(60_000);
  await expect.poll(() => [passes, clock.pending]).toEqual([2, 1]);
  clock.advance(-3_600_000);
  // Something has changed in its folder.
  loop.wake();
  await expect.poll(() => passes).toBe(3);
  await loop.close();
});

it('leaves a pass behind that its disk does not let end, and begins none beside it', async () => {
  const clock = createFakeClock();
  const disk = Promise.withResolvers<void>();
  const log: string[] = [];
  const begin = (after: Promise<void> | null) => {
    const loop = createLoop({
      after,
      record: () => ({ id: 'a' }) as AutomationRecord,
      work: {
        async pass(_, signal) {
          log.push('begins');
          await disk.promise;
          log.push(signal.aborted ? 'was left behind' : 'has answered');
          return { nextInMs: 1_000, waitingFor: '', waiting: 0, message: '', state: 'watching' };
        },
        close: async () => void log.push('closed'),
      },
      clock,
      random: () => 0,
      log: silentLog,
      changed: () => {},
    });
    return loop;
  };
  const first = begin(null);
  await first.setActive(true);
  const closed = first.close();
  await expect.poll(() => clock.pending).toBe(1);
  clock.advance(3_000);
  await closed;
  // As a change of the automation does it.
  const second = begin(first.leftBehind);
  await second.setActive(true);
  expect(second.status).toMatchObject({ state: 'error', message: 'The disk of its folder does not answer. It goes on once that does.' });
  // It has no pass of its own to wait for.
  await second.close();
  const third = begin(second.leftBehind);
  await third.setActive(true);
  expect(log).toEqual(['begins']);
  disk.resolve();
  await expect.poll(() => third.status.state).toBe('watching');
  expect(third.status.message).toBe('');
  expect(log).toEqual(['begins', 'was left behind', 'closed', 'closed', 'begins', 'has answered']);
  await third.close();
  expect(third.leftBehind).toBeNull();
});
