import type { Progress } from './progress.ts';
import type { Watch } from './watch.ts';

/** Packages that are read by one statement. */
const perRead = 100;

/**
 * Has every watch look for what no message told of. Many are read at once, one batch after the other: thousands of open streams
 * would else be as many statements in the same moment, and every call would wait behind them for a connection.
 */
export function createPoll(
  watches: ReadonlyMap<string, Pick<Watch, 'poll'>>,
  readAll: (ids: readonly string[]) => Promise<ReadonlyMap<string, Progress>>,
): () => Promise<void> {
  let polling = false;
  return async () => {
    if (polling) return;
    polling = true;
    const ids = [...watches.keys()];
    for (let at = 0; at < ids.length; at += perRead) {
      const batch = ids.slice(at, at + perRead);
      const all = readAll(batch);
      for (const id of batch) watches.get(id)?.poll(async () => (await all).get(id) ?? null);
      // Each watch says what failed.
      await all.catch(() => undefined);
    }
    polling = false;
  };
}
