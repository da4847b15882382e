import { expect, it } from 'vitest';
import { createPermits } from '#service/transfers/delivery/permits.ts';

/** See service/transfers/delivery/permits.ts. */

const signal = new AbortController().signal;

it('releases a permit while its owner asks nothing of the provider', async () => {
  const permits = createPermits(1);
  const note = Promise.withResolvers<void>();
  const one = await permits.acquire(signal);
  const lent = one.releaseDuring(() => note.promise);
  const other = await permits.acquire(signal);
  note.resolve();
  let isBack = false;
  const back = lent.then(() => {
    isBack = true;
  });
  await new Promise(setImmediate);
  expect(isBack).toBe(false);
  other.release();
  await back;
  one.release();
  await permits.acquire(signal);
});

it('is free again after a note that failed', async () => {
  const permits = createPermits(1);
  const one = await permits.acquire(signal);
  await expect(one.releaseDuring(() => Promise.reject(new Error('no database')))).rejects.toThrow('no database');
  one.release();
  await permits.acquire(signal);
});

it('gives nobody a permit after the end, and keeps none', async () => {
  const permits = createPermits(1);
  const stop = new AbortController();
  const one = await permits.acquire(signal);
  const late = permits.acquire(stop.signal);
  stop.abort(new Error('cancelled'));
  one.release();
  await expect(late).rejects.toThrow('cancelled');
  await permits.acquire(signal);
});
