import type { AgentTransfer } from './transfers.ts';

/**
 * Phase of a running transfer: nothing of it was ever moved, it goes on and its first bytes are due, bytes are moving, no
 * bytes move at the moment, or only the final step is left.
 */
export type Stage = 'preparing' | 'starting' | 'moving' | 'standing' | 'closing';

/** Only a transfer whose bytes move is shown as sending or receiving. A transfer with only empty files has no bytes to move. */
export function stageOf(transfer: Pick<AgentTransfer, 'bytes' | 'total_bytes' | 'total_files' | 'bytes_per_second' | 'starting'>): Stage {
  const { bytes, total_bytes: totalBytes, total_files: totalFiles, bytes_per_second: speed } = transfer;
  if (speed > 0 || (totalBytes === 0 && totalFiles > 0)) return 'moving';
  if (bytes === 0) return 'preparing';
  if (bytes >= totalBytes) return 'closing';
  return transfer.starting ? 'starting' : 'standing';
}
