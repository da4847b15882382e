import { setTimeout as sleep } from 'node:timers/promises';
import { hasEnded } from '#client/agent-transfers.ts';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import type { ProgressShow } from '../progress.ts';
import type { AgentHandle } from './agent-handle.ts';

/** The polling interval: smooth progress at almost no cost. */
const pollIntervalMs = 250;

/**
 * Shows a transfer's progress until it ends or the signal fires.
 *
 * @returns the transfer's last known state; it may still be running when the signal fired
 */
export async function follow(agent: AgentHandle, id: string, progress: ProgressShow, signal: AbortSignal): Promise<AgentTransfer> {
  try {
    for (;;) {
      const transfer = await agent.transfers.get(id);
      progress.show(transfer);
      if (hasEnded(transfer) || signal.aborted) return transfer;
      await sleep(pollIntervalMs, undefined, { signal }).catch(() => undefined);
    }
  } finally {
    progress.end();
  }
}
