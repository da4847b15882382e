import { ServiceError, TransferError } from '#client/errors.ts';
import { passesByItself, remedyFor } from '#client/faults.ts';
import type { Halt, SaveFault } from './messages.ts';

/** The effect of a failure on the other files. */
type FaultEffect =
  /** Temporary: retry after a backoff. `seconds` where the server asked for a delay. */
  | { readonly kind: 'retry'; readonly seconds: number | null }
  /** Only this file fails. */
  | { readonly kind: 'file'; readonly fault: SaveFault; readonly message: string }
  /** Every other file would fail too. */
  | { readonly kind: 'halt'; readonly why: Halt };

const halt = (why: Halt): FaultEffect => ({ kind: 'halt', why });

/** By the name of the `DOMException` when writing a file fails. */
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

/** Classifies a file's failure. Delays that the server asks for are not handled here. */
export function effectOf(error: unknown): FaultEffect {
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
      case 'package_deleted':
      case 'package_quarantined':
        return halt('expired');
      case 'file_infected':
        return { kind: 'file', fault: 'virus', message };
      case 'file_damaged':
        return { kind: 'file', fault: 'damaged', message };
      case 'not_found':
        return { kind: 'file', fault: 'missing', message };
    }
  }
  if (error instanceof TransferError && error.code === 'digest_mismatch') return { kind: 'file', fault: 'damaged', message };
  if (error instanceof TransferError && error.code === 'object_gone') return { kind: 'file', fault: 'missing', message };
  if (error instanceof ServiceError || error instanceof TransferError) {
    const remedy = remedyFor(error);
    if (passesByItself(remedy)) return { kind: 'retry', seconds: remedy.kind === 'retry_after' ? remedy.seconds : null };
    return { kind: 'file', fault: 'other', message };
  }
  const name = error instanceof Error ? error.name : '';
  if (name === 'QuotaExceededError') return halt('full');
  if (name === 'NotAllowedError') return halt('refused');
  return { kind: 'file', fault: ofDisk[name] ?? 'other', message };
}
