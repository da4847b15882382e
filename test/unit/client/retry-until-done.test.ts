import { expect, test } from 'vitest';
import type { Remedy } from '#client/faults.ts';
import { backoffFor, type RetryRules, retryUntilDone } from '#client/retry-until-done.ts';

/** Work that fails some times; notes each pause. */
function failing(times: number, rules: Partial<RetryRules> = {}) {
  const pauses: (number | null)[] = [];
  let attempts = 0;
  const signal = rules.signal ?? new AbortController().signal;
  const result = retryUntilDone(
    async () => {
      attempts++;
      if (attempts <= times) throw new Error(`failure ${attempts}`);
      return 'done';
    },
    { signal, pauseAfter: (_, failures) => failures * 10, wait: async (pause) => void pauses.push(pause), ...rules },
  );
  return { result, pauses, attempts: () => attempts };
}

test('it counts the failures in a row, and waits after each', async () => {
  const { result, pauses } = failing(3);
  expect(await result).toBe('done');
  expect(pauses).toEqual([10, 20, 30]);
});

test('after progress it counts from one again', async () => {
  let answers = 0;
  const { result, pauses } = failing(4, { moved: () => ++answers === 3 });
  await result;
  expect(pauses).toEqual([10, 20, 10, 20]);
});

test('what never helps is thrown at once', async () => {
  const { result, attempts } = failing(3, { pauseAfter: (_, failures) => (failures === 2 ? 'never' : 0) });
  await expect(result).rejects.toThrow('failure 2');
  expect(attempts()).toBe(2);
});

test('an end that was asked for is the reason, not the failure of the work', async () => {
  const stop = new AbortController();
  const duringWork = retryUntilDone(
    async () => {
      stop.abort(new Error('stopped'));
      throw new Error('cut off');
    },
    { signal: stop.signal, pauseAfter: () => 0, wait: async () => {} },
  );
  await expect(duringWork).rejects.toThrow('stopped');
  const later = new AbortController();
  const { result, attempts } = failing(3, { signal: later.signal, wait: async () => later.abort(new Error('stopped while it waited')) });
  await expect(result).rejects.toThrow('stopped while it waited');
  expect(attempts()).toBe(1);
});

const waits: readonly (readonly [Remedy, readonly (number | null)[]])[] = [
  [{ kind: 'retry_soon' }, [1_000, 2_000, 4_000]],
  [{ kind: 'restart_chunk' }, [1_000, 2_000, 4_000]],
  [{ kind: 'retry_after', seconds: 7 }, [7_000, 7_000, 7_000]],
  [{ kind: 'retry_after', seconds: 30, growsTo: 100 }, [30_000, 60_000, 100_000]],
  [{ kind: 'needs_person', recheckSeconds: 30 }, [null, null, null]],
  [{ kind: 'never' }, [null, null, null]],
];

test.each(waits)('the pauses for %o', (remedy, pauses) => {
  expect([1, 2, 3].map((failures) => backoffFor(remedy, failures, () => 0))).toEqual(pauses);
});

test('jitter shortens growth only, never what was asked for', () => {
  const remedy = { kind: 'retry_after', seconds: 30, growsTo: 300 } as const;
  expect(backoffFor(remedy, 9, () => 1)).toBe(165_000);
  expect(backoffFor(remedy, 1, () => 1)).toBe(30_000);
  expect(backoffFor(remedy, 9, () => 0, { grows: false })).toBe(30_000);
});
