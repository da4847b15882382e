import { describe, expect, test } from 'vitest';
import { ServiceError, TransferError } from '#client/errors.ts';
import * as faults from '#client/faults.ts';
import { passesByItself, personsRemedyFor, type Remedy, remedyFor } from '#client/faults.ts';
import { createHostedClient } from '#client/hosted.ts';
import { storageRefusal } from '#client/storage-answers.ts';
import type { TransferCause } from '#protocol/agent/remedy.ts';
import { AgentError, type ErrorName, errorCatalogue } from '#protocol/errors.ts';

const kinds: Record<Remedy['kind'], readonly ErrorName[]> = {
  retry_soon: [
    'sso_provider_failed',
    'request_stalled',
    'service_unreachable',
    'storage_unavailable',
    'rate_limited',
    'internal',
    'unavailable',
  ],
  retry_after: ['storage_refused', 'service_storage_full', 'service_database_full'],
  new_blueprints: ['signature_invalid', 'blueprint_expired'],
  restart_chunk: ['chunk_wrong'],
  restart_file: ['no_such_upload'],
  needs_person: [
    'credential_missing',
    'credential_invalid',
    'wrong_password',
    'mfa_required',
    'mfa_wrong',
    'mfa_enrolment_required',
    'sso_required',
    'sso_refused',
    'key_suspended',
    'team_inactive',
    'not_allowed',
    'link_password_wrong',
    'link_code_required',
    'link_code_wrong',
    'link_code_over',
    'access_code_wrong',
    'portal_closed',
    'session_is_nil',
    'session_expired',
    'storage_full',
    'storage_read_only',
    'agent_disk_full',
    'agent_state_unwritable',
    'team_storage_full',
    'portal_storage_full',
    'team_traffic_used',
  ],
  never: [],
};
const sorted = new Map(Object.entries(kinds).flatMap(([kind, names]) => names.map((name) => [name, kind])));

describe('errors of the catalogue', () => {
  test.each(Object.keys(errorCatalogue) as ErrorName[])('%s', (name) => {
    expect(remedyFor(new AgentError(name)).kind).toBe(sorted.get(name) ?? 'never');
  });
});

const moves: Record<TransferCause, Remedy> = {
  unreachable: { kind: 'retry_soon' },
  cut: { kind: 'retry_soon' },
  stalled: { kind: 'retry_soon' },
  wrong_answer: { kind: 'retry_soon' },
  address_refused: { kind: 'new_blueprints' },
  upload_gone: { kind: 'restart_file' },
  object_gone: { kind: 'never' },
  storage_busy: { kind: 'retry_soon' },
  storage_failed: { kind: 'retry_soon' },
  storage_full: { kind: 'retry_after', seconds: 30 },
  storage_refused: { kind: 'never' },
  chunk_mismatch: { kind: 'restart_chunk' },
  line_damages: { kind: 'retry_soon' },
  chunk_spoiled: { kind: 'needs_person', recheckSeconds: null },
  digest_mismatch: { kind: 'never' },
  file_changed: { kind: 'needs_person', recheckSeconds: null },
  source_gone: { kind: 'needs_person', recheckSeconds: 30 },
  source_unreadable: { kind: 'needs_person', recheckSeconds: 30 },
  target_exists: { kind: 'needs_person', recheckSeconds: null },
  target_unwritable: { kind: 'needs_person', recheckSeconds: 30 },
  disk_full: { kind: 'needs_person', recheckSeconds: 30 },
};

test.each(Object.entries(moves))('moving bytes: %s', (code, remedy) => {
  expect(remedyFor(new TransferError(code as TransferCause, 'It failed.'))).toEqual(remedy);
});

describe('what was asked for', () => {
  test.each([
    [new TransferError('storage_busy', 'Busy.', { retryAfter: 7 }), { kind: 'retry_after', seconds: 7 }],
    [new ServiceError('rate_limited', {}, { answered: 429, retryAfter: 3 }), { kind: 'retry_after', seconds: 3 }],
    [new ServiceError('rate_limited', {}, { answered: 429, retryAfter: 1e9 }), { kind: 'retry_after', seconds: 86_400 }],
    [new ServiceError('service_storage_full', {}, { answered: 507 }), { kind: 'retry_after', seconds: 30 }],
    [new ServiceError('service_storage_full', {}, { answered: 507, retryAfter: 90 }), { kind: 'retry_after', seconds: 90 }],
    [new ServiceError('storage_refused', {}, { answered: 503, retryAfter: 40 }), { kind: 'retry_after', seconds: 40, growsTo: 300 }],
    [new ServiceError('not_found', {}, { answered: 404, retryAfter: 3 }), { kind: 'never' }],
  ])('%s', (error, remedy) => {
    expect(remedyFor(error)).toEqual(remedy);
  });
});

