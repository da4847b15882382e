import type { PersonsRemedy } from '#protocol/agent/remedy.ts';
import { ApiError } from '#protocol/errors/api-error.ts';
import type { ErrorName } from '#protocol/errors.ts';
import { ServiceError, TransferError, type TransferErrorCode } from './errors.ts';

/** The remedy for a failure. Every failure of a transfer is classified in this file and nowhere else. */
export type Remedy =
  /** Temporary: retry with backoff. */
  | { readonly kind: 'again_soon' }
  /** Retry after `seconds`: the delay that the other side asked for, or one that suits the failure. */
  /** `growsTo`: the delays double from `seconds` up to this value. */
  | { readonly kind: 'again_after'; readonly seconds: number; readonly growsTo?: number }
  /** The address is no longer valid: request a new one from the service. */
  | { readonly kind: 'new_blueprints' }
  /** The stored bytes differ from the sent ones: send this chunk again. */
  | { readonly kind: 'restart_chunk' }
  /** The storage no longer has the unfinished upload: restart this file. */
  | { readonly kind: 'restart_file' }
  /**
   * A user must act first. Some causes can be fixed without a notice to the agent (a full disk, a drive that is not
   * connected). Then the agent checks again every `lookAgain` seconds.
   */
  | { readonly kind: 'needs_person'; readonly lookAgain: number | null }
  /** Permanent: a retry gives the same answer. */
  | { readonly kind: 'never' };

const soon: Remedy = { kind: 'again_soon' };
const newBlueprints: Remedy = { kind: 'new_blueprints' };
const restartChunk: Remedy = { kind: 'restart_chunk' };
const restartFile: Remedy = { kind: 'restart_file' };
const person: Remedy = { kind: 'needs_person', lookAgain: null };
const personThenLook: Remedy = { kind: 'needs_person', lookAgain: 30 };
/** Only the service's operator can fix it. No user here has to act, so it is retried automatically. */
const operatorThenLook: Remedy = { kind: 'again_after', seconds: 30 };
/** A policy or a setting must be changed, which can take days; frequent retries would only fill logs. */
const operatorThenRarely: Remedy = { kind: 'again_after', seconds: 30, growsTo: 300 };
const never: Remedy = { kind: 'never' };

/** What the program does about a failure, and what a user can do. */
type Row = readonly [Remedy, PersonsRemedy];

const ofApiErrors: Partial<Record<ErrorName, Row>> = {
  invalid_request: [never, 'correct_request'],
  request_stalled: [soon, 'wait'],
  credential_missing: [person, 'sign_in'],
  credential_invalid: [person, 'sign_in'],
  wrong_password: [person, 'sign_in'],
  key_suspended: [person, 'ask_team'],
  team_inactive: [person, 'ask_team'],
  not_allowed: [person, 'ask_team'],
  link_password_wrong: [person, 'new_password'],
  access_code_wrong: [person, 'new_access_code'],
  portal_closed: [person, 'ask_recipient'],
  not_found: [never, 'ask_sender'],
  link_expired: [never, 'ask_sender'],
  link_inactive: [never, 'ask_sender'],
  link_used_up: [never, 'ask_sender'],
  package_expired: [never, 'ask_sender'],
  already_exists: [never, 'other_name'],
  session_is_nil: [person, 'sign_in'],
  session_expired: [person, 'sign_in'],
  service_unreachable: [soon, 'wait'],
  storage_full: [personThenLook, 'free_space'],
  storage_read_only: [personThenLook, 'other_folder'],
  storage_unavailable: [soon, 'wait'],
  storage_refused: [operatorThenRarely, 'ask_operator'],
  service_storage_full: [operatorThenLook, 'ask_operator'],
  service_database_full: [operatorThenLook, 'ask_operator'],
  signature_invalid: [newBlueprints, 'wait'],
  blueprint_expired: [newBlueprints, 'wait'],
  no_such_upload: [restartFile, 'wait'],
  chunk_wrong: [restartChunk, 'wait'],
  rate_limited: [soon, 'wait'],
  over_limit: [never, 'ask_team'],
  internal: [soon, 'wait'],
  unavailable: [soon, 'wait'],
  path_not_found: [never, 'restore_files'],
  path_not_absolute: [never, 'other_folder'],
  path_unreadable: [never, 'restore_files'],
  path_outside: [never, 'other_folder'],
  link_malformed: [never, 'correct_request'],
  name_refused: [never, 'other_name'],
  name_unsafe: [never, 'ask_sender'],
  hidden_names: [never, 'other_folder'],
  files_failed: [never, 'finalize_without'],
  agent_disk_full: [personThenLook, 'free_space'],
  agent_state_unwritable: [personThenLook, 'free_space'],
  agent_fault: [never, 'report'],
  nothing_to_send: [never, 'restore_files'],
  package_unusable: [never, 'ask_sender'],
  receipt_invalid: [never, 'ask_operator'],
  receipt_differs: [never, 'ask_sender'],
};

