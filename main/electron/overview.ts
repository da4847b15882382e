import type { AgentEvent } from '#protocol/agent/events.ts';
import type { TransferState } from '#protocol/agent/transfer-states.ts';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';

/** The summary of all transfers that the shell shows outside the window. */
export interface Overview {
  /** The number of transfers that are moving now. */
  readonly moving: number;
  /**
   * The total progress, 0 to 1, of them and of those that have completed while anything moved; null while nothing moves or
   * the total is unknown or grows.
   */
  readonly share: number | null;
  readonly bytesPerSecond: number;
  /** Whether all are paused. */
  readonly paused: boolean;
}

const unfinishedStates: readonly TransferState[] = ['queued', 'transferring', 'paused', 'idle'];

/** The shell's state of unfinished transfers: the moving ones, and the ids of the others. */
export class OverviewState {
  readonly #moving = new Map<string, Pick<AgentTransfer, 'bytes' | 'total_bytes' | 'total_grows' | 'share' | 'bytes_per_second'>>();
  /** Bytes of transfers that have completed since something moves: without them the bar would go back when one is done. */
  #completeBytes = 0;
  /** Ids of known unfinished transfers. Only their end is reported. */
  readonly #unfinished = new Set<string>();

  /** Replaces the state by a list of all moving transfers, read at the start and after events were lost. */
  read(transfers: readonly AgentTransfer[]): void {
    this.#moving.clear();
    this.#completeBytes = 0;
    for (const transfer of transfers) this.#note(transfer);
  }

  /**
   * Applies one event. Returns the transfer that this event ended, complete or failed; a cancelled one is not reported.
   */
  apply(event: AgentEvent): AgentTransfer | null {
    if (event.type === 'transfer.removed') this.#forget(event.transfer_id);
    if (event.type !== 'transfer.added' && event.type !== 'transfer.changed') return null;
    return this.#note(event.transfer);
  }

  overview(paused: boolean): Overview {
    let total = this.#completeBytes;
    let done = this.#completeBytes;
    let bytesPerSecond = 0;
    let grows = false;
    for (const one of this.#moving.values()) {
      total += one.total_bytes;
      done += one.share === undefined ? Math.min(one.bytes, one.total_bytes) : one.share * one.total_bytes;
      bytesPerSecond += one.bytes_per_second;
      grows ||= one.total_grows === true;
    }
    const moving = this.#moving.size;
    return { moving, share: moving > 0 && total > 0 && !grows ? done / total : null, bytesPerSecond, paused };
  }

  #note(transfer: AgentTransfer): AgentTransfer | null {
    const { id, state } = transfer;
    if (unfinishedStates.includes(state)) {
      this.#unfinished.add(id);
      if (state === 'transferring') this.#moving.set(id, transfer);
      else this.#stop(id);
      return null;
    }
    if (state === 'complete' && this.#moving.has(id)) this.#completeBytes += transfer.total_bytes;
    return this.#forget(id) && state !== 'cancelled' ? transfer : null;
  }

  #forget(id: string): boolean {
    this.#stop(id);
    return this.#unfinished.delete(id);
  }

  #stop(id: string): void {
    this.#moving.delete(id);
    if (this.#moving.size === 0) this.#completeBytes = 0;
  }
}
