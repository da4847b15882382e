import type { EngineEvent } from './engine.ts';
import type { Settings } from './state/settings.ts';
import type { Writer } from './state/writer.ts';

/**
 * What of the events outlives the agent: that ids only grow, whatever the clock does, and after an orderly end what the
 * last events were of, so that a reader who was away meanwhile misses nothing. Their contents are not kept (links
 * stand in them); who reads them later is told how things are then.
 */

/** What an event of an earlier run was of. */
export interface EarlierEvent {
  readonly id: number;
  readonly type: EngineEvent['type'];
  /** Of a transfer's events. */
  readonly transferId: string;
}

export interface EventMemory {
  /** Greater than every id that was given before. */
  readonly firstId: number;
  /** Ascending, without a gap; none after a crash. */
  readonly earlier: readonly EarlierEvent[];
  /** An id is about to be given. */
  giving(id: number): void;
  /** The agent ends: these were the last ones. */
  keep(events: readonly EngineEvent[], nextId: number): void;
}

interface Kept {
  /** No id beyond it was given. */
  readonly ceiling: number;
  readonly events: readonly (readonly [EarlierEvent['id'], EarlierEvent['type'], EarlierEvent['transferId']])[];
}

const name = 'events';
/** Ids that may be given before that is written down anew. */
const ahead = 1_000_000;

export function openEventMemory(settings: Settings, writer: Writer, now: number): EventMemory {
  const kept = JSON.parse(settings.get(name) ?? '{"ceiling":0,"events":[]}') as Kept;
  const firstId = Math.max(now * 1_000, kept.ceiling + 1);
  let ceiling = 0;
  const write = (next: Kept): void => {
    ceiling = next.ceiling;
    writer.write(() => settings.set(name, JSON.stringify(next)));
  };
  // Now already: after a crash nothing of an earlier run may pass for complete.
  write({ ceiling: firstId + ahead, events: [] });
  return {
    firstId,
    earlier: kept.events.map(([id, type, transferId]) => ({ id, type, transferId })),
    giving(id) {
      if (id >= ceiling) write({ ceiling: id + ahead, events: [] });
    },
    keep(events, nextId) {
      write({ ceiling: nextId - 1, events: events.map((event) => [event.id, event.type, transferOf(event)]) });
    },
  };
}

function transferOf(event: EngineEvent): string {
  if ('transfer' in event) return event.transfer.id;
  return 'transfer_id' in event ? event.transfer_id : '';
}
