import { createHashSet } from '../receipt/hash-set.ts';
import type { Store } from '../state/store.ts';

/** Checkpoint of an earlier scan, so that nothing is found twice. Paths as in the package. */
export interface ScanCheckpoint {
  /** Whether the scan entered this folder and may have left it incomplete. */
  wasEntered(folder: string): boolean;
  /** Whether the table has this entry, or anything in it. Asked only for entries of a folder that was entered. */
  has(path: string): boolean;
  /** Whether the package contains anything of an entered folder that is not scanned again. */
  holdsAny(folder: string): boolean;
}

const rowsAtOnce = 1_000;

/** All entries of a transfer, so that every folder is searched for missing ones. */
export async function checkpointOfAll(store: Pick<Store, 'files'>, transferId: string, signal: AbortSignal): Promise<ScanCheckpoint> {
  const marks = createHashSet();
  await eachEntry(store, transferId, signal, (path) => marks.add(path));
  return { wasEntered: () => true, has: (path) => marks.has(path), holdsAny: () => false };
}

/**
 * Reads the entries of a transfer. A folder that is not on the path to `last`, the last noted entry (or a folder with a
 * `/` at its end), is either complete or not entered. Memory: eight bytes for each entry of the folders on that path.
 */
export async function checkpointAt(
  store: Pick<Store, 'files'>,
  transferId: string,
  last: string,
  signal: AbortSignal,
): Promise<ScanCheckpoint> {
  const marks = createHashSet();
  const holding = new Set<string>();
  await eachEntry(store, transferId, signal, (path, isSkipped) => {
    const fork = upToFork(path, last);
    marks.add(fork);
    if (isSkipped) return;
    for (let folder = above(fork); folder !== '' && !holding.has(folder); folder = above(folder)) holding.add(folder);
  });
  return {
    wasEntered: (folder) => last.startsWith(`${folder}/`),
    has: (path) => marks.has(path),
    holdsAny: (folder) => holding.has(folder),
  };
}

async function eachEntry(
  { files }: Pick<Store, 'files'>,
  transferId: string,
  signal: AbortSignal,
  visit: (path: string, isSkipped: boolean) => void,
): Promise<void> {
  for (let afterId = 0; ; ) {
    const rows = files.paths(transferId, afterId, rowsAtOnce);
    if (rows.length === 0) return;
    afterId = rows.at(-1)!.id;
    for (const { path, name, state } of rows) visit(path === '' ? name : `${path}/${name}`, state === 'skipped');
    await new Promise((resume) => setImmediate(resume));
    signal.throwIfAborted();
  }
}

const above = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));

/** A path up to the point where it leaves the path to another one: of `a/b/c/d` and `a/x`, that is `a/b`. */
function upToFork(path: string, other: string): string {
  let end = 0;
  for (;;) {
    const next = path.indexOf('/', end);
    const part = next === -1 ? path : path.slice(0, next);
    if (next === -1 || !other.startsWith(`${part}/`)) return part;
    end = next + 1;
  }
}
