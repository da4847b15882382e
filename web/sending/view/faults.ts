import { ServiceError, TransferError } from '#client/errors.ts';
import type { TransferCause } from '#protocol/agent/remedy.ts';
import type { ErrorName } from '#protocol/errors.ts';
import { CodeMissing } from '../../common/lazy-load.ts';
import type { Format, Messages } from '../../messages/portal.ts';

type FaultMessage = Exclude<keyof Messages['faults'], 'other' | 'damaging'>;

const ofMoves: Partial<Record<TransferCause, FaultMessage>> = {
  unreachable: 'unreachable',
  cut: 'unreachable',
  stalled: 'unreachable',
  storage_busy: 'busy',
  storage_failed: 'busy',
  storage_refused: 'storage',
  storage_full: 'full',
  file_changed: 'changed',
  source_gone: 'gone',
  source_unreadable: 'unreadable',
  chunk_spoiled: 'corrupted',
  chunk_mismatch: 'corrupted',
};

const ofAnswers: Partial<Record<ErrorName, FaultMessage>> = {
  service_unreachable: 'unreachable',
  request_stalled: 'unreachable',
  unavailable: 'busy',
  internal: 'internal',
  storage_unavailable: 'busy',
  storage_refused: 'storage',
  service_storage_full: 'full',
  service_database_full: 'full',
  storage_full: 'full',
  rate_limited: 'tooFast',
  over_limit: 'limit',
  team_storage_full: 'teamFull',
  portal_storage_full: 'portalFull',
  team_traffic_used: 'trafficUsed',
  already_exists: 'exists',
  portal_closed: 'closed',
  package_expired: 'expired',
  credential_invalid: 'credential',
  credential_missing: 'credential',
};

/** The message for a failure. An unknown failure is shown with the service's own text, in the page's language where that is known. */
export function faultText(fault: unknown, { messages, said }: Pick<Format, 'messages' | 'said'>): string {
  const known = fault instanceof TransferError ? ofMoves[fault.code] : fault instanceof ServiceError ? ofAnswers[fault.error] : undefined;
  if (fault instanceof TransferError && fault.code === 'line_damages') return messages.faults.damaging(fault.times);
  if (known) return messages.faults[known];
  if (fault instanceof CodeMissing) return messages.notLoaded;
  return messages.faults.other(said(fault instanceof Error ? fault.message : String(fault)));
}
