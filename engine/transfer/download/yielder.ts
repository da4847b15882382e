/** Milliseconds of work before the event loop gets a turn: half of the maximum between two turns. */
const sliceMs = 5;

/**
 * For loops whose length is chosen by others. Called after each step, it returns nothing while the loop may continue;
 * otherwise it returns a promise that lets other work run first. Throws the signal's reason once it fires.
 */
export function createYielder(signal?: AbortSignal, clock: () => number = () => performance.now()): () => Promise<void> | undefined {
  let since = clock();
  return () => {
    if (clock() - since < sliceMs) return undefined;
    return new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      signal?.throwIfAborted();
      since = clock();
    });
  };
}
