import { ApiError, type ErrorName } from '#protocol/errors.ts';
import { MoveError, type MoveErrorCode, ServiceError } from './errors.ts';

/** What helps against a failure. Every failure of a transfer is sorted here and nowhere else. */
export type Remedy =
  /** It passes by itself: again, with back-off. */
  | { readonly kind: 'again_soon' }
  /** Again, in as many seconds as the other side asked for. */
  | { readonly kind: 'again_after'; readonly seconds: number }
  /** The address is used up: ask the service for another one. */
  | { readonly kind: 'new_blueprints' }
  /** What was stored is not what was sent: send this chunk again. */
  | { readonly kind: 'restart_chunk' }
  /** The unfinished upload is gone at the storage: begin this file anew. */
  | { readonly kind: 'restart_file' }
  /**
   * A person has to do something first. Where it may come right without the agent being told (a full
   * disk, a drive that is away), it is worth a look every `lookAgain` seconds.
   */
  | { readonly kind: 'needs_person'; readonly lookAgain: number | null }
  /** Asking again gives the same answer. */
  | { readonly kind: 'never' };

const soon: Remedy = { kind: 'again_soon' };
const newBlueprints: Remedy = { kind: 'new_blueprints' };
const restartChunk: Remedy = { kind: 'restart_chunk' };
const restartFile: Remedy = { kind: 'restart_file' };
const person: Remedy = { kind: 'needs_person', lookAgain: null };
const personThenLook: Remedy = { kind: 'needs_person', lookAgain: 30 };
const never: Remedy = { kind: 'never' };

const ofApiErrors: Partial<Record<ErrorName, Remedy>> = {
  credential_missing: person,
  credential_invalid: person,
  wrong_password: person,
  key_suspended: person,
  team_inactive: person,
  not_allowed: person,
  link_password_wrong: person,
  access_code_wrong: person,
  portal_closed: person,
  session_is_nil: person,
  session_expired: person,
  service_unreachable: soon,
  storage_full: personThenLook,
  storage_read_only: personThenLook,
  storage_unavailable: soon,
  signature_invalid: newBlueprints,
  blueprint_expired: newBlueprints,
  no_such_upload: restartFile,
  chunk_wrong: restartChunk,
  rate_limited: soon,
  internal: soon,
  unavailable: soon,
};

const ofMoveErrors: Record<MoveErrorCode, Remedy> = {
  unreachable: soon,
  cut: soon,
  stalled: soon,
  wrong_answer: soon,
  address_refused: newBlueprints,
  upload_gone: restartFile,
  object_gone: never,
  storage_busy: soon,
  storage_failed: soon,
  storage_full: personThenLook,
  storage_refused: never,
  chunk_mismatch: restartChunk,
  chunk_spoiled: person,
  digest_mismatch: never,
  file_changed: person,
  source_gone: personThenLook,
  source_unreadable: personThenLook,
  target_exists: person,
  target_unwritable: personThenLook,
  disk_full: personThenLook,
};

/** A day: an answer that asks for longer is as good as none. */
const longestWait = 24 * 3600;

/** Sorts a failure. What is neither of the catalogue nor a `MoveError` is a fault of ours: never. */
export function remedyFor(error: unknown): Remedy {
  const remedy = sorted(error);
  const asked = error instanceof ServiceError || error instanceof MoveError ? error.retryAfter : null;
  if (remedy.kind !== 'again_soon' || asked === null) return remedy;
  return { kind: 'again_after', seconds: Math.min(asked, longestWait) };
}

function sorted(error: unknown): Remedy {
  if (error instanceof MoveError) return ofMoveErrors[error.code];
  if (error instanceof ServiceError && error.error === 'service_refused') {
    // Something between us and the service answered, or a newer service: the status alone speaks.
    return error.answered >= 500 || error.answered === 408 || error.answered === 429 ? soon : never;
  }
  if (error instanceof ApiError) return ofApiErrors[error.error] ?? never;
  return never;
}

/** True where trying again, sooner or later, without a person can help. */
export function passesByItself(remedy: Remedy): boolean {
  return remedy.kind !== 'never' && remedy.kind !== 'needs_person';
}
