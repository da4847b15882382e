import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { ProviderError, type ProviderErrorCode, type ProviderErrorOptions } from '#providers/errors.ts';
import type { CloudProvider } from '#providers/ports.ts';
import { type CallReport, withLogging } from '#providers/wrappers/logging.ts';
import { withPacing } from '#providers/wrappers/pacing.ts';
import { retryDelay, withRetry } from '#providers/wrappers/retry.ts';
import { withSpeedLimit } from '#providers/wrappers/speed-limit.ts';
import { providerConformance, store } from '#test/support/providers/conformance.ts';
import { createInMemoryProvider, inMemoryPlan, newCloud } from '#test/support/providers/in-memory-provider.ts';

const never = new AbortController().signal;
const failure = (code: ProviderErrorCode, options?: ProviderErrorOptions) => new ProviderError(code, 'It failed. Do something.', options);

/** A provider whose `head` fails so, then succeeds. */
function failing(...failures: Error[]): { provider: CloudProvider; calls: () => number; renewals: () => number } {
  let calls = 0;
  let renewals = 0;
  const provider: CloudProvider = {
    ...createInMemoryProvider(),
    async head() {
      const next = failures[calls++];
      if (next) throw next;
      return null;
    },
    renew: () => void renewals++,
  };
  return { provider, calls: () => calls, renewals: () => renewals };
}

providerConformance('A provider in all wrappers', {
  async open() {
    const cloud = newCloud();
    const create = () =>
      withRetry(withSpeedLimit(withPacing(withLogging(createInMemoryProvider(cloud), () => {})), { bytesPerSecond: () => 0 }));
    return {
      provider: create(),
      restarted: create,
      stored: async () => [...cloud.files.keys(), ...cloud.folders, ...cloud.uploads.keys()],
      wrong: [],
      secrets: [],
      close: async () => {},
    };
  },
  lacks: { keepsTaken: 'The provider in memory has one upload a path.' },
  largeFile: 3500,
  partSize: inMemoryPlan.usualPart,
});

describe('retry', () => {
  const slept: number[] = [];
  const rules = { attempts: 4, firstDelay: 100, greatestDelay: 300, random: () => 0, sleep: async (ms: number) => void slept.push(ms) };

  test('what passes by itself is tried again, after at least the pause that was asked for', async () => {
    slept.length = 0;
    const { provider, calls } = failing(failure('busy'), failure('unreachable', { retryAfter: 7000 }), failure('corrupted'));
    expect(await withRetry(provider, rules).head({ id: 'x' }, never)).toBeNull();
    expect([calls(), slept]).toEqual([4, [50, 7000, 150]]);
  });

  test('ends with the last failure', async () => {
    const failures = Array.from({ length: 9 }, () => failure('busy'));
    const { provider, calls } = failing(...failures);
    await expect(withRetry(provider, rules).head({ id: 'x' }, never)).rejects.toBe(failures[3]);
    expect(calls()).toBe(4);
  });

  test('what is over is renewed, once', async () => {
    const good = failing(failure('expired'));
    await withRetry(good.provider, rules).head({ id: 'x' }, never);
    expect([good.calls(), good.renewals()]).toEqual([2, 1]);
    const second = failure('expired');
    const bad = failing(failure('expired'), second);
    await expect(withRetry(bad.provider, rules).head({ id: 'x' }, never)).rejects.toBe(second);
    expect(bad.renewals()).toBe(1);
  });

  test.each(['full', 'credentials_refused', 'not_found', 'part_missing', 'private_address'] as const)(
    '%s is told at once',
    async (code) => {
      const { provider, calls } = failing(failure(code));
      await expect(withRetry(provider, rules).head({ id: 'x' }, never)).rejects.toMatchObject({ code });
      expect(calls()).toBe(1);
    },
  );

  test('what is no failure of the provider is not tried again', async () => {
    const ours = new Error('ours');
    const { provider, calls } = failing(ours);
    await expect(withRetry(provider, rules).head({ id: 'x' }, never)).rejects.toBe(ours);
    expect(calls()).toBe(1);
  });

  test('a cancelled wait ends with the reason', async () => {
    const { provider } = failing(failure('busy'));
    const control = new AbortController();
    const reason = new Error('cancelled');
    const work = withRetry(provider, { firstDelay: 3_600_000, greatestDelay: 3_600_000 }).head({ id: 'x' }, control.signal);
    setImmediate(() => control.abort(reason));
    await expect(work).rejects.toBe(reason);
  });

  test('delays double up to the greatest, with jitter on top of what was asked', () => {
    const at = (failures: number, retryAfter: number, random: number) =>
      retryDelay(failures, retryAfter, { ...rules, random: () => random });
    expect([at(1, 0, 0), at(1, 0, 1), at(2, 0, 1), at(9, 0, 1), at(1, 1000, 1)]).toEqual([50, 100, 200, 300, 1050]);
  });
});

