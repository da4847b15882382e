import { MoveError, ServiceError } from '#client/errors.ts';
import { passesByItself, remedyFor } from '#client/faults.ts';
import type { Halt, SaveFault } from './messages.ts';

/** What a failure means for the rest. */
export type Sorted =
  /** It passes: again, in a while. `seconds` where the other side asked for a pause. */
  | { readonly kind: 'again'; readonly seconds: number | null }
  /** This file alone. */
  | { readonly kind: 'file'; readonly fault: SaveFault; readonly message: string }
  /** Every other file would fail as well. */
  | { readonly kind: 'halt'; readonly why: Halt };

const halt = (why: Halt): Sorted => ({ kind: 'halt', why });

/** By the names of `DOMException`s that writing a file ends with. */
const ofDisk: Readonly<Record<string, SaveFault>> = {
  AbortError: 'blocked',
  SecurityError: 'blocked',
  TypeError: 'name',
  TypeMismatchError: 'unwritable',
  InvalidModificationError: 'unwritable',
  InvalidStateError: 'unwritable',
  NoModificationAllowedError: 'unwritable',
  NotFoundError: 'unwritable',
};

/** Sorts what a file's saving failed with. Pauses are not asked for here. */
export function sorted(error: unknown): Sorted {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof ServiceError) {
    switch (error.error) {
      case 'credential_invalid':
      case 'credential_missing':
      case 'link_used_up':
      case 'not_allowed':
        return halt('credential');
      case 'link_expired':
      case 'link_inactive':
      case 'package_expired':
        return halt('expired');
      case 'not_found':
        return { kind: 'file', fault: 'missing', message };
    }
  }
  if (error instanceof MoveError && error.code === 'digest_mismatch') return { kind: 'file', fault: 'damaged', message };
  if (error instanceof MoveError && error.code === 'object_gone') return { kind: 'file', fault: 'missing', message };
  if (error instanceof ServiceError || error instanceof MoveError) {
    const remedy = remedyFor(error);
    if (passesByItself(remedy)) return { kind: 'again', seconds: remedy.kind === 'again_after' ? remedy.seconds : null };
    return { kind: 'file', fault: 'other', message };
  }
  const name = error instanceof Error ? error.name : '';
  if (name === 'QuotaExceededError') return halt('full');
  if (name === 'NotAllowedError') return halt('refused');
  return { kind: 'file', fault: ofDisk[name] ?? 'other', message };
}
