import { partFault } from '#protocol/names.ts';
import type { Entry } from '../../sending/files/entry.ts';

/** The folder of all files, else the first file without its extension: what people would call it. */
export function proposedName(entries: readonly Pick<Entry, 'path' | 'name'>[]): string {
  const tops = new Set(entries.map(({ path, name }) => (path === '' ? name : path.split('/')[0]!)));
  const [first] = tops;
  if (first === undefined) return '';
  const isFolder = tops.size === 1 && entries[0]!.path !== '';
  return isFolder ? first : first.replace(/(?<=.)\.[^.]*$/, '');
}

/** What a package can hold of a name at a provider; null if that is nothing. */
export function heldName(name: string): string | null {
  if (partFault(name) === null) return name;
  // What Windows cannot hold, and what turns the direction of text.
  const held = name.replace(/[<>:"|?*\\/\p{Cc}\p{Bidi_Control}]/gu, '_').replace(/[. ]+$/, '_');
  return partFault(held) === null ? held : null;
}
