import type { AgentEvent } from '#protocol/agent/events.ts';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';

/** Transfers of which it is remembered that they were not over; the longest unheard of go first. */
const remembered = 10_000;

/**
 * Takes the agent's events one by one and gives the transfer that an event ended, well or not. Only what was seen
 * unfinished is news: what ended before, and is changed once more, is not; nor is what somebody cancelled.
 */
export function createEnds(): (event: AgentEvent) => AgentTransfer | null {
  const unfinished = new Set<string>();
  return (event) => {
    if (event.type === 'transfer.removed') unfinished.delete(event.transfer_id);
    if (event.type !== 'transfer.added' && event.type !== 'transfer.changed') return null;
    const { transfer } = event;
    const was = unfinished.delete(transfer.id);
    switch (transfer.state) {
      case 'complete':
      case 'error':
        return was ? transfer : null;
      case 'cancelled':
        return null;
      default:
        unfinished.add(transfer.id);
        if (unfinished.size > remembered) unfinished.delete(unfinished.keys().next().value!);
        return null;
    }
  };
}
