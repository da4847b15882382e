import { isAbsolute } from 'node:path';
import { nodeFileSystem } from '#filesystem/node-file-system.ts';
import type { FileSystem } from '#filesystem/port.ts';
import type { PathsMeasure } from '#protocol/agent/paths.ts';
import { AgentError, ApiError } from '#protocol/errors.ts';
import type { PathGuard } from './path-guard.ts';
import { checkRoots, rootsOf, walk } from './scan.ts';

export interface Measure extends Omit<PathsMeasure, 'seconds'> {}

interface MeasureOptions {
  /** Fires when nobody waits for the answer any more: then it rejects. */
  readonly signal: AbortSignal;
  readonly guard?: PathGuard | null;
  /** Entries looked at, and milliseconds, after which it answers with what it has. */
  readonly mostEntries?: number;
  readonly mostMs?: number;
  readonly now?: () => number;
  readonly fileSystem?: FileSystem;
}

/**
 * Counts what paths hold, as an upload of them would (`scan.ts`). A path that cannot be sent is told by its error. Bounded:
 * a tree of millions of files is counted in part, and `complete` says so.
 */
export async function measurePaths(
  paths: readonly string[],
  { signal, guard = null, mostEntries = 500_000, mostMs = 8_000, now = Date.now, fileSystem = nodeFileSystem }: MeasureOptions,
): Promise<Measure> {
  const end = now() + mostMs;
  let [looked, unreadable, complete] = [0, 0, true];
  const measured: PathsMeasure['paths'] = [];
  for (const path of paths) {
    const error = faultOf(path, guard, fileSystem);
    const kind = error ? 'none' : fileSystem.stat(path)?.isDirectory() ? 'directory' : 'file';
    let [files, bytes] = [0, 0];
    if (kind !== 'none' && complete) {
      for await (const entry of walk({ ...rootsOf([path], fileSystem)[0]!, folder: '', guard, signal, fileSystem })) {
        looked++;
        if (entry.state === 'error') unreadable++;
        else if (entry.state !== 'skipped' && entry.kind === 'file') {
          files++;
          bytes += entry.size;
        }
        if (looked >= mostEntries || now() > end) {
          complete = false;
          break;
        }
      }
    }
    measured.push({ path, kind, files, bytes, error });
  }
  return {
    paths: measured,
    files: measured.reduce((sum, one) => sum + one.files, 0),
    bytes: measured.reduce((sum, one) => sum + one.bytes, 0),
    unreadable,
    complete,
  };
}

/** Why a path cannot be sent; `null` where it can. */
function faultOf(path: string, guard: PathGuard | null, fileSystem: FileSystem): PathsMeasure['paths'][number]['error'] {
  try {
    if (guard && isAbsolute(path)) guard(path);
    checkRoots([path], fileSystem);
    return null;
  } catch (cause) {
    if (cause instanceof ApiError) return cause.body;
    return new AgentError('path_unreadable', { path, detail: 'it cannot be read.' }, { cause }).body;
  }
}
