import { describe, expect, it } from 'vitest';
import { transferStates } from '#protocol/agent/transfer-states.ts';
import { errorCatalogue } from '#protocol/errors.ts';
import { catalogues } from '#renderer/messages/catalogues.ts';
import { plainText } from '#renderer/messages/localized-text.ts';
import {
  announcement,
  describePartner,
  describeState,
  describeTotals,
  doneShare,
  factsOf,
  formatDuration,
  formatSpeed,
  formatTimeLeft,
  type TransferFormat,
} from '#renderer/transfers/describe-transfer.ts';
import { sampleTransfer } from '#test/support/browser/samples.ts';
import { createFormat, formatMoment } from '#ui/format.ts';
import type { Language } from '#ui/locale.ts';

function formatIn(language: Language, locale: string): TransferFormat {
  const messages = catalogues[language];
  return { ...createFormat({ messages, tag: locale }, messages.app.files), moment: (iso) => formatMoment(iso, now, locale) };
}

const now = new Date('2026-11-20T08:00:00.000Z');
const english = formatIn('en', 'en-GB');
const german = formatIn('de', 'de-DE');

it('a speed has a unit', () => {
  expect(formatSpeed(english, 112_345_678.9)).toBe('112 MB/s');
  expect(formatSpeed(german, 12_345_678.9)).toMatch(/^12,3\sMB\/s$/);
});

describe('formatTimeLeft', () => {
  it.each([
    [0.4, 'almost done'],
    [1, '1 s left'],
    [89.2, '90 s left'],
    [90, '2 min left'],
    [5_340, '89 min left'],
    [7_200, '2 h left'],
    [12_000, '3 h 20 min left'],
    [259_200, '3 days left'],
  ])('%d seconds', (seconds, messages) => {
    expect(formatTimeLeft(english, seconds)).toBe(messages);
  });
});

it.each([
  [4.25, '4.3 s'],
  [60, '60 s'],
  [600, '10 min'],
  [12_000, '3 h 20 min'],
])('%d seconds take %s', (seconds, messages) => {
  expect(formatDuration(english, seconds)).toBe(messages);
});

describe('doneShare', () => {
  it.each([
    ['bytes', { bytes: 25, total_bytes: 100 }, 0.25],
    ['all sent but not complete', { bytes: 100, total_bytes: 100 }, 0.999],
    ['complete', { state: 'complete', bytes: 100, total_bytes: 100 }, 1],
    ['more than was scanned', { bytes: 110, total_bytes: 100 }, 0.999],
    ['a file that has become larger', { bytes: 50, total_bytes: 200, share: 0.5 }, 0.5],
    ['only empty files', { bytes: 0, total_bytes: 0, files: 1, total_files: 2 }, 0.5],
    ['nothing at all', { bytes: 0, total_bytes: 0, files: 0, total_files: 0 }, 0],
  ] as const)('%s', (_, change, share) => {
    expect(doneShare(sampleTransfer(change))).toBe(share);
  });

  it('is unknown while more may be found, since it would go back', () => {
    expect(doneShare(sampleTransfer({ total_grows: true }))).toBeNull();
    expect(factsOf(english, sampleTransfer({ total_grows: true, seconds_left: null }), true)).toEqual([
      '42 GB of more than 118 GB',
      '112 MB/s',
    ]);
    expect(factsOf(german, sampleTransfer({ total_grows: true }), false)[0]).toMatch(/^42\sGB von mehr als 118\sGB$/);
  });
});

describe('describeState', () => {
  it('has a text for every state', () => {
    for (const state of transferStates) expect(describeState(german, sampleTransfer({ state }), now).label).not.toBe('');
  });

  it.each([
    ['moving up', {}, { tone: 'moving', label: 'Sending', detail: '' }],
    [
      'paused, and nearly through with a part',
      { state: 'paused', finishing: true },
      { tone: 'moving', label: 'Finishing', detail: 'Paused. What is nearly through still goes, for a few seconds.' },
    ],
    ['begun, and nothing has moved', { bytes: 0, bytes_per_second: 0 }, { tone: 'calm', label: 'Preparing', detail: '' }],
    ['going on after a pause', { bytes: 1, bytes_per_second: 0, starting: true }, { tone: 'calm', label: 'Starting', detail: '' }],
    ['through when it goes on', { bytes: 1e15, bytes_per_second: 0, starting: true }, { tone: 'moving', label: 'Completing', detail: '' }],
    ['standing', { bytes: 1, bytes_per_second: 0 }, { tone: 'waiting', label: 'Waiting', detail: 'Nothing moves at the moment.' }],
    ['through, but for its end', { bytes: 1e15, bytes_per_second: 0 }, { tone: 'moving', label: 'Completing', detail: '' }],
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
    [
      'failed with a cause',
      { state: 'error', error: { code: 1, message: 'It is gone.', retryable: false, cause: 'source_gone' } },
      { tone: 'bad', label: 'Failed', cause: 'Files not there any more', detail: 'It is gone.' },
    ],
    [
      'waiting for a person',
      { waiting: { reason: 'It is full.', cause: 'disk_full', needs_person: true } },
      { tone: 'bad', label: 'Needs you', cause: 'Disk full', detail: 'It is full.' },
    ],
    ['received', { state: 'complete', kind: 'download' }, { tone: 'good', label: 'Received', detail: '' }],
  ] as const)('%s', (_, change, messages) => {
    const { detail, ...others } = describeState(english, sampleTransfer(change), now);
    expect({ ...others, detail: plainText(detail) }).toEqual({ cause: '', ...messages });
  });

  it('of a transfer whose service cannot be reached says only that', () => {
    const waits = sampleTransfer({ state: 'queued', service_url: 'https://share.example.com' });
    const { detail, ...others } = describeState(english, waits, now, true);
    expect({ ...others, detail: plainText(detail) }).toEqual({
      tone: 'waiting',
      label: 'Waiting',
      cause: '',
      detail: 'share.example.com cannot be reached.',
    });
  });

  it('has the time of the next attempt only if that is far away', () => {
    const detail = (until: string) =>
      plainText(describeState(english, sampleTransfer({ waiting: { reason: 'it is full; trying again in 9 s.', until } }), now).detail);
    expect(detail('2026-11-20T08:00:09.000Z')).toBe('It is full. Trying again in 9 s.');
    expect(detail('2026-11-20T08:10:00.000Z')).toMatch(/^It is full\. Trying again in 9 s\. Next try at \d\d:\d\d\.$/);
  });
});

