import type { EngineEvent } from './engine.ts';
import type { Settings } from './state/settings.ts';
import type { Writer } from './state/writer.ts';

/**
 * Persists what is needed for events over restarts: ids only grow, whatever the clock does, and after an orderly
 * shutdown a client that was disconnected meanwhile misses nothing. Only the subjects of the last events are stored,
 * not their contents (which contain links); a later reader gets the current state.
 */

/** The subject of an event of an earlier run. */
export interface EarlierEvent {
  readonly id: number;
  readonly type: EngineEvent['type'];
  /** Set for events of a transfer. */
  readonly transferId: string;
}

interface EventReplay {
  /** Greater than every earlier id. */
  readonly firstId: number;
  /** Ascending, without gaps; empty after a crash. */
  readonly earlier: readonly EarlierEvent[];
  /** Called before an id is assigned. */
  giving(id: number): void;
  /** Stores the last events at shutdown. */
  keep(events: readonly EngineEvent[], nextId: number): void;
}

interface SavedReplay {
  /** No assigned id is greater. */
  readonly ceiling: number;
  readonly events: readonly (readonly [EarlierEvent['id'], EarlierEvent['type'], EarlierEvent['transferId']])[];
}

const name = 'events';
/** Ids that may be assigned before the ceiling is saved again. */
const ahead = 1_000_000;

export function openEventReplay(settings: Settings, writer: Writer, now: number): EventReplay {
  const saved = JSON.parse(settings.get(name) ?? '{"ceiling":0,"events":[]}') as SavedReplay;
  const firstId = Math.max(now * 1_000, saved.ceiling + 1);
  let ceiling = 0;
  let writing = false;
  // If the write was lost, the next id saves it again.
  writer.onEnd((lost) => {
    if (lost) ceiling = 0;
  });
  const write = (next: SavedReplay): void => {
    writing = true;
    try {
      writer.write(() => settings.set(name, JSON.stringify(next)));
      ceiling = next.ceiling;
    } finally {
      writing = false;
    }
  };
  // Written at once: after a crash, the events of an earlier run must not count as complete.
  write({ ceiling: firstId + ahead, events: [] });
  return {
    firstId,
    earlier: saved.events.map(([id, type, transferId]) => ({ id, type, transferId })),
    giving(id) {
      if (id < ceiling || writing) return;
      try {
        write({ ceiling: id + ahead, events: [] });
      } catch {
        // Events are published even while the database cannot be written; the clock makes the ids of the next run
        // greater.
      }
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
