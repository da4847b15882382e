import { describe, expect, it } from 'vitest';
import { createProgress, progressLine } from '#main/cli/progress.ts';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import { fakeTransfer } from '../../../support/engine/fake-engine.ts';

const going = fakeTransfer({
  bytes: 1_200_000_000,
  total_bytes: 3_400_000_000,
  bytes_per_second: 312e6,
  seconds_left: 7,
  files: 12,
  total_files: 40,
});

describe('a line of progress', () => {
  it.each<[string, Partial<AgentTransfer>, string]>([
    ['sending', {}, 'Sending 35%  1.20 GB of 3.40 GB, 12 of 40 files, 312 MB/s, 7 s left'],
    ['receiving', { kind: 'download' }, 'Receiving 35%  1.20 GB of 3.40 GB, 12 of 40 files, 312 MB/s, 7 s left'],
    ['sending without a guess', { seconds_left: null }, 'Sending 35%  1.20 GB of 3.40 GB, 12 of 40 files, 312 MB/s'],
    ['nothing has moved', { bytes: 0, bytes_per_second: 0 }, 'Preparing  (0%  0 B of 3.40 GB, 12 of 40 files)'],
    ['it goes on', { bytes_per_second: 0, starting: true }, 'Starting  (35%  1.20 GB of 3.40 GB, 12 of 40 files)'],
    ['nothing moves', { bytes_per_second: 0 }, 'Nothing moves at the moment  (35%  1.20 GB of 3.40 GB, 12 of 40 files)'],
    ['all has moved', { bytes: 3.4e9, bytes_per_second: 0 }, 'Completing  (100%  3.40 GB of 3.40 GB, 12 of 40 files)'],
    [
      'more may be found',
      { total_grows: true, seconds_left: null },
      'Sending 1.20 GB of more than 3.40 GB, 12 of more than 40 files, 312 MB/s',
    ],
    ['a file has become larger', { share: 0.41 }, 'Sending 41%  1.20 GB of 3.40 GB, 12 of 40 files, 312 MB/s, 7 s left'],
    ['scanning', { total_files: 0 }, 'Looking at what is to be sent'],
    ['opening', { total_files: 0, kind: 'download' }, 'Opening the link'],
    ['queued', { state: 'queued' }, 'Waiting for its turn'],
    [
      'waiting',
      { waiting: { reason: 'The service cannot be reached; trying again in 12 s' } },
      'Waiting: The service cannot be reached; trying again in 12 s  (35%  1.20 GB of 3.40 GB, 12 of 40 files)',
    ],
    ['paused', { state: 'paused' }, 'Paused  (35%  1.20 GB of 3.40 GB, 12 of 40 files)'],
    ['idle', { state: 'idle' }, 'All sent, waiting to be finalized  (35%  1.20 GB of 3.40 GB, 12 of 40 files)'],
    ['complete', { state: 'complete' }, 'Sent 40 files, 3.40 GB'],
    ['cancelled', { state: 'cancelled' }, 'Cancelled'],
    ['failed', { state: 'error', error: { code: 1, message: 'The disk\nis full.', retryable: true } }, 'Failed: The disk\ufffdis full.'],
    ['more than all', { bytes: 4e9 }, 'Sending 100%  4.00 GB of 3.40 GB, 12 of 40 files, 312 MB/s, 7 s left'],
    ['empty', { bytes: 0, total_bytes: 0 }, 'Sending 0%  0 B of 0 B, 12 of 40 files, 312 MB/s, 7 s left'],
  ])('when %s', (_, changes, line) => {
    expect(progressLine({ ...going, ...changes })).toBe(line);
  });
});

function sink(isTTY: boolean, columns?: number) {
  const written: string[] = [];
  return { written, isTTY, columns, write: (text: string) => written.push(text) };
}

describe('progress on a terminal', () => {
  it('writes one line over, within its width, and takes it away', () => {
    const terminal = sink(true, 30);
    const progress = createProgress(terminal);
    progress.show(going);
    progress.show(going);
    progress.end();
    progress.end();
    expect(terminal.written).toEqual(['\r\u001b[KSending 35%  1.20 GB of 3.40…', '\r\u001b[K']);
  });
});

describe('progress in a file', () => {
  it('is a line now and then, and whenever something else begins', () => {
    const file = sink(false);
    let now = 0;
    const progress = createProgress(file, () => now);
    const show = (at: number, changes: Partial<AgentTransfer>) => {
      now = at;
      progress.show({ ...going, ...changes });
    };
    show(0, {});
    show(500, { bytes: 1_300_000_000 });
    show(1_000, { waiting: { reason: 'No answer; again in 12 s' } });
    show(2_000, { waiting: { reason: 'No answer; again in 11 s' } });
    show(3_000, {});
    show(13_000, {});
    show(14_000, { state: 'complete' });
    progress.end();
    expect(file.written.map((line) => line.split(/[ \n]/)[0])).toEqual(['Sending', 'Waiting:', 'Sending', 'Sending', 'Sent']);
    expect(file.written.join('')).not.toContain('\u001b');
  });
});
