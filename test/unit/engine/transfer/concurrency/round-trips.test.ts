import { expect, test } from 'vitest';
import { batchesInProgress, farRoundTripMs } from '#engine/transfer/concurrency/limits.ts';
import { createRoundTrips } from '#engine/transfer/concurrency/round-trips.ts';

const request = { method: 'GET', url: 'http://s/', headers: {} };

/** Calls that take so long, one after the other. */
async function after(...milliseconds: readonly number[]): Promise<number> {
  let now = 0;
  const times = [...milliseconds];
  const { fetcher, batches } = createRoundTrips(
    async () => {
      now += times.shift()!;
      return { status: 200, headers: {}, text: '' };
    },
    () => now,
  );
  for (const _ of milliseconds) await fetcher(request);
  return batches();
}

test('a line is far once every call has taken long', async () => {
  expect(await after(farRoundTripMs)).toBe(batchesInProgress.far);
  expect(await after(farRoundTripMs * 9, farRoundTripMs * 2)).toBe(batchesInProgress.far);
});

test('a line is near before it is known, and as soon as one call was quick', async () => {
  expect(await after()).toBe(batchesInProgress.near);
  expect(await after(farRoundTripMs * 9, farRoundTripMs - 1, farRoundTripMs * 9)).toBe(batchesInProgress.near);
});