test.each([
  [404, 'never', 'retry_soon'],
  [400, 'never', 'retry_soon'],
  [408, 'retry_soon', 'retry_soon'],
  [429, 'retry_soon', 'retry_soon'],
  [500, 'retry_soon', 'retry_soon'],
  [502, 'retry_soon', 'retry_soon'],
  [200, 'never', 'retry_soon'],
  [302, 'never', 'retry_soon'],
  [403, 'never', 'retry_soon'],
  [413, 'never', 'never'],
])(
  'a refusal that is not in the catalogue goes by its status, %i: of the service %s, of somebody in between %s',
  (answered, own, between) => {
    expect(remedyFor(new ServiceError('service_refused', {}, { answered })).kind).toBe(own);
    expect(remedyFor(new ServiceError('service_refused', {}, { answered, foreign: true })).kind).toBe(between);
  },
);

const html = '<html><body>Sign in to Harbour Wi-Fi</body></html>';

/** As they come over the wire: one row for each that was once taken for final although it passes. */
const answers: readonly (readonly [string, { status: number; text: string }, Remedy['kind']])[] = [
  ['a sign-in page of the network', { status: 200, text: html }, 'retry_soon'],
  ['a redirect to it', { status: 302, text: '' }, 'retry_soon'],
  ['a bare 400 of an HTTP server', { status: 400, text: '' }, 'retry_soon'],
  [
    'a 400 in the words of a framework',
    { status: 400, text: '{"error":"Bad Request","message":"Client Error","statusCode":400}' },
    'retry_soon',
  ],
  ['a gateway without its service', { status: 404, text: 'default backend - 404' }, 'retry_soon'],
  ['a request that stalled', refused('request_stalled', 408), 'retry_soon'],
  ['a full storage', refused('service_storage_full', 507), 'retry_after'],
  ['a full database', refused('service_database_full', 503), 'retry_after'],
  ['a body that a proxy finds too large', { status: 413, text: html }, 'never'],
  ['a 400 of the service itself', refused('invalid_request', 400), 'never'],
  ['a refusal that only a later service knows', { status: 409, text: '{"code":123456789,"message":"No."}' }, 'never'],
];

function refused(name: ErrorName, status: number) {
  return { status, text: JSON.stringify(new AgentError(name, { detail: 'no', seconds: 15 }).body) };
}

test.each(answers)('answered with %s', async (_, reply, kind) => {
  const client = createHostedClient({ baseUrl: 'http://s', fetcher: async () => ({ headers: {}, ...reply }) });
  const failure = await client.call('getPackage', { params: { package_id: 'p' } }).catch((error: unknown) => error);
  expect(remedyFor(failure).kind).toBe(kind);
});

const xml = (code: string): string => `<Error><Code>${code}</Code><Message>So it is.</Message></Error>`;
const storageAnswers: readonly (readonly [string, { status: number; text: string }, Remedy['kind']])[] = [
  ['a redirect', { status: 302, text: '' }, 'retry_soon'],
  ['a redirect to another region', { status: 301, text: xml('PermanentRedirect') }, 'retry_soon'],
  ['a page', { status: 200, text: html }, 'retry_soon'],
  ['a bare 400', { status: 400, text: '' }, 'retry_soon'],
  ['a proxy’s 407', { status: 407, text: html }, 'retry_soon'],
  ['a 404 that is not the storage’s', { status: 404, text: html }, 'retry_soon'],
  ['a stalled request', { status: 400, text: xml('RequestTimeout') }, 'retry_soon'],
  ['a body that came short', { status: 400, text: xml('IncompleteBody') }, 'retry_soon'],
  ['a conflict that passes', { status: 409, text: xml('OperationAborted') }, 'retry_soon'],
  ['a chunk that was damaged on its way', { status: 400, text: xml('BadDigest') }, 'restart_chunk'],
  ['no room', { status: 507, text: xml('InsufficientStorage') }, 'retry_after'],
  ['an upload that is gone', { status: 404, text: xml('NoSuchUpload') }, 'restart_file'],
  ['a request that it does not understand', { status: 400, text: xml('InvalidArgument') }, 'never'],
];

