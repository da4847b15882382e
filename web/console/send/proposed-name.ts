import { partFault } from '#protocol/names.ts';
import type { Entry } from '../../sending/files/entry.ts';

type Named = Pick<Entry, 'path' | 'name'>;

/** Of lists of files that may be long, and are asked for with each letter that is typed. */
const known = new WeakMap<readonly Named[], readonly string[]>();

/** What was chosen, as people see it: files, and folders with all that is in them. */
export function topNames(entries: readonly Named[]): readonly string[] {
  const names = known.get(entries) ?? [...new Set(entries.map(({ path, name }) => (path === '' ? name : path.split('/')[0]!)))];
  known.set(entries, names);
  return names;
}

/** The folder of all files, else the first file without its extension: what people would call it. */
export function proposedName(entries: readonly Named[]): string {
  const tops = topNames(entries);
  const [first] = tops;
  if (first === undefined) return '';
  const isFolder = tops.length === 1 && entries[0]!.path !== '';
  return isFolder ? first : first.replace(/(?<=.)\.[^.]*$/, '');
}

/** What a package can hold of a name at a provider; null if that is nothing. */
export function heldName(name: string): string | null {
  if (partFault(name) === null) return name;
  // What Windows cannot hold, and what turns the direction of text.
  const held = name.replace(/[<>:"|?*\\/\p{Cc}\p{Bidi_Control}]/gu, '_').replace(/[. ]+$/, '_');
  return partFault(held) === null ? held : null;
}
