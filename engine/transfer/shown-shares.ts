import type { AgentTransfer } from '#protocol/agent/transfers.ts';

type Shown = Pick<AgentTransfer, 'id' | 'state' | 'bytes' | 'total_bytes' | 'files' | 'total_files' | 'total_grows'>;

/**
 * How much is done of each transfer, 0 to 1, as it is shown. A file that has become larger since it was counted adds to the
 * total, so the same bytes would be a smaller share: it stands still instead until it is passed again. It goes back with the
 * bytes, as where a file begins again. In memory only: an agent that starts again counts from the record.
 */
export interface ShownShares {
  /** `undefined` while the total still grows. Only what runs is remembered. */
  of(transfer: Shown, runs: boolean): number | undefined;
  forget(id: string): void;
}

/** A transfer is whole once it is complete: until then the last step is left. */
const most = 0.999;

export function createShownShares(): ShownShares {
  const shown = new Map<string, { readonly done: number; readonly share: number }>();
  return {
    of(transfer, runs) {
      const { id, state, bytes, total_bytes: totalBytes, files, total_files: totalFiles } = transfer;
      if (state === 'complete' || state === 'cancelled' || transfer.total_grows) shown.delete(id);
      if (state === 'complete') return 1;
      if (transfer.total_grows) return undefined;
      const [done, total] = totalBytes > 0 ? [bytes, totalBytes] : [files, Math.max(1, totalFiles)];
      const before = shown.get(id);
      const counted = Math.min(most, Math.max(0, done / total));
      const share = before && done >= before.done ? Math.max(before.share, counted) : counted;
      if (runs) shown.set(id, { done, share });
      return share;
    },
    forget: (id) => void shown.delete(id),
  };
}
