import type { AgentEvent } from '#protocol/agent/events.ts';
import type { AgentTransfer, TransferState } from '#protocol/agent/transfers.ts';

/** What the shell outside the window shows of all transfers together. */
export interface Overview {
  /** How many move now. */
  readonly moving: number;
  /** Their part that is done, 0 to 1; null while nothing moves or nobody knows how much it will be. */
  readonly share: number | null;
  readonly bytesPerSecond: number;
  /** Whether all are paused. */
  readonly paused: boolean;
}

export const nothingMoves: Overview = { moving: 0, share: null, bytesPerSecond: 0, paused: false };

const unfinishedStates: readonly TransferState[] = ['queued', 'transferring', 'paused', 'idle'];

/** What the shell keeps of the transfers that are not over: the few that move, and the ids of the others it has seen. */
export class ShellBook {
  readonly #moving = new Map<string, Pick<AgentTransfer, 'bytes' | 'total_bytes' | 'bytes_per_second'>>();
  /** Seen unfinished: only their end is news. */
  readonly #unfinished = new Set<string>();

  /** Takes a list of all that moves, as it is read at the start and after events were lost. */
  read(transfers: readonly AgentTransfer[]): void {
    this.#moving.clear();
    for (const transfer of transfers) this.#note(transfer);
  }

  /** Takes one event. Returns the transfer that ended by it, well or not; a cancelled one is no news. */
  apply(event: AgentEvent): AgentTransfer | null {
    if (event.type === 'transfer.removed') this.#forget(event.transfer_id);
    if (event.type !== 'transfer.added' && event.type !== 'transfer.changed') return null;
    return this.#note(event.transfer);
  }

  overview(paused: boolean): Overview {
    let total = 0;
    let done = 0;
    let bytesPerSecond = 0;
    for (const one of this.#moving.values()) {
      total += one.total_bytes;
      done += Math.min(one.bytes, one.total_bytes);
      bytesPerSecond += one.bytes_per_second;
    }
    return { moving: this.#moving.size, share: total > 0 ? done / total : null, bytesPerSecond, paused };
  }

  #note(transfer: AgentTransfer): AgentTransfer | null {
    const { id, state } = transfer;
    if (unfinishedStates.includes(state)) {
      this.#unfinished.add(id);
      if (state === 'transferring') this.#moving.set(id, transfer);
      else this.#moving.delete(id);
      return null;
    }
    return this.#forget(id) && state !== 'cancelled' ? transfer : null;
  }

  #forget(id: string): boolean {
    this.#moving.delete(id);
    return this.#unfinished.delete(id);
  }
}
