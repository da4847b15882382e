import { expect, test } from 'vitest';
import type { Engine } from '#engine/engine.ts';
import type { FromMount, Work } from '#engine/gateway/mount-process/messages.ts';
import { createMountTransfers } from '#engine/gateway/mount-process/transfers.ts';
import { createFakeClock } from '#test/support/clock/fake-clock.ts';
import { unlimited } from '#test/support/engine/mount-process.ts';

/** What the process of a mount says of a transfer, by an engine that the test plays. */

const work: Work = { kind: 'deliver', transferId: 'transfer', packageId: 'package', token: 'token', target: 'In/Day' };
const renamed = { total: 120, first: [{ from: 'Day/A.txt', to: 'Day/A (2).txt' }] };

async function reportsOf(transfer: object, own: object = renamed): Promise<FromMount[]> {
  const sent: FromMount[] = [];
  const engine = {
    rateLimits: { set: async () => undefined },
    transfers: { get: async () => transfer, renamed: async () => own },
    events: {
      async *subscribe(_: null, signal: AbortSignal) {
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
      },
    },
    close: async () => undefined,
  } as unknown as Engine;
  const transfers = await createMountTransfers({
    ...{
      root: '/nas',
      readOnly: false,
      serviceUrl: 'http://127.0.0.1:9',
      clock: createFakeClock(),
      limits: { upload: unlimited, download: unlimited },
    },
    openEngine: async () => engine,
    send: (message) => void sent.push(message),
    look: () => ({ state: 'ok', freeBytes: null }),
  });
  await transfers.begin(work);
  await new Promise((resolve) => setImmediate(resolve));
  await transfers.close();
  return sent;
}

const progress = { bytes: 10, total_bytes: 10, files: 2, total_files: 2 };

test('the end of a delivery has the names that the disk could not hold', async () => {
  const complete = { id: 'transfer', state: 'complete', ...progress };
  const report = { transferId: 'transfer', state: 'complete', error: '', progress };
  expect(await reportsOf(complete)).toEqual([{ type: 'report', report: { ...report, renamed } }]);
  expect(await reportsOf(complete, { total: 0, first: [] })).toEqual([{ type: 'report', report }]);
});
