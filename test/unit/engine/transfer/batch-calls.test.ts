import { beforeEach, describe, expect, test } from 'vitest';
import { ServiceError, TransferError } from '#client/errors.ts';
import { createActivity } from '#engine/transfer/activity.ts';
import { type BatchCalls, createBatchCalls, pauseAfter } from '#engine/transfer/batch-calls.ts';
import type { WeightedSemaphore } from '#engine/transfer/concurrency/weighted-semaphore.ts';
import { createMovements } from '#engine/transfer/movements.ts';

let stop: AbortController;
/** Milliseconds of each wait, and the permits taken meanwhile. */
let waits: [number, number][];
let taken: number;
let calls: BatchCalls;
let pause: (error: unknown) => Promise<void>;

beforeEach(() => {
  stop = new AbortController();
  waits = [];
  taken = 0;
  const semaphore: WeightedSemaphore = {
    async acquire(weight) {
      taken += weight;
      return () => {
        taken -= weight;
      };
    },
  };
  const sleep = async (milliseconds: number): Promise<void> => void waits.push([milliseconds, taken]);
  const now = (): number => 0;
  const clock = { now, after: () => () => {} };
  const context = {
    activity: createActivity({ bytes: 0, files: 0, now, changed: () => {} }),
    clock,
    random: () => 0,
    signal: stop.signal,
    sleep,
    retries: { sleep, random: () => 0, now },
    through: <G>(gate: G): G => gate,
    movements: createMovements(clock),
  };
  calls = createBatchCalls(semaphore, context, 5);
  pause = (error) => pauseAfter(context, error);
});

const busy = (seconds: number): TransferError => new TransferError('storage_busy', 'Busy.', { retryAfter: seconds });
const refused = (name: 'credential_invalid' | 'no_such_endpoint'): ServiceError =>
  new ServiceError(name, { header: 'X-Package-Token', method: 'POST', path: '/' }, { answered: 401 });

/** Fails with these, one after the other, and then answers. */
const failing =
  (...errors: unknown[]) =>
  async (): Promise<string> => {
    if (errors.length > 0) throw errors.shift();
    expect(taken).toBe(5);
    return 'answered';
  };

describe('a call for a group', () => {
  test('is made again when it was said; while that is long, its permits are free for others', async () => {
    expect(await calls.ask(failing(busy(7), busy(36)))).toBe('answered');
    expect(waits).toEqual([
      [7_000, 5],
      [36_000, 0],
    ]);
    expect(taken).toBe(0);
  });

  test('that is refused is left to each of them, unless that holds for the transfer', async () => {
    expect(await calls.ask(failing(refused('no_such_endpoint')))).toBeNull();
    await expect(calls.ask(failing(refused('credential_invalid')))).rejects.toMatchObject({ error: 'credential_invalid' });
    await expect(calls.ask(failing(new TypeError('a fault of ours')))).rejects.toThrow('a fault of ours');
    expect([waits, taken]).toEqual([[], 0]);
  });

  test('ends with the signal', async () => {
    const asking = calls.ask(async () => {
      stop.abort(new Error('stopped'));
      throw busy(1);
    });
    await expect(asking).rejects.toThrow('stopped');
  });
});

describe('after work that is not done again', () => {
  test('what passes by itself is waited for as one file would, without permits', async () => {
    await pause(busy(36));
    await pause(new TransferError('cut', 'The connection broke.'));
    await pause(new TransferError('storage_full', 'No room.'));
    expect(waits).toEqual([
      [36_000, 0],
      [200, 0],
      [30_000, 0],
    ]);
  });

  test('permits are taken for it, and given back whatever comes of it', async () => {
    await expect(calls.once(failing(busy(1)))).rejects.toMatchObject({ code: 'storage_busy' });
    expect(taken).toBe(0);
    expect(await calls.once(failing())).toBe('answered');
    expect(taken).toBe(0);
  });
});
