import type { ReactNode } from 'react';
import type { ActOnTransfers } from '#protocol/agent/many-transfers.ts';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';

/** A pending cancel or remove action: for one transfer, or for many. */
export interface Ending {
  readonly request: ActOnTransfers & { readonly action: 'cancel' | 'remove' };
  readonly count: number;
  readonly transfer: AgentTransfer | null;
}

export interface Note {
  readonly tone: 'bad' | 'plain';
  readonly text: ReactNode;
  /** Reverts the action, where one step is enough. */
  readonly undo?: () => void;
}
