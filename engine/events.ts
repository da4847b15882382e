import type { EngineEvent } from './engine.ts';

type Unnumbered<E> = E extends { readonly id: number } ? Omit<E, 'id'> : never;
/** An event before it has its number. */
export type Happening = Unnumbered<EngineEvent>;

export interface Events {
  emit(happening: Happening): void;
  /** Those after `afterId` that are still kept, then new ones, until the signal fires. */
  subscribe(afterId: number | null, signal: AbortSignal): AsyncIterable<EngineEvent>;
}

export interface EventsOptions {
  /** The first id; a later start of the agent has to begin with a greater one. */
  readonly firstId: number;
  /** How many are kept for replay. */
  readonly kept?: number;
  /** How many a subscriber may fall behind before it is told to read the lists anew. */
  readonly backlog?: number;
}

/** The newest events in memory. Whoever missed some that are gone gets `events.lost` in their place. */
export function createEvents({ firstId, kept = 1_000, backlog = 1_000 }: EventsOptions): Events {
  const ring: EngineEvent[] = [];
  const subscribers = new Set<(event: EngineEvent) => void>();
  let nextId = firstId;

  const missed = (afterId: number): EngineEvent[] => {
    const oldest = ring[0]?.id ?? nextId;
    if (afterId + 1 < oldest || afterId >= nextId) return [{ id: nextId - 1, type: 'events.lost' }];
    return ring.filter((event) => event.id > afterId);
  };

  return {
    emit(happening) {
      const event = { ...happening, id: nextId++ } as EngineEvent;
      ring.push(event);
      if (ring.length > kept) ring.shift();
      for (const tell of subscribers) tell(event);
    },
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
