import { createFolderIndex } from '#protocol/folder-index.ts';
import type { File } from '#protocol/hosted/files.ts';
import type { FileRange } from '#protocol/hosted/zips.ts';
import { pathOf } from '#ui/tree/file-tree.ts';

/** A choice of a package's files and empty folders, by id, as ranges of its list (contract/zips.md §5). */
export function rangesOf(records: readonly File[], chosen: ReadonlySet<string>): FileRange[] {
  const above = createFolderIndex();
  for (const { id, path } of records) if (chosen.has(id)) above.add(path);
  // The record of a folder that something is chosen in goes along: else it would cut a range in two.
  return ranges(records, (one) => chosen.has(one.id) || (one.kind === 'directory' && above.has(pathOf(one))));
}

/** All of it. */
export const rangesOfAll = (records: readonly File[]): FileRange[] =>
  ranges(records, ({ kind }) => kind === 'file' || kind === 'directory');

/** A folder and everything below it. */
export function rangesOfFolder(records: readonly File[], folder: string): FileRange[] {
  const inside = (path: string): boolean => path === folder || path.startsWith(`${folder}/`);
  return ranges(records, (one) => inside(one.path) || (one.kind === 'directory' && pathOf(one) === folder));
}

/**
 * Without files with a virus, which nobody wants and the Team may block, and damaged ones, with which there is no zip; unless there
 * are none but such.
 */
function ranges(records: readonly File[], wanted: (record: File) => boolean): FileRange[] {
  const isLeftOut = ({ virus_detected, damaged }: File): boolean => virus_detected || damaged === true;
  const isOthers = records.some((record) => record.kind === 'file' && !isLeftOut(record) && wanted(record));
  return all(records, (record) => wanted(record) && !(isOthers && isLeftOut(record)));
}

function all(records: readonly File[], wanted: (record: File) => boolean): FileRange[] {
  const found: { first: number; last: number }[] = [];
  for (const [position, record] of records.entries()) {
    if (!wanted(record)) continue;
    const open = found.at(-1);
    if (open?.last === position - 1) open.last = position;
    else found.push({ first: position, last: position });
  }
  return found;
}
