import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FileFilter } from './match.ts';

/** After this long, in milliseconds, other work of the process goes on first. */
const sliceMilliseconds = 10;

/**
 * Whether each name goes through the filter. The largest filters take a quarter of a second for a name, and a package may have a
 * million of those.
 */
export async function matchMany(
  goes: FileFilter,
  names: readonly string[],
  { signal, now = () => performance.now() }: { readonly signal?: AbortSignal; readonly now?: () => number } = {},
): Promise<boolean[]> {
  const found: boolean[] = [];
  let since = now();
  for (const name of names) {
    found.push(goes(name));
    if (now() - since < sliceMilliseconds) continue;
    await nextTurn();
    signal?.throwIfAborted();
    since = now();
  }
  return found;
}
