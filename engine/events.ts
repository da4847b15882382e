import type { EngineEvent } from './engine.ts';
import type { EarlierEvent } from './event-memory.ts';

type Unnumbered<E> = E extends { readonly id: number } ? Omit<E, 'id'> : never;
/** An event before it has its number. */
export type Happening = Unnumbered<EngineEvent>;

export interface Events {
  emit(happening: Happening): void;
  /** Those after `afterId` that are still kept, then new ones, until the signal fires. */
  subscribe(afterId: number | null, signal: AbortSignal): AsyncIterable<EngineEvent>;
  /** Those that are kept, and the id that the next one gets. */
  kept(): { readonly events: readonly EngineEvent[]; readonly nextId: number };
}

export interface EventsOptions {
  /** The first id; a later start of the agent has to begin with a greater one. */
  readonly firstId: number;
  /** How many are kept for replay. */
  readonly kept?: number;
  /** How many a subscriber may fall behind before it is told to read the lists anew. */
  readonly backlog?: number;
  /** What the last events of an earlier run were of, and how it stands with that now; `null` where it is gone. */
  readonly earlier?: { readonly events: readonly EarlierEvent[]; readonly now: (event: EarlierEvent) => Happening | null };
  /** Told of each id before it is given. */
  readonly giving?: (id: number) => void;
}

/** The newest events in memory. Whoever missed some that are gone gets `events.lost` in their place. */
export function createEvents({ firstId, kept = 1_000, backlog = 1_000, earlier, giving }: EventsOptions): Events {
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

  /** Those of the earlier run after this id, as things stand now, the last of each; `null` where some are missing. */
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
      if (ring.length > kept) ring.shift();
      for (const tell of subscribers) tell(event);
    },
    kept: () => ({ events: ring, nextId }),
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