it('translates the agent’s reasons, and marks those without a translation', () => {
  const failed = { code: errorCatalogue.move_failed.code, message: 'Out of cheese.', retryable: true };
  expect(describeState(german, sampleTransfer({ state: 'error', error: failed }), now).detail).toEqual([
    { text: 'Die Daten einer Datei kamen nicht durch: ', english: false },
    { text: 'Out of cheese.', english: true },
  ]);
  expect(announcement(german, 'transferring', sampleTransfer({ name: 'A', state: 'error', error: failed }))).toContain('kamen nicht durch');
  const waiting = { reason: 'The storage is busy; trying again in 30 s.', until: '2026-11-20T08:10:00.000Z' };
  expect(plainText(describeState(german, sampleTransfer({ waiting }), now).detail)).toMatch(
    /^Der Speicher ist ausgelastet\. Nächster Versuch in 30 s\. .* \d\d:\d\d/,
  );
});

describe('factsOf', () => {
  it('have the speed only while events arrive and the transfer runs', () => {
    expect(factsOf(english, sampleTransfer(), true)).toEqual(['42 GB of 118 GB', '112 MB/s', '12 min left']);
    expect(factsOf(english, sampleTransfer(), false)).toEqual(['42 GB of 118 GB']);
    expect(factsOf(english, sampleTransfer({ waiting: { reason: 'full' } }), true)).toEqual(['42 GB of 118 GB']);
  });

  it('have no size before it is known', () => {
    expect(factsOf(english, sampleTransfer({ state: 'queued', bytes: 0, total_bytes: 0, total_files: 0 }), true)).toEqual([]);
  });
});

it('names the Team, the Portal, or the service that it comes from', () => {
  const team = (id: string) => (id === 'team-1' ? 'Harbour' : undefined);
  expect(describePartner(english, sampleTransfer(), team)).toBe('Harbour');
  expect(describePartner(english, sampleTransfer({ team_id: 'gone' }), team)).toBe('');
  expect(describePartner(german, sampleTransfer({ team_id: '', portal: { id: 'p', name: 'Post' } }), team)).toBe('Portal Post');
  expect(describePartner(english, sampleTransfer({ team_id: '', portal: { id: 'p', name: '' } }), team)).toBe('a Portal');
  expect(describePartner(english, sampleTransfer({ kind: 'download', url: 'https://share.example.com/d/1' }), team)).toBe(
    'share.example.com',
  );
});

it('announces ends, and nothing else', () => {
  expect(announcement(english, 'transferring', sampleTransfer({ name: 'A', state: 'complete' }))).toBe('A: sent.');
  expect(announcement(german, 'transferring', sampleTransfer({ name: 'A', state: 'cancelled' }))).toBe('A: abgebrochen.');
  expect(announcement(english, 'queued', sampleTransfer({ name: 'A' }))).toBe('');
  expect(announcement(english, 'complete', sampleTransfer({ name: 'A', state: 'complete' }))).toBe('');
  expect(announcement(english, undefined, sampleTransfer({ name: 'A', state: 'complete' }))).toBe('');
});

describe('describeTotals', () => {
  const states = { queued: 1, transferring: 1, paused: 0, idle: 0, complete: 0, error: 0, cancelled: 0 };
  const of = (change: object) => ({ states, bytes_left: 2_300_000_000, upload_bps: 0, download_bps: 0, ...change });
  it.each([
    [{}, '2.3 GB to go', 'noch 2,3 GB'],
    [{ upload_bps: 6_000_000 }, '2.3 GB to go at 6 MB/s', 'noch 2,3 GB mit 6 MB/s'],
    [{ unmeasured: 2 }, '2.3 GB to go, and 2 not measured yet', 'noch 2,3 GB, dazu 2 noch nicht gemessen'],
    [{ bytes_left: 0, unmeasured: 1 }, '1 not measured yet', '1 noch nicht gemessen'],
    [{ bytes_left: 0 }, '', ''],
  ])('%o', (change, english_, german_) => {
    const spaces = (text: string) => text.replaceAll(/\s/g, ' ');
    expect([spaces(describeTotals(english, of(change), true)), spaces(describeTotals(german, of(change), true))]).toEqual([
      english_,
      german_,
    ]);
  });
});