test.each(storageAnswers)('a storage that answers with %s', (_, reply, kind) => {
  expect(remedyFor(storageRefusal({ headers: {}, ...reply }, 'upload')).kind).toBe(kind);
});

test('what a person can do is told with each failure', () => {
  expect(personsRemedyFor(new TransferError('disk_full', 'Full.'))).toBe('free_space');
  expect(personsRemedyFor(new ServiceError('link_password_wrong', {}, { answered: 401 }))).toBe('new_password');
  expect(personsRemedyFor(new ServiceError('link_code_required', {}, { answered: 401 }))).toBe('new_code');
  expect(personsRemedyFor(new Error('a fault of ours'))).toBe('report');
});

test.each([[new Error('a fault of ours')], ['text'], [undefined]])('anything else is not tried again: %s', (error) => {
  expect(remedyFor(error)).toEqual({ kind: 'never' });
});

test('only a person and never do not pass by themselves', () => {
  expect(passesByItself({ kind: 'retry_soon' })).toBe(true);
  expect(passesByItself({ kind: 'restart_file' })).toBe(true);
  expect(passesByItself({ kind: 'needs_person', recheckSeconds: 30 })).toBe(false);
  expect(passesByItself({ kind: 'never' })).toBe(false);
});

/** Of all failures, those of which a question is answered with yes. */
const yes: readonly (readonly [string, (error: unknown) => boolean, readonly TransferCause[], readonly ErrorName[]])[] = [
  ['answerMayBeLost', faults.answerMayBeLost, ['cut', 'stalled', 'storage_failed', 'wrong_answer'], []],
  ['lowersConcurrency', faults.lowersConcurrency, ['cut', 'stalled', 'storage_busy', 'storage_failed', 'unreachable'], []],
  ['refusesRequest', faults.refusesRequest, ['address_refused', 'object_gone', 'storage_refused', 'upload_gone', 'wrong_answer'], []],
  ['isUnreachable', faults.isUnreachable, ['cut', 'stalled', 'unreachable'], ['service_unreachable']],
  ['isServiceFull', faults.isServiceFull, ['storage_full'], ['service_database_full', 'service_storage_full']],
  ['isOfSource', faults.isOfSource, ['file_changed', 'source_gone', 'source_unreadable'], []],
  ['isGone', faults.isGone, [], ['not_found', 'package_deleted', 'package_expired']],
  ['refusesCredential', faults.refusesCredential, [], ['credential_invalid', 'credential_missing']],
  ['waitsForSignIn', faults.waitsForSignIn, [], ['session_expired', 'session_is_nil']],
  [
    'endsTransfer',
    faults.endsTransfer,
    [],
    [
      'credential_invalid',
      'credential_missing',
      'key_suspended',
      'link_code_over',
      'link_code_required',
      'link_code_wrong',
      'link_expired',
      'link_inactive',
      'link_password_wrong',
      'link_used_up',
      'mfa_enrolment_required',
      'not_allowed',
      'package_deleted',
      'package_expired',
      'package_quarantined',
      'portal_closed',
      'session_expired',
      'session_is_nil',
      'sso_required',
      'team_inactive',
    ],
  ],
];

test.each(yes)('%s', (_, question, causes, names) => {
  const asked = (Object.keys(moves) as TransferCause[]).filter((cause) => question(new TransferError(cause, 'It failed.')));
  expect(asked.sort()).toEqual(causes);
  expect((Object.keys(errorCatalogue) as ErrorName[]).filter((name) => question(new AgentError(name))).sort()).toEqual(names);
  expect(question(new Error('a fault of ours'))).toBe(false);
});

test('an answer that may be about the package, and a fault of ours, may end a transfer', () => {
  const ends = (Object.keys(errorCatalogue) as ErrorName[]).filter((name) => faults.mayEndTransfer(new AgentError(name)));
  expect(ends.filter((name) => !faults.endsTransfer(new AgentError(name))).sort()).toEqual(['not_found', 'state_conflict']);
  expect(faults.mayEndTransfer(new Error('a fault of ours'))).toBe(true);
  expect(Object.keys(moves).some((cause) => faults.mayEndTransfer(new TransferError(cause as TransferCause, 'It failed.')))).toBe(false);
});
