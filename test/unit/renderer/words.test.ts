import { describe, expect, it } from 'vitest';
import { type AgentTransfer, transferStates } from '#protocol/agent/transfers.ts';
import {
  announcement,
  doneShare,
  filesWords,
  removalQuestion,
  sizeWords,
  speedWords,
  stateWords,
  timeLeftWords,
} from '#renderer/transfers/words.ts';
import { sampleTransfer } from '#test/support/samples.ts';

const now = new Date('2026-11-20T08:00:00.000Z');

describe('sizeWords', () => {
  it.each([
    [0, '0 bytes'],
    [1, '1 byte'],
    [999, '999 byte'],
    [1_000, '1 kB'],
    [18_340, '18.3 kB'],
    [118_400_000_000, '118 GB'],
    [1e15, '1 PB'],
    [5e18, '5,000 PB'],
  ])('%d', (bytes, words) => {
    expect(sizeWords(bytes, 'en-GB')).toContain(words);
  });

  it('has a unit with a speed', () => {
    expect(speedWords(112_345_678.9, 'en-GB')).toBe('112 MB/s');
  });
});

describe('timeLeftWords', () => {
  it.each([
    [0.4, 'almost done'],
    [1, '1 s left'],
    [89.2, '90 s left'],
    [90, '2 min left'],
    [5_340, '89 min left'],
    [7_200, '2 h left'],
    [12_000, '3 h 20 min left'],
    [259_200, '3 days left'],
  ])('%d seconds', (seconds, words) => {
    expect(timeLeftWords(seconds)).toBe(words);
  });
});

it('filesWords counts one and many', () => {
  expect([filesWords(1, 'en-GB'), filesWords(12_400, 'en-GB')]).toEqual(['1 file', '12,400 files']);
});

describe('doneShare', () => {
  it.each([
    ['bytes', { bytes: 25, total_bytes: 100 }, 0.25],
    ['all sent but not complete', { bytes: 100, total_bytes: 100 }, 0.999],
    ['complete', { state: 'complete', bytes: 100, total_bytes: 100 }, 1],
    ['more than was scanned', { bytes: 110, total_bytes: 100 }, 0.999],
    ['only empty files', { bytes: 0, total_bytes: 0, files: 1, total_files: 2 }, 0.5],
    ['nothing at all', { bytes: 0, total_bytes: 0, files: 0, total_files: 0 }, 0],
  ] as const)('%s', (_, change, share) => {
    expect(doneShare(sampleTransfer(change))).toBe(share);
  });
});

describe('stateWords', () => {
  it('has words for every state', () => {
    for (const state of transferStates) expect(stateWords(sampleTransfer({ state }), now).label).not.toBe('');
  });

  it.each([
    ['moving up', {}, { tone: 'moving', label: 'Sending', detail: '' }],
    ['moving down', { kind: 'download' }, { tone: 'moving', label: 'Receiving', detail: '' }],
    ['waiting', { waiting: { reason: 'the disk is full' } }, { tone: 'waiting', label: 'Waiting', detail: 'The disk is full.' }],
    [
      'failed',
      { state: 'error', error: { code: 1, message: 'it is gone.', retryable: false } },
      { tone: 'bad', label: 'Failed', detail: 'It is gone.' },
    ],
    [
      'failed without a reason',
      { state: 'error' },
      { tone: 'bad', label: 'Failed', detail: 'The agent gave no reason. Its log may have one.' },
    ],
    ['received', { state: 'complete', kind: 'download' }, { tone: 'good', label: 'Received', detail: '' }],
  ] as const)('%s', (_, change, words) => {
    expect(stateWords(sampleTransfer(change), now)).toEqual(words);
  });

  it('says the reason alone when the next attempt is near, and the time when it is far', () => {
    const detail = (until: string) =>
      stateWords(sampleTransfer({ waiting: { reason: 'it is full; trying again in 9 s.', until } }), now, 'en-GB').detail;
    expect(detail('2026-11-20T08:00:09.000Z')).toBe('It is full; trying again in 9 s.');
    expect(detail('2026-11-20T08:10:00.000Z')).toMatch(/^It is full; trying again in 9 s\. Next try at \d\d:\d\d\.$/);
  });
});

describe('removalQuestion', () => {
  const url = 'https://share.example.com/d/1?secret=2';
  it.each<[string, Partial<AgentTransfer>]>([
    ['a cancelled one', { state: 'cancelled' }],
    ['a finished download', { state: 'complete', kind: 'download' }],
    ['an upload that was mailed', { state: 'complete', url, links: [{ email: 'a@b.example', url }] }],
    ['an upload without a link', { state: 'complete', url: '' }],
  ])('asks nothing about %s', (_, change) => {
    expect(removalQuestion(sampleTransfer(change))).toBeNull();
  });

  it.each<[string, Partial<AgentTransfer>, RegExp]>([
    ['an upload under way', {}, /42 GB already sent will be deleted/],
    ['an upload that has sent nothing', { state: 'queued', bytes: 0 }, /Nothing has been sent yet/],
    ['a failed download', { state: 'error', kind: 'download' }, /Files that have arrived stay/],
    ['the only place of a link', { state: 'complete', url, links: [{ email: '', url }] }, /Copy the link first/],
  ])('says what is lost with %s', (_, change, text) => {
    expect(removalQuestion(sampleTransfer(change))?.text).toMatch(text);
  });

  it('cancels what is under way and removes what has failed', () => {
    expect(removalQuestion(sampleTransfer())).toMatchObject({ title: 'Cancel this upload?', confirm: 'Cancel upload' });
    expect(removalQuestion(sampleTransfer({ state: 'error' }))).toMatchObject({ title: 'Remove this failed upload?', confirm: 'Remove' });
  });
});

it('announces what came to an end, and nothing else', () => {
  const before = new Map([
    ['a', sampleTransfer({ id: 'a', name: 'A' })],
    ['b', sampleTransfer({ id: 'b', name: 'B' })],
  ]);
  const after = new Map([
    ['a', sampleTransfer({ id: 'a', name: 'A', state: 'complete' })],
    ['b', sampleTransfer({ id: 'b', name: 'B', bytes: 1 })],
    ['c', sampleTransfer({ id: 'c', name: 'C', state: 'complete' })],
  ]);
  expect(announcement(before, after)).toBe('A: sent.');
});
