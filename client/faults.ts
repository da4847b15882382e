import type { PersonsRemedy, TransferCause } from '#protocol/agent/remedy.ts';
import { ApiError } from '#protocol/errors/api-error.ts';
import type { ErrorName } from '#protocol/errors.ts';
import { ServiceError, TransferError } from './errors.ts';

/**
 * The failure table: every failure of a transfer is sorted in this file and nowhere else. Whoever wants to know more of
 * a failure than its remedy asks one of the questions at the end.
 */

/** The remedy for a failure. */
export type Remedy =
  /** Temporary: retry with backoff. */
  | { readonly kind: 'retry_soon' }
  /** Retry after `seconds`: the delay that the other side asked for, or one that suits the failure. */
  /** `growsTo`: the delays double from `seconds` up to this value. */
  | { readonly kind: 'retry_after'; readonly seconds: number; readonly growsTo?: number }
  /** The address is no longer valid: request a new one from the service. */
  | { readonly kind: 'new_blueprints' }
  /** The stored bytes differ from the sent ones: send this chunk again. */
  | { readonly kind: 'restart_chunk' }
  /** The storage no longer has the unfinished upload: restart this file. */
  | { readonly kind: 'restart_file' }
  /**
   * A user must act first. Some causes can be fixed without a notice to the agent (a full disk, a drive that is not
   * connected). Then the agent checks again every `recheckSeconds` seconds.
   */
  | { readonly kind: 'needs_person'; readonly recheckSeconds: number | null }
  /** Permanent: a retry gives the same answer. */
  | { readonly kind: 'never' };

const soon: Remedy = { kind: 'retry_soon' };
const newBlueprints: Remedy = { kind: 'new_blueprints' };
const restartChunk: Remedy = { kind: 'restart_chunk' };
const restartFile: Remedy = { kind: 'restart_file' };
const person: Remedy = { kind: 'needs_person', recheckSeconds: null };
const personThenRecheck: Remedy = { kind: 'needs_person', recheckSeconds: 30 };
/** Somebody must make room or raise a limit, which can take days; then it goes on by itself. */
const personThenRarely: Remedy = { kind: 'needs_person', recheckSeconds: 300 };
/** Only the service's operator can fix it. No user here has to act, so it is retried automatically. */
const operatorThenRecheck: Remedy = { kind: 'retry_after', seconds: 30 };
/** A policy or a setting must be changed, which can take days; frequent retries would only fill logs. */
const operatorThenRarely: Remedy = { kind: 'retry_after', seconds: 30, growsTo: 300 };
const never: Remedy = { kind: 'never' };

/**
 * What a failure ends if nothing helps against it: this chunk's attempt, this file, or the whole transfer. `either`: the
 * answer does not say whether it is about the file or its package.
 */
type Scope = 'chunk' | 'file' | 'transfer' | 'either';

type Mark =
  /** The storage's own answer is unknown, since a proxy may have answered for it (502, 504): it may have what was sent. */
  | 'answer_lost'
  /** Fewer connections may prevent it. */
  | 'lowers_concurrency'
  /** It is about the request, not about what the request carries: of a batch, each file is tried alone. */
  | 'refuses_request'
  /** The other side cannot be reached, or not any more. */
  | 'unreachable'
  /** The service's storage or database has no room left. */
  | 'service_full'
  /** The sender's own file has changed, is gone or cannot be read. */
  | 'source'
  /** What was asked for is not there any more. */
  | 'gone'
  /** The service does not accept the credential. */
  | 'credential'
  /** Nobody is signed in. */
  | 'session_over';

/** What the program does about a failure, what a user can do, what it ends, and what else the program asks about it. */
type Row = readonly [Remedy, PersonsRemedy, Scope, ...Mark[]];

