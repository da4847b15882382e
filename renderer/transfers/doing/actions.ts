import type { AgentTransfer, TransferState } from '#protocol/agent/transfers.ts';

/** What can be done with one transfer as it stands, most likely first. */
export type Act = 'pause' | 'pauseFor' | 'resume' | 'retry' | 'finalize' | 'cancel' | 'remove' | 'move' | 'priority';

const acts: Readonly<Record<TransferState, readonly Act[]>> = {
  queued: ['pause', 'pauseFor', 'cancel', 'move', 'priority'],
  transferring: ['pause', 'pauseFor', 'cancel', 'move', 'priority'],
  paused: ['resume', 'cancel', 'move', 'priority'],
  idle: ['finalize', 'cancel', 'move', 'priority'],
  complete: ['remove'],
  error: ['retry', 'remove', 'move', 'priority'],
  cancelled: ['retry', 'remove'],
};

export const can = (transfer: AgentTransfer, act: Act): boolean => acts[transfer.state].includes(act);

/** The one that stands on the row itself. */
export function mainAct({ state }: AgentTransfer): 'pause' | 'resume' | 'retry' | 'finalize' | null {
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

/** How it ends, if the person wants it gone: cancelled while it is not over, removed from the list then. */
export const endingOf = ({ state }: AgentTransfer): 'cancel' | 'remove' =>
  state === 'complete' || state === 'cancelled' || state === 'error' ? 'remove' : 'cancel';
