import { createMarks } from '../receipt/marks.ts';
import type { Store } from '../state/store.ts';

/** What an earlier run of a scan has written down already, so that nothing is found twice. Paths as in the package. */
export interface Noted {
  /** Whether the scan got into this folder, and may have left it half done. */
  isBegun(folder: string): boolean;
  /** Whether an entry stands in the table, or what is in it does. Asked only of what lies in a folder that is begun. */
  has(path: string): boolean;
}

const rowsAtOnce = 1_000;

/**
 * Goes through what is known of a transfer. Whatever folder is not on the way to `last`, the entry noted last (or a
 * folder with a `/` behind), is done or not begun. Eight bytes for each entry of the folders on the way.
 */
export async function notedSoFar({ files }: Pick<Store, 'files'>, transferId: string, last: string, signal: AbortSignal): Promise<Noted> {
  const marks = createMarks();
  for (let afterId = 0; ; ) {
    const rows = files.places(transferId, afterId, rowsAtOnce);
    if (rows.length === 0) break;
    afterId = rows.at(-1)!.id;
    for (const { path, name } of rows) marks.add(upToFork(path === '' ? name : `${path}/${name}`, last));
    await new Promise((resume) => setImmediate(resume));
    signal.throwIfAborted();
  }
  return { isBegun: (folder) => last.startsWith(`${folder}/`), has: (path) => marks.has(path) };
}

/** A path up to where it leaves the way to another one: of `a/b/c/d` on the way to `a/x`, that is `a/b`. */
function upToFork(path: string, other: string): string {
  let end = 0;
  for (;;) {
    const next = path.indexOf('/', end);
    const part = next === -1 ? path : path.slice(0, next);
    if (next === -1 || !other.startsWith(`${part}/`)) return part;
    end = next + 1;
  }
}
