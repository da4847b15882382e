/** States of a transfer: contract/agent.md §3. Apart from the schemas, so that a small process need not load those. */
export const transferStates = ['queued', 'transferring', 'paused', 'idle', 'complete', 'error', 'cancelled'] as const;
export type TransferState = (typeof transferStates)[number];