describe('pacing', () => {
  test('the interval grows while the provider asks for patience, for all calls, and shrinks after', async () => {
    let clock = 0;
    const starts: number[] = [];
    const answers: (Error | null)[] = [failure('busy'), failure('busy', { retryAfter: 500 }), null, null, null, null, null];
    const provider = withPacing(
      {
        ...createInMemoryProvider(),
        async head() {
          starts.push(clock);
          const answer = answers.shift();
          if (answer) throw answer;
          return null;
        },
      },
      {
        least: 0,
        first: 40,
        most: 1000,
        now: () => clock,
        sleep: async (ms) => {
          clock += ms;
        },
      },
    );
    for (let call = 0; call < 7; call++) await provider.head({ id: 'x' }, never).catch(() => undefined);
    expect(starts).toEqual([0, 40, 540, 620, 660, 680, 690]);
  });
});

describe('the log', () => {
  test('has codes, paths and numbers, never a handle or a message', async () => {
    const reports: CallReport[] = [];
    const provider = withLogging(
      createInMemoryProvider(),
      (report) => reports.push(report),
      () => 1,
    );
    await store(provider, 'folder/file', randomBytes(1500));
    const refused = { ...createInMemoryProvider(), head: () => Promise.reject(failure('full', { answered: 'QuotaExceeded 403' })) };
    await withLogging(
      refused,
      (report) => reports.push(report),
      () => 1,
    )
      .head({ id: 'folder/file' }, never)
      .catch(() => undefined);
    expect(reports).toEqual([
      { call: 'begin', subject: 'folder/file', milliseconds: 0 },
      { call: 'putPart', subject: 'part 1', milliseconds: 0 },
      { call: 'putPart', subject: 'part 2', milliseconds: 0 },
      { call: 'complete', subject: '2 parts', milliseconds: 0 },
      { call: 'head', subject: 'folder/file', milliseconds: 0, failure: 'full (QuotaExceeded 403)' },
    ]);
  });
});

describe('the speed limit', () => {
  test('is shared by parts that are sent and ranges that are read', async () => {
    let clock = 0;
    const provider = withSpeedLimit(createInMemoryProvider(), {
      bytesPerSecond: () => 1000,
      now: () => clock,
      sleep: async (ms) => {
        clock += ms;
      },
    });
    const bytes = randomBytes(2000);
    const { object } = await store(provider, 'slow', bytes);
    expect(clock).toBe(2000);
    expect((await buffer(await provider.openRange({ id: object.id }, never))).equals(bytes)).toBe(true);
    expect(clock).toBe(4000);
  });

  test('an error of the source arrives', async () => {
    const provider = withSpeedLimit(createInMemoryProvider(), { bytesPerSecond: () => 0 });
    const ours = new Error('ours');
    const open = () =>
      new Readable({
        read() {
          this.destroy(ours);
        },
      });
    const { handle } = await provider.begin(
      { path: 'x', size: 5, modified: new Date(), contentType: 'a/b', digests: {}, save: async () => {} },
      never,
    );
    await expect(provider.putPart({ handle, number: 1, size: 5, offset: 0, digests: {}, open }, never)).rejects.toBe(ours);
  });
});
