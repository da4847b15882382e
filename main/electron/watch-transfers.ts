import type { Engine } from '#engine/engine.ts';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import { type Overview, OverviewState } from './overview.ts';

interface TransferWatch {
  /** The current summary. */
  overview(): Overview;
  /** Settles when watching has ended: resolves when the signal fired, rejects when the engine could not be read. */
  readonly ended: Promise<void>;
}

/** Above the highest number that can move at once: the setting's maximum is 100. */
const mostMoving = 500;

interface WatchCalls {
  /** Called for each transfer that ends while it is watched. */
  onEnd(transfer: AgentTransfer): void;
  /** Called when the settings have changed, or may have changed. */
  onSettings(): void;
}

/** Follows the engine's events for the shell. It uses the engine in this process directly, not the API. */
export function watchTransfers(
  engine: Pick<Engine, 'events' | 'transfers' | 'status'>,
  signal: AbortSignal,
  { onEnd, onSettings }: WatchCalls,
): TransferWatch {
  const book = new OverviewState();
  const readAll = async (): Promise<void> => {
    const { records } = await engine.transfers.list('all', { state: ['transferring'], page: 1, limit: mostMoving });
    book.read(records);
  };
  const follow = async (): Promise<void> => {
    const events = engine.events.subscribe(null, signal)[Symbol.asyncIterator]();
    // Requested first, so that no event is missed while the list is read.
    let next = events.next();
    await readAll();
    for (let { done, value } = await next; !done; { done, value } = await next) {
      if (value.type === 'events.lost') await readAll();
      if (value.type === 'events.lost' || value.type === 'settings.changed') onSettings();
      const ended = book.apply(value);
      if (ended) onEnd(ended);
      next = events.next();
    }
  };
  return { overview: () => book.overview(engine.status().paused !== null), ended: follow() };
}
