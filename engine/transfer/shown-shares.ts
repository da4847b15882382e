import type { AgentTransfer } from '#protocol/agent/transfers.ts';

type Shown = Pick<AgentTransfer, 'id' | 'state' | 'bytes' | 'total_bytes' | 'files' | 'total_files' | 'total_grows'>;

/** The share that was shown last, and what was done then: bytes, or files where there are no bytes. */
export interface ShownShare {
  readonly done: number;
  /** 0 to 1. */
  readonly share: number;
}

/**
 * How much is done of each transfer, 0 to 1, as it is shown. A file that has become larger since it was counted adds to the
 * total, so the same bytes would be a smaller share: it stands still instead until it is passed again. It goes back with the
 * bytes, as where a file begins again.
 */
export interface ShownShares {
  /**
   * `undefined` while the total still grows. Only what runs is remembered.
   *
   * @param saved what `toSave` gave, by the record: of an agent that ran before
   */
  of(transfer: Shown, runs: boolean, saved?: ShownShare): number | undefined;
  /** What the record has to keep; `undefined` where its counts show as much. */
  toSave(transfer: Shown, runs: boolean, saved?: ShownShare): ShownShare | undefined;
  forget(id: string): void;
}

/** A transfer is whole once it is complete: until then the last step is left. */
const most = 0.999;

export function createShownShares(): ShownShares {
  const shown = new Map<string, ShownShare>();
  /** Of one whose total is known, and that is not complete. */
  const shareOf = (transfer: Shown, runs: boolean, saved: ShownShare | undefined) => {
    const { id, bytes, total_bytes: totalBytes, files, total_files: totalFiles } = transfer;
    const [done, total] = totalBytes > 0 ? [bytes, totalBytes] : [files, Math.max(1, totalFiles)];
    const before = shown.get(id) ?? saved;
    const counted = Math.min(most, Math.max(0, done / total));
    const share = before && done >= before.done ? Math.max(before.share, counted) : counted;
    if (runs) shown.set(id, { done, share });
    return { done, share, counted };
  };
  return {
    of(transfer, runs, saved) {
      const { id, state } = transfer;
      if (state === 'complete' || state === 'cancelled' || transfer.total_grows) shown.delete(id);
      if (state === 'complete') return 1;
      return transfer.total_grows ? undefined : shareOf(transfer, runs, saved).share;
    },
    toSave(transfer, runs, saved) {
      if (transfer.state === 'complete' || transfer.total_grows) return undefined;
      const { done, share, counted } = shareOf(transfer, runs, saved);
      return share > counted ? { done, share } : undefined;
    },
    forget: (id) => void shown.delete(id),
  };
}
