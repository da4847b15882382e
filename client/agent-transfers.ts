import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import type { AgentClient } from './agent.ts';
import { openEvents } from './agent-events.ts';

/** Whether a transfer is complete, failed or cancelled. A failed one may be resumed or retried by a call. */
export const hasEnded = ({ state }: Pick<AgentTransfer, 'state'>): boolean =>
  state === 'complete' || state === 'error' || state === 'cancelled';

export interface FollowOptions {
  readonly signal?: AbortSignal;
  /** Called for each change, also for the last one. */
  readonly onChange?: (transfer: AgentTransfer) => void;
}

/**
 * Begins a transfer and follows the agent's events until it has ended: complete, failed or cancelled. If the connection
 * breaks or events are lost, it continues with the transfer's current state.
 *
 * @throws AgentCallError when the agent refuses, or can no longer be reached; the transfer may then still be running
 */
export async function followTransfer(
  client: AgentClient,
  begin: () => Promise<AgentTransfer>,
  { signal, onChange }: FollowOptions = {},
): Promise<AgentTransfer> {
  const over = new AbortController();
  const stop = signal ? AbortSignal.any([signal, over.signal]) : over.signal;
  let transfer: AgentTransfer | null = null;
  try {
    for (;;) {
      // The stream is opened first, so that no change is missed.
      const reads = await openEvents(client, stop);
      transfer = transfer ? await client.call('getTransfer', { params: { id: transfer.id }, signal: stop }) : await begin();
      onChange?.(transfer);
      if (hasEnded(transfer)) return transfer;
      const { id } = transfer;
      try {
        read: for await (const events of reads) {
          for (const event of events) {
            if (event.type === 'events.lost') break read;
            if (!('transfer' in event) || event.transfer.id !== id) continue;
            transfer = event.transfer;
            onChange?.(transfer);
            if (hasEnded(transfer)) return transfer;
          }
        }
      } catch {
        // A broken connection is opened again.
        stop.throwIfAborted();
      }
    }
  } finally {
    over.abort();
  }
}
