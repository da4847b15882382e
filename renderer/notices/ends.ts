import type { AgentEvent } from '#protocol/agent/events.ts';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';

/** Maximum number of remembered unfinished transfers. Beyond it the least recently seen one is forgotten. */
const remembered = 10_000;

/**
 * Takes the agent's events one by one and returns the transfer that an event ended, complete or failed. Only transfers
 * that were seen unfinished are reported: not those that had ended before, and not cancelled ones.
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
