import { describe, expect, test } from 'vitest';
import { StorageError, type StorageErrorCode } from '#storage/errors.ts';
import type { ObjectStorage } from '#storage/ports.ts';
import { type CallReport, withLogging } from '#storage/wrappers/logging.ts';
import { retryDelay, withRetry } from '#storage/wrappers/retry.ts';
import { startTestStorage } from '#test/support/local-storage.ts';
import { failureOf } from '#test/support/storage-conformance.ts';

/** Real storage whose `head` fails so and so often before it works. */
async function failing(
  times: number,
  code: StorageErrorCode,
  work: (storage: ObjectStorage, calls: () => number) => Promise<void>,
): Promise<void> {
  const running = await startTestStorage();
  let calls = 0;
  const storage: ObjectStorage = {
    ...running.storage,
    async head(key) {
      calls += 1;
      if (calls <= times) throw new StorageError(code, 'Not now.');
      return running.storage.head(key);
    },
  };
  await work(storage, () => calls);
  await running.close();
}

const rules = { attempts: 4, firstDelay: 100, greatestDelay: 300, random: () => 0.5 };

describe('retry', () => {
  test('asks again while the storage is not there, with growing delays', async () => {
    await failing(3, 'storage_unavailable', async (storage, calls) => {
      const delays: number[] = [];
      const patient = withRetry(storage, { ...rules, sleep: async (milliseconds) => void delays.push(milliseconds) });
      await patient.write('key', Buffer.from('x'));
      expect(await patient.head('key')).toMatchObject({ size: 1 });
      expect([calls(), delays]).toEqual([4, [75, 150, 225]]);
    });
  });

  test('gives up after its tries, with the last failure', async () => {
    await failing(9, 'storage_unavailable', async (storage, calls) => {
      expect(await failureOf(withRetry(storage, { ...rules, sleep: async () => {} }).head('key'))).toBe('storage_unavailable');
      expect(calls()).toBe(4);
    });
  });

  test.each(['storage_full', 'storage_refused', 'no_such_object'] as const)('tells of %s at once', async (code) => {
    await failing(1, code, async (storage, calls) => {
      expect(await failureOf(withRetry(storage, { ...rules, sleep: async () => {} }).head('key'))).toBe(code);
      expect(calls()).toBe(1);
    });
  });

  test.each([
    [2, 0, 50],
    [2, 1, 100],
    [3, 0, 100],
    [9, 1, 300],
  ])('before try %i, with chance %f, it waits %i ms', (attempt, chance, delay) => {
    expect(retryDelay(attempt, { ...rules, random: () => chance, sleep: async () => {} })).toBe(delay);
  });
});

describe('logging', () => {
  test('reports calls with their time, and failures with their error', async () => {
    await failing(1, 'storage_unavailable', async (storage) => {
      const reports: CallReport[] = [];
      let clock = 0;
      const logged = withLogging(
        storage,
        (call) => reports.push(call),
        () => {
          clock += 5;
          return clock;
        },
      );
      expect(await failureOf(logged.head('key'))).toBe('storage_unavailable');
      expect(await logged.head('key')).toBeNull();
      expect(reports).toMatchObject([
        { call: 'head', key: 'key', milliseconds: 5, error: { code: 'storage_unavailable' } },
        { call: 'head', key: 'key', milliseconds: 5 },
      ]);
      expect('error' in reports[1]!).toBe(false);
    });
  });
});
