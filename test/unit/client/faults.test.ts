import { describe, expect, test } from 'vitest';
import { MoveError, type MoveErrorCode, ServiceError } from '#client/errors.ts';
import { passesByItself, type Remedy, remedyFor } from '#client/faults.ts';
import { ApiError, type ErrorName, errorCatalogue } from '#protocol/errors.ts';

const kinds: Record<Remedy['kind'], readonly ErrorName[]> = {
  again_soon: ['service_unreachable', 'storage_unavailable', 'rate_limited', 'internal', 'unavailable'],
  again_after: [],
  new_blueprints: ['signature_invalid', 'blueprint_expired'],
  restart_chunk: ['chunk_wrong'],
  restart_file: ['no_such_upload'],
  needs_person: [
    'credential_missing',
    'credential_invalid',
    'wrong_password',
    'key_suspended',
    'team_inactive',
    'not_allowed',
    'link_password_wrong',
    'access_code_wrong',
    'portal_closed',
    'session_is_nil',
    'session_expired',
    'storage_full',
    'storage_read_only',
  ],
  never: [],
};
const sorted = new Map(Object.entries(kinds).flatMap(([kind, names]) => names.map((name) => [name, kind])));

describe('errors of the catalogue', () => {
  test.each(Object.keys(errorCatalogue) as ErrorName[])('%s', (name) => {
    expect(remedyFor(new ApiError(name)).kind).toBe(sorted.get(name) ?? 'never');
  });
});

const moves: Record<MoveErrorCode, Remedy> = {
  unreachable: { kind: 'again_soon' },
  cut: { kind: 'again_soon' },
  stalled: { kind: 'again_soon' },
  wrong_answer: { kind: 'again_soon' },
  address_refused: { kind: 'new_blueprints' },
  upload_gone: { kind: 'restart_file' },
  object_gone: { kind: 'never' },
  storage_busy: { kind: 'again_soon' },
  storage_failed: { kind: 'again_soon' },
  storage_full: { kind: 'needs_person', lookAgain: 30 },
  storage_refused: { kind: 'never' },
  chunk_mismatch: { kind: 'restart_chunk' },
  chunk_spoiled: { kind: 'needs_person', lookAgain: null },
  digest_mismatch: { kind: 'never' },
  file_changed: { kind: 'needs_person', lookAgain: null },
  source_gone: { kind: 'needs_person', lookAgain: 30 },
  source_unreadable: { kind: 'needs_person', lookAgain: 30 },
  target_exists: { kind: 'needs_person', lookAgain: null },
  target_unwritable: { kind: 'needs_person', lookAgain: 30 },
  disk_full: { kind: 'needs_person', lookAgain: 30 },
};

test.each(Object.entries(moves))('moving bytes: %s', (code, remedy) => {
  expect(remedyFor(new MoveError(code as MoveErrorCode, 'It failed.'))).toEqual(remedy);
});

describe('what was asked for', () => {
  test.each([
    [new MoveError('storage_busy', 'Busy.', { retryAfter: 7 }), { kind: 'again_after', seconds: 7 }],
    [new ServiceError('rate_limited', {}, { answered: 429, retryAfter: 3 }), { kind: 'again_after', seconds: 3 }],
    [new ServiceError('rate_limited', {}, { answered: 429, retryAfter: 1e9 }), { kind: 'again_after', seconds: 86_400 }],
    [new ServiceError('not_found', {}, { answered: 404, retryAfter: 3 }), { kind: 'never' }],
  ])('%s', (error, remedy) => {
    expect(remedyFor(error)).toEqual(remedy);
  });
});

test.each([
  [200, 'never'],
  [404, 'never'],
  [408, 'again_soon'],
  [429, 'again_soon'],
  [500, 'again_soon'],
  [502, 'again_soon'],
])('an answer that is not the catalogue’s goes by its status: %i', (answered, kind) => {
  expect(remedyFor(new ServiceError('service_refused', {}, { answered })).kind).toBe(kind);
});

test.each([[new Error('a fault of ours')], ['text'], [undefined]])('anything else is not tried again: %s', (error) => {
  expect(remedyFor(error)).toEqual({ kind: 'never' });
});

test('only a person and never do not pass by themselves', () => {
  expect(passesByItself({ kind: 'again_soon' })).toBe(true);
  expect(passesByItself({ kind: 'restart_file' })).toBe(true);
  expect(passesByItself({ kind: 'needs_person', lookAgain: 30 })).toBe(false);
  expect(passesByItself({ kind: 'never' })).toBe(false);
});
