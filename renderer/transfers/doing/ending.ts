import type { ReactNode } from 'react';
import type { ActOnTransfers } from '#protocol/agent/many-transfers.ts';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';

/** An end that waits for its moment: of one transfer, by its name, or of many. */
export interface Ending {
  readonly request: ActOnTransfers & { readonly action: 'cancel' | 'remove' };
  readonly count: number;
  readonly transfer: AgentTransfer | null;
}

export interface Note {
  readonly tone: 'bad' | 'plain';
  readonly text: ReactNode;
  /** Takes back what was done, where that is one step. */
  readonly undo?: () => void;
}
