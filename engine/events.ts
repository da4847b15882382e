import type { EngineEvent } from './engine.ts';
import type { EarlierEvent } from './event-replay.ts';

type Unnumbered<E> = E extends { readonly id: number } ? Omit<E, 'id'> : never;
/** An event without its id. */
export type Happening = Unnumbered<EngineEvent>;

export interface Events {
  emit(happening: Happening): void;
  /** The stored events after `afterId`, then new ones, until the signal fires. */
  subscribe(afterId: number | null, signal: AbortSignal): AsyncIterable<EngineEvent>;
  /** The events for replay, and the next id. */
  replayable(): { readonly events: readonly EngineEvent[]; readonly nextId: number };
}

interface EventsOptions {
  /** The first id; a later start of the agent has to begin with a greater one. */
  readonly firstId: number;
  /** Number of events kept for replay. */
  readonly maxReplay?: number;
  /** Number of events a subscriber may lag behind before it is told to reload the lists. */
  readonly backlog?: number;
  /** Subjects of the last events of an earlier run, and a function for their current state; `null` if the subject is gone. */
  readonly earlier?: { readonly events: readonly EarlierEvent[]; readonly now: (event: EarlierEvent) => Happening | null };
  /** Called with each id before it is assigned. */
  readonly giving?: (id: number) => void;
}

/** Keeps the newest events in memory. A subscriber that missed deleted events gets `events.lost` instead. */
export function createEvents({ firstId, maxReplay = 1_000, backlog = 1_000, earlier, giving }: EventsOptions): Events {
  const ring: EngineEvent[] = [];
  const subscribers = new Set<(event: EngineEvent) => void>();
  let nextId = firstId;

  const missed = (afterId: number): EngineEvent[] => {
    const oldest = ring[0]?.id ?? nextId;
    const revived = afterId < firstId && oldest === firstId ? revive(afterId) : null;
    if (revived) return [...revived, ...ring];
    if (afterId + 1 < oldest || afterId >= nextId) return [{ id: nextId - 1, type: 'events.lost' }];
    return ring.filter((event) => event.id > afterId);
  };

  /** Events of the earlier run after this id, with the current state, one per subject; `null` if some are missing. */
  const revive = (afterId: number): EngineEvent[] | null => {
    const before = earlier?.events ?? [];
    const [first, last] = [before[0], before.at(-1)];
    if (!earlier || !first || !last || afterId + 1 < first.id || afterId > last.id) return null;
    const latest = new Map(before.filter(({ id }) => id > afterId).map((event) => [`${event.transferId || event.type}`, event]));
    return [...latest.values()]
      .sort((a, b) => a.id - b.id)
      .flatMap((event) => {
        const happening = earlier.now(event);
        return happening ? [{ ...happening, id: event.id } as EngineEvent] : [];
      });
  };

  return {
    emit(happening) {
      giving?.(nextId);
      const event = { ...happening, id: nextId++ } as EngineEvent;
      ring.push(event);
      if (ring.length > maxReplay) ring.shift();
      for (const tell of subscribers) tell(event);
    },
    replayable: () => ({ events: ring, nextId }),
    async *subscribe(afterId, signal) {
      let waiting: EngineEvent[] = afterId === null ? [] : missed(afterId);
      let wake: () => void = () => {};
      const tell = (event: EngineEvent): void => {
        if (waiting.length >= backlog) waiting = [{ id: event.id, type: 'events.lost' }];
        else waiting.push(event);
        wake();
      };
      const stop = (): void => wake();
      subscribers.add(tell);
      signal.addEventListener('abort', stop);
      try {
        while (!signal.aborted) {
          const ready = waiting;
          waiting = [];
          yield* ready;
          if (waiting.length > 0 || signal.aborted) continue;
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      } finally {
        subscribers.delete(tell);
        signal.removeEventListener('abort', stop);
      }
    },
  };
}
