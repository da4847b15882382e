import { chunkCount, chunkSlice } from '#client/chunks.ts';
import type { ChunkFact, UploadFacts, UploadJournal } from '#client/upload.ts';
import type { Store, StoredFile } from './store.ts';

/** One file of a package being sent. The page renders it; only the sending changes it. */
export interface Item {
  readonly index: number;
  readonly kind: 'file' | 'directory';
  /** The folder inside the package; empty for the root. */
  readonly path: string;
  readonly name: string;
  size: number;
  /** Milliseconds since 1970. */
  lastModified: number;
  root: number | null;
  /** Null: it must be found or chosen again. */
  file: File | null;
  state: ItemState;
  /** Bytes that have been sent or need not be sent. */
  sent: number;
  /** Why it failed, or why it waits. */
  fault: unknown;
  facts: Facts;
}

export type ItemState =
  | 'waiting'
  | 'sending'
  | 'sent'
  /** The person must decide. */
  | 'failed'
  /** It must be chosen again: it belongs to an earlier visit, or has been changed or deleted since. */
  | 'missing'
  /** Removed from the package. */
  | 'left_out';

/** The known state of its upload. */
export interface Facts extends UploadFacts {
  readonly chunks: Map<number, ChunkFact>;
  readonly digest: string;
}

export const noFacts = (): Facts => ({ chunks: new Map(), finalized: false, digest: '' });

export const fullPath = ({ path, name }: Pick<Item, 'path' | 'name'>): string => (path === '' ? name : `${path}/${name}`);

export function toStored(packageId: string, item: Item): StoredFile {
  const { index, kind, path, name, size, lastModified, root } = item;
  const { fileId, createBlueprint, chunkChecksum, chunkSize, uploadId, finalized, digest } = item.facts;
  return {
    package: packageId,
    index,
    kind,
    path,
    name,
    size,
    lastModified,
    root,
    finalized,
    digest,
    ...(fileId === undefined ? {} : { fileId }),
    ...(createBlueprint === undefined ? {} : { createBlueprint }),
    ...(chunkChecksum === undefined ? {} : { chunkChecksum }),
    ...(chunkSize === undefined ? {} : { chunkSize }),
    ...(uploadId === undefined ? {} : { uploadId }),
  };
}

export function fromStored(stored: StoredFile, chunks: Map<number, ChunkFact> | undefined): Item {
  const { index, kind, path, name, size, lastModified, root, package: _, ...facts } = stored;
  const done = stored.finalized;
  const confirmed = [...(chunks?.keys() ?? [])].reduce((sum, chunk) => sum + chunkSlice(chunk, size, stored.chunkSize ?? 0).length, 0);
  return {
    index,
    kind,
    path,
    name,
    size,
    lastModified,
    root,
    file: null,
    state: done ? 'sent' : isNeeded(stored, chunks?.size ?? 0) ? 'missing' : 'waiting',
    sent: done ? size : confirmed,
    fault: null,
    facts: { ...facts, chunks: chunks ?? new Map() },
  };
}

/** Whether any bytes must still be read. If every chunk is confirmed, the upload only has to be finalized. */
function isNeeded({ kind, size, chunkSize, uploadId }: StoredFile, confirmed: number): boolean {
  if (kind === 'directory' || size === 0) return false;
  return uploadId === undefined || !chunkSize || confirmed < chunkCount(size, chunkSize);
}

/** Stores the facts that `uploadFile` reports, in memory and in the browser's store. */
export function journalOf(store: Store, packageId: string, item: Item): UploadJournal {
  const keep = (): Promise<void> => store.putFile(toStored(packageId, item));
  const change = (facts: Partial<Facts>): void => {
    item.facts = { ...item.facts, ...facts };
  };
  return {
    async fileCreated(facts) {
      change({ ...facts, uploadId: undefined, chunks: new Map() });
      // A file whose upload starts in the same call is stored together with it.
      if (facts.createBlueprint) await keep();
    },
    async uploadCreated(uploadId) {
      change({ uploadId });
      await keep();
    },
    chunkSent(index, chunk) {
      item.facts.chunks.set(index, chunk);
      // The storage accepts chunks, so an earlier failure is over.
      item.fault = null;
      void store.putChunk(packageId, item.index, index, chunk);
    },
    async chunksForgotten(indexes) {
      if (indexes === 'all') {
        item.facts = noFacts();
        await Promise.all([keep(), store.dropChunks(packageId, item.index)]);
        return;
      }
      for (const index of indexes) item.facts.chunks.delete(index);
      await store.dropChunks(packageId, item.index, indexes);
    },
    finalized(digest) {
      item.facts = { ...noFacts(), ...(item.facts.fileId === undefined ? {} : { fileId: item.facts.fileId }), finalized: true, digest };
      void keep();
      void store.dropChunks(packageId, item.index);
    },
  };
}