const ofTransferErrors: Record<TransferErrorCode, Row> = {
  unreachable: [soon, 'wait'],
  cut: [soon, 'wait'],
  stalled: [soon, 'wait'],
  wrong_answer: [soon, 'wait'],
  address_refused: [newBlueprints, 'wait'],
  upload_gone: [restartFile, 'wait'],
  object_gone: [never, 'ask_sender'],
  storage_busy: [soon, 'wait'],
  storage_failed: [soon, 'wait'],
  storage_full: [operatorThenLook, 'ask_operator'],
  storage_refused: [never, 'ask_operator'],
  chunk_mismatch: [restartChunk, 'wait'],
  line_damages: [soon, 'wait'],
  chunk_spoiled: [person, 'ask_operator'],
  digest_mismatch: [never, 'ask_sender'],
  file_changed: [person, 'retry'],
  source_gone: [personThenLook, 'restore_files'],
  source_unreadable: [personThenLook, 'restore_files'],
  target_exists: [person, 'other_folder'],
  target_unwritable: [personThenLook, 'other_folder'],
  disk_full: [personThenLook, 'free_space'],
};

/** Temporary statuses, whatever the body says: a newer service may send error names that are not known here. */
const passingStatuses = new Set([408, 425, 429]);
/** Statuses by which a proxy or gateway rejects the request itself; a retry gets the same answer. */
const lastingStatuses = new Set([405, 411, 413, 414, 415, 431]);

/** Seconds. One day: a longer `Retry-After` is ignored. */
const longestWait = 24 * 3600;

/** Classifies a failure. An error that is neither in the catalogue nor a `TransferError` is a bug of this program: `never`. */
export function remedyFor(error: unknown): Remedy {
  const [remedy] = rowFor(error);
  const asked = error instanceof ServiceError || error instanceof TransferError ? error.retryAfter : null;
  if ((remedy.kind !== 'again_soon' && remedy.kind !== 'again_after') || asked === null) return remedy;
  return { ...(remedy.kind === 'again_after' && remedy), kind: 'again_after', seconds: Math.min(asked, longestWait) };
}

/** What a user can do about it. */
export const personsRemedyFor = (error: unknown): PersonsRemedy => rowFor(error)[1];

function rowFor(error: unknown): Row {
  if (error instanceof TransferError) return ofTransferErrors[error.code];
  if (!(error instanceof ApiError)) return [never, 'report'];
  const known = ofApiErrors[error.error];
  if (known || !(error instanceof ServiceError)) return known ?? [never, 'retry'];
  return passes(error) ? [soon, 'wait'] : [never, 'ask_operator'];
}

/** Whether a refusal that is not in the catalogue is temporary. */
function passes({ answered, foreign }: ServiceError): boolean {
  if (answered >= 500 || passingStatuses.has(answered)) return true;
  // The answer is from a network's sign-in page, a proxy, or a gateway whose service is still starting, not from the service.
  return foreign && !lastingStatuses.has(answered);
}

/** True where a retry can succeed, now or later, without a user's action. */
export function passesByItself(remedy: Remedy): boolean {
  return remedy.kind !== 'never' && remedy.kind !== 'needs_person';
}
