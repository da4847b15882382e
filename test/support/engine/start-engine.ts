import type { Engine } from '#engine/engine.ts';
import type { EngineOptions } from '#engine/engine-options.ts';
import { silentLog } from '#engine/ports.ts';
import { startEngine } from '#engine/start.ts';
import type { TransferState } from '#protocol/agent/transfer-states.ts';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';

/** An engine with a vault (tests ask no keychain), its reports kept quiet. */
export function startTestEngine(options: Pick<EngineOptions, 'dataDir' | 'serviceUrl'> & Partial<EngineOptions>): Promise<Engine> {
  return startEngine({ version: 'test', log: silentLog, secrets: 'vault', ...options });
}

const over: readonly TransferState[] = ['complete', 'error', 'cancelled', 'idle'];

/** The transfer as soon as it is as wanted; by default when it is over or idle. Follows events, so nothing is polled. */
export async function transferWhen(
  engine: Engine,
  id: string,
  wanted: (transfer: AgentTransfer) => boolean = ({ state }) => over.includes(state),
): Promise<AgentTransfer> {
  const stop = new AbortController();
  const events = engine.events.subscribe(null, stop.signal)[Symbol.asyncIterator]();
  let next = events.next();
  try {
    for (;;) {
      const transfer = await engine.transfers.get(id);
      if (wanted(transfer)) return transfer;
      await next;
      next = events.next();
    }
  } finally {
    stop.abort();
    await next;
  }
}
