import { expect, test } from 'vitest';
import { MoveError, ServiceError } from '#client/errors.ts';
import { createActivity } from '#engine/transfer/activity.ts';
import { createAlarm } from '#engine/transfer/alarm.ts';
import { eachFile } from '#engine/transfer/each-file.ts';
import { type Attempts, keepTrying } from '#engine/transfer/keep-trying.ts';
import type { FileRecord } from '#engine/transfer/record.ts';
import { createSlots } from '#engine/transfer/slots.ts';
import { ApiError } from '#protocol/errors.ts';
import { createFakeClock } from '#test/support/fake-clock.ts';

/** Lets everything that can go on do so. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function trying(work: () => Promise<string>, attempts?: Attempts) {
  const clock = createFakeClock();
  const alarm = createAlarm(clock);
  const activity = createActivity({ bytes: 0, files: 0, now: () => clock.now(), changed: () => {} });
  const stop = new AbortController();
  const result = keepTrying({ activity, sleep: alarm.sleep, clock, random: () => 0, signal: stop.signal }, work, attempts);
  result.catch(() => {});
  return { clock, alarm, activity, stop, result };
}

const unreachable = () => new ServiceError('service_unreachable', { url: 'http://s', detail: 'ECONNREFUSED' }, { answered: 0 });

test('it waits longer each time, says why and until when, and goes on', async () => {
  let attempts = 0;
  const { clock, activity, result } = trying(async () => {
    if (++attempts < 4) throw unreachable();
    return 'through';
  });
  for (const seconds of [1, 2, 4]) {
    await settle();
    expect(activity.waiting()?.reason).toMatch(new RegExp(`cannot be reached.*; trying again in ${seconds} s\\.$`));
    expect(activity.waiting()?.until).toBe(clock.now() + seconds * 1_000);
    clock.advance(seconds * 1_000);
  }
  expect(await result).toBe('through');
  expect(activity.waiting()).toBeNull();
});

test('after bytes have moved the pause is short again', async () => {
  const { clock, activity, result, stop } = trying(
    async () => {
      throw unreachable();
    },
    { moved: () => true },
  );
  for (let round = 0; round < 3; round++) {
    await settle();
    expect(activity.waiting()?.until).toBe(clock.now() + 1_000);
    clock.advance(1_000);
  }
  stop.abort(new Error('stopped'));
  await expect(result).rejects.toThrow('stopped');
});

test('a full disk is looked at again; what never helps is thrown, and so is what is hopeless here', async () => {
  const full = trying(async () => {
    throw new MoveError('disk_full', 'There is no room left.');
  });
  await settle();
  expect(full.activity.waiting()?.reason).toBe('There is no room left; trying again in 30 s.');
  full.stop.abort(new Error('stopped'));
  await expect(full.result).rejects.toThrow('stopped');
  expect(full.clock.pending).toBe(0);
  await expect(trying(async () => Promise.reject(new ApiError('not_allowed', { detail: 'no' }))).result).rejects.toThrow('no');
  await expect(trying(async () => Promise.reject(unreachable()), { hopeless: () => true }).result).rejects.toThrow('cannot be reached');
});

test('without a session it waits for somebody to sign in', async () => {
  let signedIn = false;
  const { alarm, activity, result } = trying(async () => {
    if (!signedIn) throw new ApiError('session_is_nil');
    return 'through';
  });
  await settle();
  expect(activity.waiting()).toEqual({ reason: expect.stringContaining('Sign in'), until: null });
  signedIn = true;
  alarm.wake();
  expect(await result).toBe('through');
});

test('slots: by weight, in order, given back once, and taken back from who gives up', async () => {
  const slots = createSlots(4);
  const signal = new AbortController().signal;
  const one = await slots.take(3, signal);
  const order: string[] = [];
  const stop = new AbortController();
  const heavy = slots.take(100, stop.signal).then(
    () => order.push('heavy'),
    () => order.push('gave up'),
  );
  const light = slots.take(1, signal).then(() => order.push('light'));
  await settle();
  expect(order).toEqual([]);
  stop.abort();
  await Promise.all([heavy, light]);
  expect(order).toEqual(['gave up', 'light']);
  const next = slots.take(3, signal).then(() => order.push('next'));
  one();
  one();
  await next;
  const last = slots.take(1, signal).then(() => order.push('last'));
  await settle();
  expect(order).not.toContain('last');
  void last;
});

const files = Array.from({ length: 10 }, (_, index) => ({ id: index + 1 }) as FileRecord);
const pages = (afterId: number): FileRecord[] => files.filter((file) => file.id > afterId).slice(0, 3);

test('each file once, so many at a time', async () => {
  const seen: number[] = [];
  let now = 0;
  let most = 0;
  await eachFile({
    next: pages,
    limit: 4,
    signal: new AbortController().signal,
    async work({ id }) {
      most = Math.max(most, ++now);
      seen.push(id);
      await settle();
      now--;
    },
  });
  expect(seen.sort((a, b) => a - b)).toEqual(files.map((file) => file.id));
  expect(most).toBe(4);
});

test('after a failure nothing new begins, the others are told, and it is thrown when all have ended', async () => {
  const seen: number[] = [];
  let stopped = 0;
  const all = eachFile({
    next: pages,
    limit: 3,
    signal: new AbortController().signal,
    async work({ id }, signal) {
      seen.push(id);
      if (id === 2) throw new Error('second');
      await new Promise<void>((_, reject) =>
        signal.addEventListener('abort', () => {
          stopped++;
          reject(signal.reason);
        }),
      );
    },
  });
  await expect(all).rejects.toThrow('second');
  expect([seen.length, stopped]).toEqual([seen.length, seen.length - 1]);
  expect(seen.length).toBeLessThanOrEqual(3);
});
