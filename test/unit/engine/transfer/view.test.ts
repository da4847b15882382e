import { describe, expect, it } from 'vitest';
import { createActivity } from '#engine/transfer/activity.ts';
import type { UploadRecord } from '#engine/transfer/record.ts';
import { transferView } from '#engine/transfer/view.ts';

const upload: UploadRecord = {
  id: 'a',
  kind: 'upload',
  phase: { state: 'transferring' },
  name: 'Reel',
  priority: 'normal',
  position: 1,
  rateLimit: 0,
  bytes: 0,
  totalBytes: 1_000,
  files: 0,
  totalFiles: 1,
  createdAt: 1,
  updatedAt: 1,
  request: { serviceUrl: 'http://s', teamId: 'team', paths: ['/a'], description: '', recipients: [], autoFinalize: true },
  added: [],
  facts: { scanned: true, package: { state: 'open', id: 'p' } },
  secrets: {},
};
const unscanned = { ...upload.facts, scanned: false };
const growing = { ...upload.request, growing: { idleMs: 1_000, entry: 'clip.mov' } };

describe('a total that grows', () => {
  it.each<[string, Partial<UploadRecord>, true | undefined]>([
    ['all is scanned', {}, undefined],
    ['folders are still read', { facts: unscanned }, true],
    ['it was paused while they were', { facts: unscanned, phase: { state: 'paused', since: 1, until: null } }, true],
    ['its automation may add files', { facts: { ...upload.facts, collecting: true } }, true],
    ['its files are still written', { request: growing }, true],
    ['it is complete', { request: growing, phase: { state: 'complete', finishedAt: 2 } }, undefined],
    ['it was cancelled', { facts: unscanned, phase: { state: 'cancelled', finishedAt: 2 } }, undefined],
  ])('is told when %s', (_, change, grows) => {
    expect(transferView({ ...upload, ...change }, null, 1).total_grows).toBe(grows);
  });

  it('has a time left only by what was counted before', () => {
    let now = 0;
    const activity = createActivity({ bytes: 0, files: 0, now: () => now, changed: () => {} });
    const left = (change: Partial<UploadRecord>, expectedBytes: number | null) =>
      transferView({ ...upload, ...change }, activity, now, { expectedBytes }).seconds_left;
    const batch = activity.beginFiles([]);
    for (; now < 10_000; now += 1_000) batch.add(10_000);
    const known = left({ totalBytes: 200_000 }, null)!;
    expect(known).toBeGreaterThan(0);
    expect(left({ facts: unscanned }, null)).toBeNull();
    expect(left({ facts: unscanned }, 2_000_000)).toBeGreaterThan(known * 5);
  });
});
