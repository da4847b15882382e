import { expect, test } from 'vitest';
import { ServiceError, TransferError } from '#client/errors.ts';
import { type Outcome, settle } from '#engine/transfer/pipeline/settle.ts';
import type { FileRecord } from '#engine/transfer/record.ts';
import type { TransferCause } from '#protocol/agent/remedy.ts';
import { type HostedErrorName, hostedErrors } from '#protocol/errors/hosted.ts';

const [first, second, third] = [1, 2, 3].map((id) => ({ id }) as FileRecord) as [FileRecord, FileRecord, FileRecord];
const done = (file: FileRecord): Outcome => ({ file, is: 'done' });
const missed = (file: FileRecord): Outcome => ({ file, is: 'missed' });
const failed = (file: FileRecord, error: unknown): Outcome => ({ file, is: 'failed', error });
const nothing = { retries: [], pauseAfter: null, failed: [], ends: null };

const ofStorage = (code: TransferCause): TransferError => new TransferError(code, code);
const ofService = (name: HostedErrorName): ServiceError => new ServiceError(name, {}, { answered: 400 });
const bug = new TypeError('a fault of ours');

const causes: Record<TransferCause, 'pauses' | 'at once'> = {
  unreachable: 'pauses',
  cut: 'pauses',
  stalled: 'pauses',
  wrong_answer: 'pauses',
  address_refused: 'at once',
  upload_gone: 'at once',
  object_gone: 'at once',
  storage_busy: 'pauses',
  storage_failed: 'pauses',
  storage_full: 'pauses',
  storage_refused: 'at once',
  chunk_mismatch: 'at once',
  line_damages: 'pauses',
  chunk_spoiled: 'at once',
  digest_mismatch: 'at once',
  file_changed: 'at once',
  source_gone: 'at once',
  source_unreadable: 'at once',
  target_exists: 'at once',
  target_unwritable: 'at once',
  disk_full: 'at once',
};

test.each(Object.entries(causes) as [TransferCause, 'pauses' | 'at once'][])('%s of the storage or a disk: %s', (code, pause) => {
  const error = ofStorage(code);
  const pauseAfter = pause === 'pauses' ? { error } : null;
  expect(settle({ files: [failed(first, error)], lost: null })).toEqual({ ...nothing, failed: [failed(first, error)] });
  const ofOne = settle({ files: [done(first), failed(second, error), missed(third)], lost: null });
  expect([ofOne.retries, ofOne.pauseAfter?.error ?? null, ofOne.ends]).toEqual([[second, third], pauseAfter?.error ?? null, null]);
  const ofAll = settle({ files: [missed(first), missed(second)], lost: { error } });
  expect(ofAll).toEqual({ ...nothing, retries: [first, second], pauseAfter });
});

/** All others end one file alone. */
const endTransfer: readonly HostedErrorName[] = [
  'credential_missing',
  'credential_invalid',
  'mfa_enrolment_required',
  'sso_required',
  'key_suspended',
  'team_inactive',
  'not_allowed',
  'link_password_wrong',
  'link_code_required',
  'link_code_wrong',
  'link_code_over',
  'portal_closed',
  'not_found',
  'link_expired',
  'link_inactive',
  'link_used_up',
  'package_expired',
  'package_quarantined',
  'package_deleted',
  'state_conflict',
];

test('an error of the service ends the transfer where a file alone or a whole batch meets it, and nothing where one of many does', () => {
  const names = Object.keys(hostedErrors) as HostedErrorName[];
  const ended = (lost: boolean): HostedErrorName[] =>
    names.filter((name) => {
      const error = ofService(name);
      const { ends } = lost
        ? settle({ files: [missed(first), missed(second)], lost: { error } })
        : settle({ files: [failed(first, error)], lost: null });
      // The same object: what the transfer comes to is looked up in it.
      if (ends) expect(ends.error).toBe(error);
      return ends !== null;
    });
  expect(ended(false).sort()).toEqual([...endTransfer].sort());
  expect(ended(true).sort()).toEqual([...endTransfer].sort());
  for (const name of names) {
    expect(settle({ files: [failed(first, ofService(name)), done(second)], lost: null })).toMatchObject({ retries: [first], ends: null });
  }
});

test('a fault of ours ends the transfer, of a file alone as of a request', () => {
  expect(settle({ files: [failed(first, bug)], lost: null }).ends).toMatchObject({ error: bug });
  expect(settle({ files: [missed(first), missed(second)], lost: { error: bug } }).ends).toEqual({ error: bug });
});

test('a pause is for what goes again, and once', () => {
  const [busy, cut] = [ofStorage('storage_busy'), ofStorage('cut')];
  expect(settle({ files: [done(first), done(second)], lost: { error: busy } })).toEqual(nothing);
  const both = settle({ files: [failed(first, ofStorage('object_gone')), failed(second, cut), failed(third, busy)], lost: null });
  expect([both.retries.length, both.pauseAfter?.error]).toEqual([3, cut]);
});

test('one file that came to nothing is a fault', () => {
  expect(settle({ files: [done(first)], lost: null })).toEqual(nothing);
  expect(() => settle({ files: [missed(first)], lost: null })).toThrow('come to nothing');
});
