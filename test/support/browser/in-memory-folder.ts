/** A folder as browsers' handles give it, in memory: writers work on a copy that takes the file's place when it is closed. */
export interface MemoryFolder {
  readonly handle: FileSystemDirectoryHandle;
  /** Contents by path, empty folders with a slash at the end. */
  contents(): Record<string, string>;
  put(path: string, content: string): void;
  /** What the next writes and reads fail with; null: nothing. */
  trouble: DOMException | null;
}

interface StoredFile {
  bytes: Uint8Array<ArrayBuffer>;
  lastModified: number;
}
type Entries = Map<string, StoredFile | Entries>;

const absent = () => new DOMException('It is not there.', 'NotFoundError');

export function memoryFolder(name = 'Dailies'): MemoryFolder {
  const root: Entries = new Map();
  let clock = 0;

  function fileHandle(entries: Entries, fileName: string): FileSystemFileHandle {
    const stored = (): StoredFile => {
      const found = entries.get(fileName);
      if (!found || found instanceof Map) throw absent();
      return found;
    };
    return {
      kind: 'file',
      name: fileName,
      async getFile() {
        const { bytes, lastModified } = stored();
        return new File([bytes], fileName, { lastModified });
      },
      async createWritable({ keepExistingData = false } = {}) {
        let copy = keepExistingData ? stored().bytes.slice() : new Uint8Array(0);
        return {
          async write({ position, data }: { position: number; data: Uint8Array }) {
            if (folder.trouble) throw folder.trouble;
            if (copy.length < position + data.length) {
              const longer = new Uint8Array(position + data.length);
              longer.set(copy);
              copy = longer;
            }
            copy.set(data, position);
          },
          async close() {
            entries.set(fileName, { bytes: copy, lastModified: ++clock });
          },
          async abort() {},
        };
      },
    } as unknown as FileSystemFileHandle;
  }

  function directory(entries: Entries, directoryName: string): FileSystemDirectoryHandle {
    return {
      kind: 'directory',
      name: directoryName,
      async getDirectoryHandle(child: string, { create = false } = {}) {
        if (folder.trouble) throw folder.trouble;
        const found = entries.get(child);
        if (found instanceof Map) return directory(found, child);
        if (found) throw new DOMException('A file.', 'TypeMismatchError');
        if (!create) throw absent();
        const made: Entries = new Map();
        entries.set(child, made);
        return directory(made, child);
      },
      async getFileHandle(child: string, { create = false } = {}) {
        if (folder.trouble) throw folder.trouble;
        if (child.endsWith('.lnk')) throw new TypeError('Name is not allowed.');
        const found = entries.get(child);
        if (found instanceof Map) throw new DOMException('A folder.', 'TypeMismatchError');
        if (!found && !create) throw absent();
        if (!found) entries.set(child, { bytes: new Uint8Array(0), lastModified: ++clock });
        return fileHandle(entries, child);
      },
      async removeEntry(child: string) {
        if (!entries.delete(child)) throw absent();
      },
      async *keys() {
        if (folder.trouble) throw folder.trouble;
        yield* entries.keys();
      },
    } as unknown as FileSystemDirectoryHandle;
  }

  function list(entries: Entries, path: string, into: Record<string, string>): Record<string, string> {
    if (entries.size === 0 && path !== '') into[path] = '';
    for (const [child, found] of entries) {
      if (found instanceof Map) list(found, `${path}${child}/`, into);
      else into[path + child] = new TextDecoder().decode(found.bytes);
    }
    return into;
  }

  const folder: MemoryFolder = {
    handle: directory(root, name),
    contents: () => list(root, '', {}),
    put(path, content) {
      root.set(path, { bytes: new TextEncoder().encode(content), lastModified: ++clock });
    },
    trouble: null,
  };
  return folder;
}
