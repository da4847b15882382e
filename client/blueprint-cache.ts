import type { Blueprint } from '#protocol/schema.ts';
import { TransferError } from './errors.ts';

/** Cache of the blueprints of one file's chunks. They are requested in batches. */
export interface BlueprintCache {
  /** A fresh blueprint for a chunk, by zero-based index. Each blueprint is returned once. */
  take(index: number): Promise<Blueprint>;
  /** The storage refused a blueprint: the cached ones are as old, so all are dropped. */
  discard(): void;
}

interface BlueprintCacheOptions {
  /** One past the highest index that will be requested. */
  readonly end: number;
  /** A blueprint for chunk 0 that the caller already has. */
  readonly first?: Blueprint;
  readonly fetch: (start: number, count: number) => Promise<readonly Blueprint[]>;
  /** Milliseconds. */
  readonly now: () => number;
}

/**
 * Blueprints per call. 100 chunks are 10 GB at the default size, so the calls cost nothing; more blueprints would only
 * expire unused.
 */
const batch = 100;
/** Milliseconds. Well below any storage's expiry, so that a slow chunk can still be sent. */
const goodFor = 30 * 60_000;

export function createBlueprintCache({ end, first, fetch, now }: BlueprintCacheOptions): BlueprintCache {
  const cached = new Map<number, { blueprint: Blueprint; until: number }>();
  let fetching: Promise<void> | null = null;
  if (first) cached.set(0, { blueprint: first, until: now() + goodFor });

  async function load(start: number): Promise<void> {
    const until = now() + goodFor;
    const count = Math.min(batch, end - start);
    const blueprints = await fetch(start, count);
    if (blueprints.length !== count) {
      throw new TransferError('wrong_answer', `The service gave ${blueprints.length} blueprints where ${count} were asked for.`);
    }
    cached.clear();
    blueprints.forEach((blueprint, offset) => {
      cached.set(start + offset, { blueprint, until });
    });
  }

  return {
    async take(index) {
      for (;;) {
        const found = cached.get(index);
        cached.delete(index);
        if (found && found.until > now()) return found.blueprint;
        fetching ??= load(index).finally(() => {
          fetching = null;
        });
        await fetching;
      }
    },
    discard() {
      cached.clear();
    },
  };
}
