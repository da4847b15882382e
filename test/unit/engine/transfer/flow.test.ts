import { expect, test } from 'vitest';
import { ServiceError, TransferError } from '#client/errors.ts';
import { createActivity } from '#engine/transfer/activity.ts';
import { createWeightedSemaphore } from '#engine/transfer/concurrency/weighted-semaphore.ts';
import { createOutage } from '#engine/transfer/outage.ts';
import { type RetryOptions, retryWithActivity } from '#engine/transfer/retry-with-activity.ts';
import { createWaker } from '#engine/transfer/waker.ts';
import { AgentError, ApiError } from '#protocol/errors.ts';
import { createFakeClock } from '#test/support/clock/fake-clock.ts';

/** Lets everything that can go on do so. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function trying(work: () => Promise<string>, attempts?: RetryOptions) {
  const clock = createFakeClock();
  const waker = createWaker(clock);
  const activity = createActivity({ bytes: 0, files: 0, now: () => clock.now(), changed: () => {} });
  const stop = new AbortController();
  const result = retryWithActivity({ activity, sleep: waker.sleep, clock, random: () => 0, signal: stop.signal }, work, attempts);
  result.catch(() => {});
  return { clock, waker, activity, stop, result };
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

test('a storage that refuses until its operator changes something is asked ever more rarely', async () => {
  let attempts = 0;
  const { clock, activity, result } = trying(async () => {
    if (++attempts < 7)
      throw new ServiceError('storage_refused', { detail: 'it does not let us list parts' }, { answered: 503, retryAfter: 30 });
    return 'through';
  });
  for (const seconds of [30, 60, 120, 240, 300, 300]) {
    await settle();
    expect(activity.waiting()?.reason).toMatch(new RegExp(`list parts.*; trying again in ${seconds} s\\.$`));
    clock.advance(seconds * 1_000);
  }
  expect(await result).toBe('through');
});

test('while the network is gone one looks for it every few seconds, and all go on within seconds of its return', async () => {
  const clock = createFakeClock();
  const waker = createWaker(clock);
  const activity = createActivity({ bytes: 0, files: 0, now: () => clock.now(), changed: () => {} });
  const outage = createOutage(createWaker(clock));
  let back = Number.POSITIVE_INFINITY;
  let asked = 0;
  const went: number[] = [];
  const stops = Array.from({ length: 20 }, () => new AbortController());
  const all = stops.map(({ signal }) =>
    retryWithActivity({ activity, sleep: waker.sleep, clock, random: () => 0.5, signal, outage }, async () => {
      asked++;
      await settle();
      if (clock.now() < back) throw unreachable();
      went.push(clock.now());
    }).catch((error: unknown) => error),
  );
  const pass = async (seconds: number): Promise<void> => {
    for (let second = 0; second < seconds; second++) {
      for (let turn = 0; turn < 4; turn++) await settle();
      clock.advance(1_000);
    }
  };
  await pass(600);
  const before = asked;
  await pass(600);
  // One each 3.75 s, and the nineteen others each 45.
  expect(asked - before).toBeLessThan(600 / 3.75 + (19 * 600) / 45 + 40);
  // Whoever looks may be paused: another one takes over.
  stops[0]!.abort(new Error('paused'));
  await pass(20);
  back = clock.now();
  await pass(10);
  await Promise.all(all);
  expect(went).toHaveLength(19);
  expect(Math.max(...went) - back).toBeLessThanOrEqual(6_000);
  expect(clock.pending).toBe(0);
});

test('an answer of who was gone wakes the others at once, one of another does not', async () => {
  const clock = createFakeClock();
  const outage = createOutage(createWaker(clock));
  const signal = new AbortController().signal;
  const woken: string[] = [];
  expect([outage.volunteer('storage'), outage.volunteer('storage'), outage.volunteer('service')]).toEqual([true, false, false]);
  void outage.sleep(60_000, signal).then(() => woken.push('a'));
  outage.answered('service');
  await settle();
  expect(woken).toEqual([]);
  outage.answered('storage');
  await settle();
  expect([woken, clock.pending, outage.volunteer('service')]).toEqual([['a'], 0, true]);
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

test('a full disk is checked again; permanent errors are thrown, and so are those that are permanent here', async () => {
  const full = trying(async () => {
    throw new TransferError('disk_full', 'There is no room left.');
  });
  await settle();
  expect(full.activity.waiting()?.reason).toBe('There is no room left; trying again in 30 s.');
  full.stop.abort(new Error('stopped'));
  await expect(full.result).rejects.toThrow('stopped');
  expect(full.clock.pending).toBe(0);
  await expect(trying(async () => Promise.reject(new ApiError('not_allowed', { detail: 'no' }))).result).rejects.toThrow('no');
  await expect(trying(async () => Promise.reject(unreachable()), { isPermanent: () => true }).result).rejects.toThrow('cannot be reached');
});

test('without a session it waits for somebody to sign in', async () => {
  let signedIn = false;
  const { waker, activity, result } = trying(async () => {
    if (!signedIn) throw new AgentError('session_is_nil');
    return 'through';
  });
  await settle();
  expect(activity.waiting()).toEqual({
    reason: expect.stringContaining('Sign in'),
    until: null,
    advice: { cause: 'session_is_nil', remedy: 'sign_in', needsPerson: true },
  });
  signedIn = true;
  waker.wake();
  expect(await result).toBe('through');
});

test('a weighted semaphore: by weight, in order, given back once, and taken back from who gives up', async () => {
  const semaphore = createWeightedSemaphore(4);
  const signal = new AbortController().signal;
  const one = await semaphore.acquire(3, signal);
  const order: string[] = [];
  const stop = new AbortController();
  const heavy = semaphore.acquire(100, stop.signal).then(
    () => order.push('heavy'),
    () => order.push('gave up'),
  );
  const light = semaphore.acquire(1, signal).then(() => order.push('light'));
  await settle();
  expect(order).toEqual([]);
  stop.abort();
  await Promise.all([heavy, light]);
  expect(order).toEqual(['gave up', 'light']);
  const next = semaphore.acquire(3, signal).then(() => order.push('next'));
  one();
  one();
  await next;
  const last = semaphore.acquire(1, signal).then(() => order.push('last'));
  await settle();
  expect(order).not.toContain('last');
  void last;
});