const ofApiErrors: Partial<Record<ErrorName, Row>> = {
  invalid_request: [never, 'correct_request', 'file'],
  request_stalled: [soon, 'wait', 'file'],
  credential_missing: [person, 'sign_in', 'transfer', 'credential'],
  credential_invalid: [person, 'sign_in', 'transfer', 'credential'],
  wrong_password: [person, 'sign_in', 'file'],
  mfa_required: [person, 'sign_in', 'file'],
  mfa_wrong: [person, 'sign_in', 'file'],
  mfa_enrolment_required: [person, 'ask_team', 'transfer'],
  sso_required: [person, 'sign_in', 'transfer'],
  sso_refused: [person, 'ask_team', 'file'],
  sso_provider_failed: [soon, 'wait', 'file'],
  key_suspended: [person, 'ask_team', 'transfer'],
  team_inactive: [person, 'ask_team', 'transfer'],
  not_allowed: [person, 'ask_team', 'transfer'],
  link_password_wrong: [person, 'new_password', 'transfer'],
  link_code_required: [person, 'new_code', 'transfer'],
  link_code_wrong: [person, 'new_code', 'transfer'],
  link_code_over: [person, 'new_code', 'transfer'],
  access_code_wrong: [person, 'new_access_code', 'file'],
  portal_closed: [person, 'ask_recipient', 'transfer'],
  not_found: [never, 'ask_sender', 'either', 'gone'],
  link_expired: [never, 'ask_sender', 'transfer'],
  link_inactive: [never, 'ask_sender', 'transfer'],
  link_used_up: [never, 'ask_sender', 'transfer'],
  package_expired: [never, 'ask_sender', 'transfer', 'gone'],
  package_deleted: [never, 'ask_sender', 'transfer', 'gone'],
  file_infected: [never, 'ask_sender', 'file'],
  package_quarantined: [never, 'ask_sender', 'transfer'],
  state_conflict: [never, 'ask_operator', 'either'],
  already_exists: [never, 'other_name', 'file'],
  session_is_nil: [person, 'sign_in', 'transfer', 'session_over'],
  session_expired: [person, 'sign_in', 'transfer', 'session_over'],
  service_unreachable: [soon, 'wait', 'file', 'unreachable'],
  storage_full: [personThenRecheck, 'free_space', 'file'],
  storage_read_only: [personThenRecheck, 'other_folder', 'file'],
  storage_unavailable: [soon, 'wait', 'file'],
  file_damaged: [never, 'ask_sender', 'file'],
  zip_damaged: [never, 'ask_sender', 'file'],
  storage_refused: [operatorThenRarely, 'ask_operator', 'file'],
  service_storage_full: [operatorThenRecheck, 'ask_operator', 'file', 'service_full'],
  service_database_full: [operatorThenRecheck, 'ask_operator', 'file', 'service_full'],
  signature_invalid: [newBlueprints, 'wait', 'chunk'],
  blueprint_expired: [newBlueprints, 'wait', 'chunk'],
  no_such_upload: [restartFile, 'wait', 'file'],
  chunk_wrong: [restartChunk, 'wait', 'chunk'],
  rate_limited: [soon, 'wait', 'file'],
  over_limit: [never, 'ask_team', 'file'],
  team_storage_full: [personThenRarely, 'ask_team', 'file'],
  portal_storage_full: [personThenRarely, 'ask_recipient', 'file'],
  team_traffic_used: [personThenRarely, 'ask_team', 'file'],
  internal: [soon, 'wait', 'file'],
  unavailable: [soon, 'wait', 'file'],
  path_not_found: [never, 'restore_files', 'file'],
  path_not_absolute: [never, 'other_folder', 'file'],
  path_unreadable: [never, 'restore_files', 'file'],
  path_outside: [never, 'other_folder', 'file'],
  link_malformed: [never, 'correct_request', 'file'],
  name_refused: [never, 'other_name', 'file'],
  name_unsafe: [never, 'ask_sender', 'file'],
  hidden_names: [never, 'other_folder', 'file'],
  folders_overlap: [never, 'other_folder', 'file'],
  mount_unusable: [never, 'other_folder', 'file'],
  files_failed: [never, 'finalize_without', 'file'],
  agent_disk_full: [personThenRecheck, 'free_space', 'file'],
  agent_state_unwritable: [personThenRecheck, 'free_space', 'file'],
  agent_fault: [never, 'report', 'file'],
  nothing_to_send: [never, 'restore_files', 'file'],
  package_unusable: [never, 'ask_sender', 'file'],
  receipt_invalid: [never, 'ask_operator', 'file'],
  receipt_differs: [never, 'ask_sender', 'file'],
};

const ofTransferErrors: Record<TransferCause, Row> = {
  unreachable: [soon, 'wait', 'chunk', 'unreachable', 'lowers_concurrency'],
  cut: [soon, 'wait', 'chunk', 'unreachable', 'answer_lost', 'lowers_concurrency'],
  stalled: [soon, 'wait', 'chunk', 'unreachable', 'answer_lost', 'lowers_concurrency'],
  wrong_answer: [soon, 'wait', 'chunk', 'answer_lost', 'refuses_request'],
  address_refused: [newBlueprints, 'wait', 'chunk', 'refuses_request'],
  upload_gone: [restartFile, 'wait', 'file', 'refuses_request'],
  object_gone: [never, 'ask_sender', 'file', 'refuses_request'],
  storage_busy: [soon, 'wait', 'chunk', 'lowers_concurrency'],
  storage_failed: [soon, 'wait', 'chunk', 'answer_lost', 'lowers_concurrency'],
  storage_full: [operatorThenRecheck, 'ask_operator', 'file', 'service_full'],
  storage_refused: [never, 'ask_operator', 'file', 'refuses_request'],
  chunk_mismatch: [restartChunk, 'wait', 'chunk'],
  line_damages: [soon, 'wait', 'chunk'],
  chunk_spoiled: [person, 'ask_operator', 'chunk'],
  digest_mismatch: [never, 'ask_sender', 'file'],
  file_changed: [person, 'retry', 'file', 'source'],
  source_gone: [personThenRecheck, 'restore_files', 'file', 'source'],
  source_unreadable: [personThenRecheck, 'restore_files', 'file', 'source'],
  target_exists: [person, 'other_folder', 'file'],
  target_unwritable: [personThenRecheck, 'other_folder', 'file'],
  disk_full: [personThenRecheck, 'free_space', 'file'],
};

