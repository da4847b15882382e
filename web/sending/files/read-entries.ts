import pLimit from 'p-limit';
import type { Entry } from './entry.ts';

/** The chosen or dropped entries, and the paths that the browser could not read. */
export interface ReadEntries {
  readonly entries: readonly Entry[];
  readonly unreadable: readonly string[];
}

/** A file system entry in browsers without handles. */
interface DirectoryReader {
  readEntries(done: (some: FileSystemEntry[]) => void, failed: (error: unknown) => void): void;
}

/** Concurrency of calls to the browser: each waits for another process, and there may be thousands. */
const askedAtOnce = 32;

const join = (path: string, name: string): string => (path === '' ? name : `${path}/${name}`);

const fileEntry = (path: string, file: File, root: FileSystemHandle | null): Entry => ({
  kind: 'file',
  path,
  name: file.name,
  size: file.size,
  lastModified: file.lastModified,
  file,
  root,
});

const folderEntry = (path: string, name: string, root: FileSystemHandle | null): Entry => ({
  kind: 'directory',
  path,
  name,
  size: 0,
  lastModified: Date.now(),
  file: null,
  root,
});

/** From `<input type="file">`, for files or a folder. */
export function fromInput(files: Iterable<File>): ReadEntries {
  const entries = Array.from(files, (file) => {
    const path = file.webkitRelativePath.split('/').slice(0, -1).join('/');
    return fileEntry(path, file, null);
  });
  return { entries, unreadable: [] };
}

/** From handles, which the browser can store: their files can be read again after a reload. */
export function fromHandles(handles: readonly FileSystemHandle[]): Promise<ReadEntries> {
  return readTree(handles, (handle, path, root) => ({
    read: async () => {
      if (handle.kind === 'file') return fileEntry(path, await (handle as FileSystemFileHandle).getFile(), root);
      return Array.fromAsync((handle as FileSystemDirectoryHandle).values());
    },
    empty: () => folderEntry(path, handle.name, root),
  }));
}

/** The content of a folder, or a file. */
interface Look<T> {
  readonly read: () => Promise<Entry | T[]>;
  /** The entry for a folder without content. */
  readonly empty: () => Entry;
}

/** Walks the chosen entries. Unreadable paths are reported and do not stop the others. */
async function readTree<T extends { readonly name: string }>(
  roots: readonly T[],
  look: (one: T, path: string, root: T) => Look<T>,
): Promise<ReadEntries> {
  const asked = pLimit(askedAtOnce);
  const unreadable: string[] = [];

  async function walk(one: T, path: string, root: T): Promise<Entry[]> {
    const { read, empty } = look(one, path, root);
    try {
      const found = await asked(read);
      if (!Array.isArray(found)) return [found];
      if (found.length === 0) return [empty()];
      return (await Promise.all(found.map((child) => walk(child, join(path, one.name), root)))).flat();
    } catch {
      unreadable.push(join(path, one.name));
      return [];
    }
  }

  const entries = await Promise.all(roots.map((root) => walk(root, '', root)));
  return { entries: entries.flat(), unreadable };
}

/** From a drop. Must be called inside the drop handler: afterwards the browser discards the data. */
export function fromDrop(transfer: DataTransfer): Promise<ReadEntries> {
  const items = [...transfer.items].filter((item) => item.kind === 'file');
  const handles = items.map((item) => ('getAsFileSystemHandle' in item ? handleOf(item) : null));
  const entries = items.map((item) => item.webkitGetAsEntry());
  const files = [...transfer.files];
  return (async () => {
    const found = await Promise.all(handles);
    if (found.length > 0 && found.every((handle) => handle !== null)) return fromHandles(found);
    const some = entries.filter((entry) => entry !== null);
    return some.length > 0 ? fromEntries(some) : fromInput(files);
  })();
}

async function handleOf(item: DataTransferItem): Promise<FileSystemHandle | null> {
  try {
    return (
      (await (item as DataTransferItem & { getAsFileSystemHandle(): Promise<FileSystemHandle | null> }).getAsFileSystemHandle()) ?? null
    );
  } catch {
    return null;
  }
}

function fromEntries(roots: readonly FileSystemEntry[]): Promise<ReadEntries> {
  return readTree(roots, (entry, path) => ({
    read: async () => {
      if (!entry.isFile) return readAll((entry as FileSystemDirectoryEntry).createReader());
      return fileEntry(path, await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject)), null);
    },
    empty: () => folderEntry(path, entry.name, null),
  }));
}

/** A reader returns at most a hundred entries at a time, and an empty list at the end. */
async function readAll(reader: DirectoryReader): Promise<FileSystemEntry[]> {
  const all: FileSystemEntry[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return all;
    all.push(...some);
  }
}

/** Pickers that return handles, where the browser has them. */
export interface Pickers {
  files(): Promise<ReadEntries | null>;
  folder(): Promise<ReadEntries | null>;
}

interface PickerWindow {
  showOpenFilePicker?(options: { multiple: boolean }): Promise<FileSystemFileHandle[]>;
  showDirectoryPicker?(options: { mode: 'read' }): Promise<FileSystemDirectoryHandle>;
}

/** Null in a browser without them: there `<input type="file">` is used. Each picker returns null when cancelled. */
export function handlePickers(place: PickerWindow): Pickers | null {
  if (!place.showOpenFilePicker || !place.showDirectoryPicker) return null;
  return {
    files: () => unlessCancelled(async () => fromHandles(await place.showOpenFilePicker!({ multiple: true }))),
    folder: () => unlessCancelled(async () => fromHandles([await place.showDirectoryPicker!({ mode: 'read' })])),
  };
}

async function unlessCancelled(pick: () => Promise<ReadEntries>): Promise<ReadEntries | null> {
  try {
    return await pick();
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return null;
    throw error;
  }
}
