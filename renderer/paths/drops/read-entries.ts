import { entryFault } from '#protocol/names.ts';
import type { BrowserEntry } from '../dropped.ts';

/** A file in the browser, with its path in the drop. */
export interface DroppedFile {
  readonly path: string;
  readonly file: File;
}

export interface DroppedTree {
  /** Names of the files and folders that were dropped. */
  readonly tops: readonly string[];
  readonly files: readonly DroppedFile[];
  /** Paths of folders without anything in them. */
  readonly folders: readonly string[];
  readonly bytes: number;
}

/** A file or folder that cannot be sent, and why: a name that no package can hold, or what the browser may not read. */
export class UnsendableEntry extends Error {
  override readonly name = 'UnsendableEntry';
  readonly path: string;
  readonly kind: 'name' | 'unreadable';

  constructor(path: string, kind: 'name' | 'unreadable', cause?: unknown) {
    super(`${path}: ${kind}`, { cause });
    this.path = path;
    this.kind = kind;
  }
}

/** All files and folders below these, however many. Throws an `UnsendableEntry`, or the signal's reason. */
export async function readEntries(entries: readonly BrowserEntry[], signal: AbortSignal): Promise<DroppedTree> {
  const files: DroppedFile[] = [];
  const folders: string[] = [];
  const tops = distinctNames(entries);
  const queue: { readonly entry: BrowserEntry; readonly folder: string; readonly as?: string }[] = entries.map((entry, index) => ({
    entry,
    folder: '',
    as: tops[index]!,
  }));
  for (let at = 0; at < queue.length; at++) {
    signal.throwIfAborted();
    const { entry, folder, as: name = entry.name } = queue[at]!;
    const path = folder === '' ? name : `${folder}/${name}`;
    if (entryFault(folder, name)) throw new UnsendableEntry(path, 'name');
    try {
      if (entry.isFile) files.push({ path, file: await new Promise<File>((found, failed) => entry.file!(found, failed)) });
      else {
        const children = await childrenOf(entry);
        if (children.length === 0) folders.push(path);
        for (const child of children) queue.push({ entry: child, folder: path });
      }
    } catch (cause) {
      throw new UnsendableEntry(path, 'unreadable', cause);
    }
  }
  return { tops, files, folders, bytes: files.reduce((sum, { file }) => sum + file.size, 0) };
}

/**
 * Names for what was dropped at once. Things of one name come from different folders, and all of them are sent: the second
 * `take.mov` is `take (2).mov`, as file managers have it. Disks may take names for one that differ only in case.
 */
function distinctNames(entries: readonly BrowserEntry[]): readonly string[] {
  const keyOf = (name: string): string => name.normalize('NFC').toLowerCase();
  const given = new Set(entries.map(({ name }) => keyOf(name)));
  const taken = new Set<string>();
  return entries.map(({ name, isFile }) => {
    const dot = isFile ? name.lastIndexOf('.') : -1;
    const [stem, ending] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, ''];
    let own = name;
    for (let number = 2; taken.has(keyOf(own)) || (own !== name && given.has(keyOf(own))); number++) own = `${stem} (${number})${ending}`;
    taken.add(keyOf(own));
    return own;
  });
}

/** A reader gives a hundred at a time, and none at the end. */
async function childrenOf(folder: BrowserEntry): Promise<BrowserEntry[]> {
  const reader = folder.createReader!();
  const all: BrowserEntry[] = [];
  for (;;) {
    const some = await new Promise<readonly BrowserEntry[]>((found, failed) => reader.readEntries(found, failed));
    if (some.length === 0) return all;
    all.push(...some);
  }
}