/** Temporary statuses, whatever the body says: a newer service may send error names that are not known here. */
const passingStatuses = new Set([408, 425, 429]);
/**
 * Statuses that reject the request itself, so a retry gets the same answer. Proxies and gateways send them too, in words
 * of their own.
 */
const lastingStatuses: ReadonlySet<number> = new Set([405, 411, 413, 414, 415, 416, 417, 431]);

export const isLastingStatus = (status: number): boolean => lastingStatuses.has(status);

/** Seconds. One day: a longer `Retry-After` is ignored. */
const longestWait = 24 * 3600;

/** Classifies a failure, with the delay that the other side asked for. */
export function remedyFor(error: unknown): Remedy {
  const [remedy] = rowFor(error);
  const asked = error instanceof ServiceError || error instanceof TransferError ? error.retryAfter : null;
  if ((remedy.kind !== 'retry_soon' && remedy.kind !== 'retry_after') || asked === null) return remedy;
  return { ...(remedy.kind === 'retry_after' && remedy), kind: 'retry_after', seconds: Math.min(asked, longestWait) };
}

/** What a user can do about it. */
export const personsRemedyFor = (error: unknown): PersonsRemedy => rowFor(error)[1];

/** An error that is neither in the catalogue nor a `TransferError` is a bug of this program. */
const bug: Row = [never, 'report', 'either'];

function rowFor(error: unknown): Row {
  if (error instanceof TransferError) return ofTransferErrors[error.code];
  if (!(error instanceof ApiError)) return bug;
  const known = ofApiErrors[error.error];
  if (known || !(error instanceof ServiceError)) return known ?? [never, 'retry', 'file'];
  return passes(error) ? [soon, 'wait', 'file'] : [never, 'ask_operator', 'file'];
}

function has(error: unknown, mark: Mark): boolean {
  const [, , , ...marks] = rowFor(error);
  return marks.includes(mark);
}

/** Whether it applies to every file of a transfer for certain, so that it is useless to continue with the next one. */
export const endsTransfer = (error: unknown): boolean => rowFor(error)[2] === 'transfer';

/** The same, where it also counts if it is only possible. */
export const mayEndTransfer = (error: unknown): boolean => ['transfer', 'either'].includes(rowFor(error)[2]);

/** Whether the storage may have stored the chunk although the request failed: it is asked before the chunk is sent again. */
export const answerMayBeLost = (error: unknown): boolean => has(error, 'answer_lost');

/** Whether fewer connections may prevent it. */
export const lowersConcurrency = (error: unknown): boolean => has(error, 'lowers_concurrency');

/** Whether a batch request was refused as such, so that its files should be sent one by one. */
export const refusesRequest = (error: unknown): boolean => has(error, 'refuses_request');

/** Whether the service or the storage cannot be reached. */
export const isUnreachable = (error: unknown): boolean => has(error, 'unreachable');

/** Whether it goes on as soon as the service has room again. */
export const isServiceFull = (error: unknown): boolean => has(error, 'service_full');

/** Whether the sender's own file is the reason. */
export const isOfSource = (error: unknown): boolean => has(error, 'source');

/** Whether what was asked for is not there any more. */
export const isGone = (error: unknown): boolean => has(error, 'gone');

/** Whether the service no longer accepts the credential, or never did. */
export const refusesCredential = (error: unknown): boolean => has(error, 'credential');

/** Whether it goes on as soon as somebody has signed in. */
export const waitsForSignIn = (error: unknown): boolean => has(error, 'session_over');

/** Whether a refusal that is not in the catalogue is temporary. */
function passes({ answered, foreign }: ServiceError): boolean {
  if (answered >= 500 || passingStatuses.has(answered)) return true;
  // The answer is from a network's sign-in page, a proxy, or a gateway whose service is still starting, not from the service.
  return foreign && !isLastingStatus(answered);
}

/** Whether waiting is enough: nothing has to be asked for anew or sent from its beginning. */
export const helpsToWait = ({ kind }: Remedy): boolean => kind === 'retry_soon' || kind === 'retry_after';

/** True where a retry can succeed, now or later, without a user's action. */
export function passesByItself(remedy: Remedy): boolean {
  return remedy.kind !== 'never' && remedy.kind !== 'needs_person';
}
