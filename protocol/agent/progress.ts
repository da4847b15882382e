import type { AgentTransfer } from './transfers.ts';

/**
 * Phase of a running transfer: nothing has started, bytes are moving, no bytes move at the moment, or only the final
 * step is left.
 */
export type Stage = 'preparing' | 'moving' | 'standing' | 'closing';

/** Only a transfer whose bytes move is shown as sending or receiving. A transfer with only empty files has no bytes to move. */
export function stageOf(transfer: Pick<AgentTransfer, 'bytes' | 'total_bytes' | 'total_files' | 'bytes_per_second'>): Stage {
  const { bytes, total_bytes: totalBytes, total_files: totalFiles, bytes_per_second: speed } = transfer;
  if (speed > 0 || (totalBytes === 0 && totalFiles > 0)) return 'moving';
  if (bytes === 0) return 'preparing';
  return bytes >= totalBytes ? 'closing' : 'standing';
}
