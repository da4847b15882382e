import type { Entry } from './entry.ts';

/** What was chosen or dropped, and the paths that the browser could not read. */
export interface Gathered {
  readonly entries: readonly Entry[];
  readonly unreadable: readonly string[];
}

/** A file system entry as a browser without handles gives it. */
interface DirectoryReader {
  readEntries(done: (some: FileSystemEntry[]) => void, failed: (error: unknown) => void): void;
}

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

/** From `<input type="file">`, of files or of a folder. */
export function fromInput(files: Iterable<File>): Gathered {
  const entries = Array.from(files, (file) => {
    const path = file.webkitRelativePath.split('/').slice(0, -1).join('/');
    return fileEntry(path, file, null);
  });
  return { entries, unreadable: [] };
}

/** From handles, which the browser can keep: what they lead to can be had again after a reload. */
export async function fromHandles(handles: readonly FileSystemHandle[]): Promise<Gathered> {
  const entries: Entry[] = [];
  const unreadable: string[] = [];

  async function walk(handle: FileSystemHandle, path: string, root: FileSystemHandle): Promise<void> {
    try {
      if (handle.kind === 'file') {
        entries.push(fileEntry(path, await (handle as FileSystemFileHandle).getFile(), root));
        return;
      }
      const inside = join(path, handle.name);
      let empty = true;
      for await (const child of (handle as FileSystemDirectoryHandle).values()) {
        empty = false;
        await walk(child, inside, root);
      }
      if (empty) entries.push(folderEntry(path, handle.name, root));
    } catch {
      unreadable.push(join(path, handle.name));
    }
  }

  for (const handle of handles) await walk(handle, '', handle);
  return { entries, unreadable };
}

/** From what was dropped. It has to be called while the drop is handled: afterwards the browser has forgotten it. */
export function fromDrop(transfer: DataTransfer): Promise<Gathered> {
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

async function fromEntries(roots: readonly FileSystemEntry[]): Promise<Gathered> {
  const entries: Entry[] = [];
  const unreadable: string[] = [];

  async function walk(entry: FileSystemEntry, path: string): Promise<void> {
    try {
      if (entry.isFile) {
        const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
        entries.push(fileEntry(path, file, null));
        return;
      }
      const children = await readAll((entry as FileSystemDirectoryEntry).createReader());
      if (children.length === 0) entries.push(folderEntry(path, entry.name, null));
      for (const child of children) await walk(child, join(path, entry.name));
    } catch {
      unreadable.push(join(path, entry.name));
    }
  }

  for (const entry of roots) await walk(entry, '');
  return { entries, unreadable };
}

/** A reader gives a hundred at a time, and none when it is through. */
async function readAll(reader: DirectoryReader): Promise<FileSystemEntry[]> {
  const all: FileSystemEntry[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return all;
    all.push(...some);
  }
}

/** Pickers that give handles, where the browser has them. */
export interface Pickers {
  files(): Promise<Gathered | null>;
  folder(): Promise<Gathered | null>;
}

interface PickerWindow {
  showOpenFilePicker?(options: { multiple: boolean }): Promise<FileSystemFileHandle[]>;
  showDirectoryPicker?(options: { mode: 'read' }): Promise<FileSystemDirectoryHandle>;
}

/** Null in a browser without them: there it is `<input type="file">`. Each gives null when nothing was chosen. */
export function handlePickers(place: PickerWindow): Pickers | null {
  if (!place.showOpenFilePicker || !place.showDirectoryPicker) return null;
  return {
    files: () => unlessCancelled(async () => fromHandles(await place.showOpenFilePicker!({ multiple: true }))),
    folder: () => unlessCancelled(async () => fromHandles([await place.showDirectoryPicker!({ mode: 'read' })])),
  };
}

async function unlessCancelled(pick: () => Promise<Gathered>): Promise<Gathered | null> {
  try {
    return await pick();
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return null;
    throw error;
  }
}
