import { RE2JS } from 're2js';
import { globToRe2 } from './glob.ts';

/** Completes a folder where an automation names no marker of its own. */
export const defaultMarker = '_READY';

const namePlaceholder = '{name}';

/** A marker file, and what it completes. */
export interface FoundMarker<T> {
  readonly file: T;
  /**
   * `folder`: all that is in the folder at `path`, which is empty for the watched one. `sibling`: what is at `path`: a
   * folder, a file, or a file whose name has an ending besides.
   */
  readonly completes: { readonly kind: 'folder' | 'sibling'; readonly path: string };
}

/**
 * Finds the marker files among the files of a watched folder: contract/agent.md §10. A marker is a shell-style
 * pattern of a name. It completes the folder that it lies in: `_READY`, `*.mhl`. With folders in it, it completes the
 * folder that these begin in: `ascmhl/*.mhl`. With `{name}` it completes what has that name beside it: `{name}.xml` is
 * the sidecar of `clip.mov`, and of a folder `clip`.
 */
export function findMarkers<T extends { readonly path: string }>(files: Iterable<T>, marker: string): FoundMarker<T>[] {
  const depth = marker.split('/').length;
  const named = marker.includes(namePlaceholder);
  const source = marker.normalize('NFC').split(namePlaceholder).map(globToRe2).join('([^/]+)');
  const pattern = RE2JS.compile(`(?s)^(?:${source})$`, RE2JS.CASE_INSENSITIVE);
  const found: FoundMarker<T>[] = [];
  for (const file of files) {
    const start = startOfLast(file.path, depth);
    if (start < 0) continue;
    const tail = file.path.slice(start).normalize('NFC');
    if (!pattern.matches(tail)) continue;
    const folder = file.path.slice(0, Math.max(0, start - 1));
    const matcher = pattern.matcher(tail);
    const name = named && matcher.matches() ? matcher.group(1)! : '';
    const path = named ? (folder === '' ? name : `${folder}/${name}`) : folder;
    found.push({ file, completes: { kind: named ? 'sibling' : 'folder', path } });
  }
  return found;
}

/** Where the last `count` parts of a path begin; -1 where it has fewer. */
function startOfLast(path: string, count: number): number {
  let slash = path.length;
  for (let left = count; left > 0; left -= 1) {
    if (slash < 0) return -1;
    slash = path.lastIndexOf('/', slash - 1);
  }
  return slash + 1;
}
