import { chunkCount, chunkSlice } from '#client/chunks.ts';
import type { ChunkFact, UploadedFile, UploadFacts, UploadJournal } from '#client/upload.ts';
import type { Store, StoredFacts, StoredFile } from './store.ts';

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
  /** Bytes that have been sent or need not be sent. Never less than before: what was lost on its way stands still meanwhile. */
  sent: number;
  /** Why it failed, or why it waits. */
  fault: unknown;
  facts: Facts;
}

type ItemState =
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
export type Facts =
  | Exclude<UploadFacts, { state: 'open' }>
  | (Extract<UploadFacts, { state: 'open' }> & { readonly chunks: Map<number, ChunkFact> })
  | ({ readonly state: 'finalized' } & UploadedFile);

export const noFacts = { state: 'none' } as const;

/** The id of its file at the service; `null` if it may not have one. */
export function fileIdIn(facts: Facts): string | null {
  switch (facts.state) {
    case 'none':
      return null;
    case 'created':
    case 'open':
      return facts.upload.fileId;
    case 'finalized':
      return facts.fileId;
  }
}

export const fullPath = ({ path, name }: Pick<Item, 'path' | 'name'>): string => (path === '' ? name : `${path}/${name}`);

export function toStored(packageId: string, item: Item): StoredFile {
  const { index, kind, path, name, size, lastModified, root } = item;
  return { package: packageId, index, kind, path, name, size, lastModified, root, ...storedFacts(item.facts) };
}

/** The facts as the browser's store has them, except the chunks, which are stored one by one. */
function storedFacts(facts: Facts): StoredFacts {
  switch (facts.state) {
    case 'none':
      return { finalized: false, digest: '' };
    case 'created':
      return { ...facts.upload, createBlueprint: facts.createBlueprint, finalized: false, digest: '' };
    case 'open':
      return { ...facts.upload, finalized: false, digest: '' };
    case 'finalized':
      return { fileId: facts.fileId, finalized: true, digest: facts.digest };
  }
}

function factsIn(stored: StoredFacts, chunks: Map<number, ChunkFact>): Facts {
  const { fileId, chunkChecksum, chunkSize, createBlueprint, uploadId, finalized, digest } = stored;
  if (finalized) return { state: 'finalized', fileId: fileId ?? '', digest };
  if (fileId === undefined || chunkChecksum === undefined || !chunkSize) return noFacts;
  const upload = { fileId, chunkChecksum, chunkSize };
  if (uploadId !== undefined) return { state: 'open', upload: { ...upload, uploadId }, chunks };
  return createBlueprint ? { state: 'created', upload, createBlueprint } : noFacts;
}

export function fromStored(stored: StoredFile, chunks: Map<number, ChunkFact> = new Map()): Item {
  const { index, kind, path, name, size, lastModified, root } = stored;
  const facts = factsIn(stored, chunks);
  return {
    index,
    kind,
    path,
    name,
    size,
    lastModified,
    root,
    file: null,
    state: facts.state === 'finalized' ? 'sent' : isNeeded(stored, facts) ? 'missing' : 'waiting',
    sent: facts.state === 'finalized' ? size : confirmedBytes(size, facts),
    fault: null,
    facts,
  };
}

function confirmedBytes(size: number, facts: Facts): number {
  if (facts.state !== 'open') return 0;
  const { chunkSize } = facts.upload;
  return [...facts.chunks.keys()].reduce((sum, chunk) => sum + chunkSlice(chunk, size, chunkSize).length, 0);
}

/** Whether any bytes must still be read. If every chunk is confirmed, the upload only has to be finalized. */
function isNeeded({ kind, size }: StoredFile, facts: Facts): boolean {
  if (kind === 'directory' || size === 0) return false;
  return facts.state !== 'open' || facts.chunks.size < chunkCount(size, facts.upload.chunkSize);
}

/**
 * Counts the bytes of one attempt. It begins with what earlier ones have confirmed, and may lose some: that is no progress
 * until it is past what was sent before.
 */
export function countMoves(item: Pick<Item, 'sent'>, onMove: () => void): (count: number) => void {
  let moved = 0;
  return (count) => {
    moved += count;
    if (moved <= item.sent) return;
    item.sent = moved;
    onMove();
  };
}

/** Stores the facts that `uploadFile` reports, in memory and in the browser's store. */
export function journalOf(store: Store, packageId: string, item: Item): UploadJournal {
  const keep = (facts: Facts): Promise<void> => {
    item.facts = facts;
    return store.putFile(toStored(packageId, item));
  };
  return {
    fileCreated: (upload, createBlueprint) => keep({ state: 'created', upload, createBlueprint }),
    uploadCreated: (upload) => keep({ state: 'open', upload, chunks: new Map() }),
    chunkSent(index, chunk) {
      if (item.facts.state === 'open') item.facts.chunks.set(index, chunk);
      // The storage accepts chunks, so an earlier failure is over.
      item.fault = null;
      void store.putChunk(packageId, item.index, index, chunk);
    },
    async chunksForgotten(indexes) {
      if (indexes === 'all') {
        await Promise.all([keep(noFacts), store.dropChunks(packageId, item.index)]);
        return;
      }
      if (item.facts.state === 'open') for (const index of indexes) item.facts.chunks.delete(index);
      await store.dropChunks(packageId, item.index, indexes);
    },
    finalized(file) {
      void keep({ state: 'finalized', ...file });
      void store.dropChunks(packageId, item.index);
    },
  };
}
