import type { Blueprint } from '#protocol/schema.ts';
import { MoveError } from './errors.ts';

/** Blueprints of one file's chunks, asked for many at a time. */
export interface BlueprintBook {
  /** A fresh blueprint for a chunk, by zero-based index. Each is given out once. */
  take(index: number): Promise<Blueprint>;
  /** The storage refused one: its neighbours are as old, and are not given out any more. */
  discard(): void;
}

export interface BlueprintBookOptions {
  /** One past the highest chunk that will be taken. */
  readonly end: number;
  /** One of chunk 0 that is at hand. */
  readonly first?: Blueprint;
  readonly fetch: (start: number, count: number) => Promise<readonly Blueprint[]>;
  /** Milliseconds. */
  readonly now: () => number;
}

/** A hundred chunks are 10 GB at the default size, so asking costs nothing; more would only grow old. */
const batch = 100;
/** Milliseconds. Well within any storage's expiry, so that a slow chunk still has time to go out. */
const goodFor = 30 * 60_000;

export function createBlueprintBook({ end, first, fetch, now }: BlueprintBookOptions): BlueprintBook {
  const held = new Map<number, { blueprint: Blueprint; until: number }>();
  let fetching: Promise<void> | null = null;
  if (first) held.set(0, { blueprint: first, until: now() + goodFor });

  async function load(start: number): Promise<void> {
    const until = now() + goodFor;
    const count = Math.min(batch, end - start);
    const blueprints = await fetch(start, count);
    if (blueprints.length !== count) {
      throw new MoveError('wrong_answer', `The service gave ${blueprints.length} blueprints where ${count} were asked for.`);
    }
    held.clear();
    blueprints.forEach((blueprint, place) => {
      held.set(start + place, { blueprint, until });
    });
  }

  return {
    async take(index) {
      for (;;) {
        const found = held.get(index);
        held.delete(index);
        if (found && found.until > now()) return found.blueprint;
        fetching ??= load(index).finally(() => {
          fetching = null;
        });
        await fetching;
      }
    },
    discard() {
      held.clear();
    },
  };
}
