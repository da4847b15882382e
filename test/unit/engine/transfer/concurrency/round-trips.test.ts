import { expect, test } from 'vitest';
import { batchesInProgress, farRoundTripMs } from '#engine/transfer/concurrency/limits.ts';
import { createRoundTrips } from '#engine/transfer/concurrency/round-trips.ts';

const request = { method: 'GET', url: 'http://s/', headers: {} };

/** Calls that take so long, one after the other. */
async function after(milliseconds: readonly number[], by: 'fetcher' | 'stream' = 'fetcher'): Promise<number> {
  let now = 0;
  const times = [...milliseconds];
  const answered = { status: 200, headers: {}, text: '' };
  const { fetcher, stream, batches, leastMs } = createRoundTrips(
    {
      async fetcher() {
        now += times.shift()!;
        return answered;
      },
      async stream(_, take) {
        now += times.shift()!;
        for (const piece of [1, 2]) {
          await take(Buffer.of(piece), 2);
          now += 1_000;
        }
        return answered;
      },
    },
    () => now,
  );
  expect(leastMs()).toBeNull();
  for (const _ of milliseconds) await (by === 'fetcher' ? fetcher(request) : stream(request, async () => undefined));
  if (milliseconds.length > 0) expect(leastMs()).toBe(Math.min(...milliseconds));
  return batches();
}

test('a line is far once every call has taken long', async () => {
  expect(await after([farRoundTripMs])).toBe(batchesInProgress.far);
  expect(await after([farRoundTripMs * 9, farRoundTripMs * 2])).toBe(batchesInProgress.far);
});

test('of an answer that is read as it comes the first piece tells', async () => {
  expect(await after([farRoundTripMs], 'stream')).toBe(batchesInProgress.far);
  expect(await after([farRoundTripMs - 1], 'stream')).toBe(batchesInProgress.near);
});

test('a line is near before it is known, and as soon as one call was quick', async () => {
  expect(await after([])).toBe(batchesInProgress.near);
  expect(await after([farRoundTripMs * 9, farRoundTripMs - 1, farRoundTripMs * 9])).toBe(batchesInProgress.near);
});
