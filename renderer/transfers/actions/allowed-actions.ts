import type { TransferState } from '#protocol/agent/transfer-states.ts';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';

/** The actions for a transfer in its present state, the most likely first. */
type TransferAction = 'pause' | 'pauseFor' | 'resume' | 'retry' | 'finalize' | 'cancel' | 'remove' | 'move' | 'priority';

const actionsByState: Readonly<Record<TransferState, readonly TransferAction[]>> = {
  queued: ['pause', 'pauseFor', 'cancel', 'move', 'priority'],
  transferring: ['pause', 'pauseFor', 'cancel', 'move', 'priority'],
  paused: ['resume', 'cancel', 'move', 'priority'],
  idle: ['finalize', 'cancel', 'move', 'priority'],
  complete: ['remove'],
  error: ['retry', 'remove', 'move', 'priority'],
  cancelled: ['retry', 'remove'],
};

export const actionsOf = (state: TransferState): readonly TransferAction[] => actionsByState[state];

export const isAllowed = (transfer: AgentTransfer, action: TransferAction): boolean => actionsByState[transfer.state].includes(action);

/** The action with a button on the row itself. */
export function primaryAction({ state }: AgentTransfer): 'pause' | 'resume' | 'retry' | 'finalize' | null {
  switch (state) {
    case 'queued':
    case 'transferring':
      return 'pause';
    case 'paused':
      return 'resume';
    case 'idle':
      return 'finalize';
    case 'error':
    case 'cancelled':
      return 'retry';
    case 'complete':
      return null;
  }
}

/** How a person removes it: an unfinished transfer is cancelled, a finished one is removed from the list. */
export const removalOf = ({ state }: AgentTransfer): 'cancel' | 'remove' =>
  state === 'complete' || state === 'cancelled' || state === 'error' ? 'remove' : 'cancel';
