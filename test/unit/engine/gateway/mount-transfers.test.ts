import { expect, test } from 'vitest';
import type { Engine } from '#engine/engine.ts';
import type { FromMount, Work } from '#engine/gateway/mount-process/messages.ts';
import { createMountTransfers, type MountTransfers } from '#engine/gateway/mount-process/transfers.ts';
import { createFakeClock } from '#test/support/clock/fake-clock.ts';
import { unlimited } from '#test/support/engine/mount-process.ts';

/** What the process of a mount says of a transfer, by an engine that the test plays. */

const work: Work = { kind: 'deliver', transferId: 'transfer', packageId: 'package', token: 'token', target: 'In/Day' };
const renamed = { total: 120, first: [{ from: 'Day/A.txt', to: 'Day/A (2).txt' }] };

interface Played {
  readonly transfers: MountTransfers;
  readonly sent: FromMount[];
  /** How often all were tried again at once. */
  readonly tries: () => number;
}

async function played(
  transfer: object,
  own: object = renamed,
  left: readonly { readonly id: string; readonly state: string }[] = [],
): Promise<Played> {
  const sent: FromMount[] = [];
  let tries = 0;
  const engine = {
    rateLimits: { set: async () => undefined },
    transfers: {
      get: async () => transfer,
      list: async (_: 'all', { state }: { state: readonly string[] }) => ({ records: left.filter((one) => state.includes(one.state)) }),
      renamed: async () => own,
      async tryNow() {
        tries++;
      },
    },
    events: {
      async *subscribe(_: null, signal: AbortSignal) {
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
      },
    },
    close: async () => undefined,
  } as unknown as Engine;
  const transfers = await createMountTransfers({
    ...{ root: '/nas', readOnly: false, serviceUrl: 'http://127.0.0.1:9', clock: createFakeClock() },
    limits: { upload: unlimited, download: unlimited },
    openEngine: async () => engine,
    send: (message) => void sent.push(message),
    look: () => ({ state: 'ok', freeBytes: 500 }),
  });
  await transfers.begin(work);
  await new Promise((resolve) => setImmediate(resolve));
  return { transfers, sent, tries: () => tries };
}

async function reportsOf(transfer: object, own?: object): Promise<FromMount[]> {
  const { transfers, sent } = await played(transfer, own);
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

test('what an earlier process has begun is told of, so that the service can say that it is over', async () => {
  const left = ['queued', 'transferring', 'paused', 'complete', 'cancelled', 'error'].map((state) => ({ id: state, state }));
  const { transfers, sent } = await played({ id: 'transfer', state: 'transferring', ...progress }, renamed, left);
  expect(sent[0]).toEqual({ type: 'unfinished', transferIds: ['queued', 'transferring', 'paused'] });
  await transfers.close();
});

test('what waits for room is tried again once there is more than before, and only then', async () => {
  const waiting = { reason: 'The disk has too little room.', cause: 'disk_full' };
  const { transfers, tries } = await played({ id: 'transfer', state: 'transferring', waiting, ...progress });
  const triesAt = (freeBytes: number | null): number => {
    transfers.isWell(freeBytes);
    return tries();
  };
  expect([triesAt(500), triesAt(400), triesAt(401), triesAt(401), triesAt(null), triesAt(9_000)]).toEqual([0, 0, 1, 1, 1, 1]);
  await transfers.close();
});
