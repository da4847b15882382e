/**
 * The state of packages that are being saved, so that after a reload or a crash nothing on the disk is downloaded
 * again: IndexedDB, one database for all links of this origin.
 */
export interface NotedSave {
  readonly linkId: string;
  /** The read token of the started download. */
  readonly token: string;
  /** The package's own folder. */
  readonly folder: FileSystemDirectoryHandle;
  readonly files: number;
  readonly bytes: number;
  /** Of files and empty folders, where not all of the package was chosen. */
  readonly chosen?: ReadonlySet<string>;
}

export interface NotedFile {
  readonly linkId: string;
  readonly fileId: string;
  /** The name on disk, which may differ from the name in the package. */
  readonly name: string;
  /** BLAKE3 of the ranges on disk, by zero-based index. */
  readonly ranges: ReadonlyMap<number, string>;
  /** Set once the file is complete: its size and time on disk. */
  readonly whole: { readonly size: number; readonly lastModified: number; readonly checked: boolean } | null;
}

export interface SaveNotes {
  /** Null where there is no state, or no storage. */
  save(linkId: string): Promise<NotedSave | null>;
  /** By file id. */
  files(linkId: string): Promise<Map<string, NotedFile>>;
  /** Each of these resolves after the write, whether it succeeded or not. */
  putSave(save: NotedSave): Promise<void>;
  putFile(file: NotedFile): Promise<void>;
  dropFile(linkId: string, fileId: string): Promise<void>;
  drop(linkId: string): Promise<void>;
  /** False after a write has failed. */
  isPersistent(): boolean;
}

/** Opens the database. Without one (a private window, a strict setting) nothing is stored. */
export async function openNotes(factory: IDBFactory | undefined): Promise<SaveNotes> {
  const db = await open(factory).catch(() => null);
  let persistent = db !== null;

  function write(work: (saves: IDBObjectStore, files: IDBObjectStore) => void): Promise<void> {
    return new Promise((resolve) => {
      const lost = (): void => {
        persistent = false;
        resolve();
      };
      if (!db) return lost();
      try {
        const transaction = db.transaction(['saves', 'files'], 'readwrite', { durability: 'relaxed' });
        transaction.oncomplete = () => resolve();
        transaction.onabort = lost;
        work(transaction.objectStore('saves'), transaction.objectStore('files'));
      } catch {
        lost();
      }
    });
  }

  function read<T>(store: 'saves' | 'files', ask: (from: IDBObjectStore) => IDBRequest<T>, otherwise: T): Promise<T> {
    return new Promise((resolve) => {
      if (!db) return resolve(otherwise);
      const request = ask(db.transaction(store, 'readonly').objectStore(store));
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => resolve(otherwise);
    });
  }

  return {
    save: async (linkId) => (await read<NotedSave | undefined>('saves', (saves) => saves.get(linkId), undefined)) ?? null,
    async files(linkId) {
      const found = await read<NotedFile[]>('files', (files) => files.getAll(under(linkId)), []);
      return new Map(found.map((file) => [file.fileId, file]));
    },
    putSave: (save) => write((saves) => saves.put(save)),
    putFile: (file) => write((_, files) => files.put(file)),
    dropFile: (linkId, fileId) => write((_, files) => files.delete([linkId, fileId])),
    drop: (linkId) =>
      write((saves, files) => {
        saves.delete(linkId);
        files.delete(under(linkId));
      }),
    isPersistent: () => persistent,
  };
}

/** The range of all keys with this prefix. */
const under = (linkId: string): IDBKeyRange => IDBKeyRange.bound([linkId], [linkId, []]);

function open(factory: IDBFactory | undefined): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    if (!factory) return reject(new Error('There is no IndexedDB.'));
    const request = factory.open('longshore-downloads', 1);
    request.onupgradeneeded = () => {
      request.result.createObjectStore('saves', { keyPath: 'linkId' });
      request.result.createObjectStore('files', { keyPath: ['linkId', 'fileId'] });
    };
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
