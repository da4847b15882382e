import type { ChunkFact } from '#client/upload.ts';
import type { ChunkChecksum } from '#protocol/hosted/files.ts';
import type { Blueprint } from '#protocol/schema.ts';

/**
 * The stored state of packages being sent, so that after a reload, a crash or an empty battery no confirmed chunk is
 * sent again: IndexedDB, one database for all Portals of this origin and the console.
 */
export interface StoredPackage {
  readonly id: string;
  /** What it is sent through: the id of a Portal; in the console, of the Team and the person (`senderOf`). */
  readonly portalId: string;
  /** Only allows adding files to this package. Empty in the console, which asks for one whenever it goes on. */
  readonly token: string;
  readonly name: string;
  readonly sender: string;
  /** The code by which an app may have taken it over: it is ended before the page goes on by itself. */
  readonly handover?: string;
  /** Milliseconds since 1970. */
  readonly begunAt: number;
  readonly files: number;
  readonly bytes: number;
  /** Handles that contain the files, where the browser can open them again later. */
  readonly roots: readonly FileSystemHandle[];
}

/** What is known of a file's upload; what is not known yet is absent. */
export interface StoredFacts {
  readonly fileId?: string;
  readonly createBlueprint?: Blueprint | null;
  readonly chunkChecksum?: ChunkChecksum;
  readonly chunkSize?: number;
  readonly uploadId?: string;
  readonly finalized: boolean;
  readonly digest: string;
}

export interface StoredFile extends StoredFacts {
  readonly package: string;
  readonly index: number;
  readonly kind: 'file' | 'directory';
  readonly path: string;
  readonly name: string;
  readonly size: number;
  /** Milliseconds since 1970. */
  readonly lastModified: number;
  /** Index in the package's `roots`; null where the file must be chosen again. */
  readonly root: number | null;
}

interface StoredChunk extends ChunkFact {
  readonly package: string;
  readonly file: number;
  readonly chunk: number;
}

/** Why nothing is stored: the page shows it and continues. */
export type StoreTrouble = 'full' | 'unavailable';

export interface Store {
  /** Unfinished packages of one `portalId`, the oldest first. */
  packages(portalId: string): Promise<StoredPackage[]>;
  files(packageId: string): Promise<StoredFile[]>;
  /** By file index, then by chunk index. */
  chunks(packageId: string): Promise<Map<number, Map<number, ChunkFact>>>;
  /** Each of these resolves after the write, whether it succeeded or not. */
  putPackage(one: StoredPackage): Promise<void>;
  putFile(file: StoredFile): Promise<void>;
  putChunk(packageId: string, file: number, chunk: number, fact: ChunkFact): Promise<void>;
  /** All chunks of a file, unless some are given. */
  dropChunks(packageId: string, file: number, chunks?: readonly number[]): Promise<void>;
  dropFile(packageId: string, file: number): Promise<void>;
  dropPackage(packageId: string): Promise<void>;
}

type Write = (stores: { readonly packages: IDBObjectStore; readonly files: IDBObjectStore; readonly chunks: IDBObjectStore }) => void;

const names = ['packages', 'files', 'chunks'] as const;

/**
 * Opens the store; calls wait until it is open. Without a database (a private window, a strict setting) nothing is
 * stored, and `onTrouble` is called.
 */
export function openStore(factory: IDBFactory | undefined, onTrouble: (trouble: StoreTrouble) => void): Store {
  const opening = open(factory).catch(() => {
    onTrouble('unavailable');
    return null;
  });
  return createStore(opening, onTrouble);
}

function open(factory: IDBFactory | undefined): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    if (!factory) return reject(new Error('There is no IndexedDB.'));
    const request = factory.open('longshore-uploads', 1);
    request.onupgradeneeded = () => {
      request.result.createObjectStore('packages', { keyPath: 'id' });
      request.result.createObjectStore('files', { keyPath: ['package', 'index'] });
      request.result.createObjectStore('chunks', { keyPath: ['package', 'file', 'chunk'] });
    };
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/** The range of all keys with this prefix. */
const under = (...key: (string | number)[]): IDBKeyRange => IDBKeyRange.bound(key, [...key, []]);

function createStore(opening: Promise<IDBDatabase | null>, onTrouble: (trouble: StoreTrouble) => void): Store {
  /** Writes during a transaction are batched into the next one. */
  const waiting: { readonly write: Write; readonly done: () => void }[] = [];
  let busy = false;

  function write(one: Write): Promise<void> {
    return new Promise((done) => {
      waiting.push({ write: one, done });
      if (!busy) void drain();
    });
  }

  async function drain(): Promise<void> {
    busy = true;
    const db = await opening;
    while (waiting.length > 0) {
      const batch = waiting.splice(0);
      try {
        if (db) await commit(db, batch);
      } catch (error) {
        // A lost fact costs only this: after a reload its chunk is sent again.
        onTrouble(error instanceof DOMException && error.name === 'QuotaExceededError' ? 'full' : 'unavailable');
      }
      for (const { done } of batch) done();
    }
    busy = false;
  }

  function commit(from: IDBDatabase, batch: readonly { readonly write: Write }[]): Promise<void> {
    return new Promise((resolve, reject) => {
      const transaction = from.transaction(names, 'readwrite', { durability: 'relaxed' });
      transaction.oncomplete = () => resolve();
      transaction.onabort = () => reject(transaction.error);
      const [packages, files, chunks] = names.map((name) => transaction.objectStore(name));
      for (const one of batch) one.write({ packages: packages!, files: files!, chunks: chunks! });
    });
  }

  async function all<T>(name: (typeof names)[number], range?: IDBKeyRange): Promise<T[]> {
    const db = await opening;
    if (!db) return [];
    return new Promise((resolve, reject) => {
      const request = db.transaction(name, 'readonly').objectStore(name).getAll(range);
      request.onsuccess = () => resolve(request.result as T[]);
      request.onerror = () => reject(request.error);
    });
  }

  return {
    async packages(portalId) {
      const found = await all<StoredPackage>('packages');
      return found.filter((one) => one.portalId === portalId).sort((a, b) => a.begunAt - b.begunAt);
    },
    files: (packageId) => all<StoredFile>('files', under(packageId)),
    async chunks(packageId) {
      const byFile = new Map<number, Map<number, ChunkFact>>();
      for (const { file, chunk, etag, blake3 } of await all<StoredChunk>('chunks', under(packageId))) {
        const known = byFile.get(file) ?? new Map<number, ChunkFact>();
        known.set(chunk, { etag, blake3 });
        byFile.set(file, known);
      }
      return byFile;
    },
    putPackage: (one) => write(({ packages }) => packages.put(one)),
    putFile: (file) => write(({ files }) => files.put(file)),
    putChunk: (packageId, file, chunk, { etag, blake3 }) =>
      write(({ chunks }) => chunks.put({ package: packageId, file, chunk, etag, blake3 } satisfies StoredChunk)),
    dropChunks: (packageId, file, some) =>
      write(({ chunks }) => {
        if (some) for (const chunk of some) chunks.delete([packageId, file, chunk]);
        else chunks.delete(under(packageId, file));
      }),
    dropFile: (packageId, file) =>
      write(({ files, chunks }) => {
        files.delete([packageId, file]);
        chunks.delete(under(packageId, file));
      }),
    dropPackage: (packageId) =>
      write(({ packages, files, chunks }) => {
        packages.delete(packageId);
        files.delete(under(packageId));
        chunks.delete(under(packageId));
      }),
  };
}
