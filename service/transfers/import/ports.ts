import type { CloudProvider } from '#providers/ports.ts';
import type { ObjectStorage } from '#storage/ports.ts';
import type { DeliveryCount, DeliveryLimits, DeliveryProgress } from '../delivery/ports.ts';
import type { TransferMemory } from '../part-memory.ts';

/**
 * Bringing files of connected storage into a package (contract/transfers.md §7): first all that was asked for is looked at
 * and written down, then file after file comes, through memory and never through the disk.
 */

/** What was asked for: `files` of the call. */
export interface ImportItem {
  /** From 0, in the order asked. */
  readonly position: number;
  /** The key or full path at the provider; of a directory with or without a slash at its end. */
  readonly id: string;
  /** Its path in the package. */
  readonly name: string;
  readonly kind: 'file' | 'directory';
  /** Of a directory that was listed in part: asks for its next page. Null: from its beginning. */
  readonly cursor: string | null;
}

/** An object at the provider as it was when it was looked at, and where it goes. */
export interface ImportEntry {
  readonly kind: 'file' | 'directory';
  /** The provider's id. */
  readonly id: string;
  /** The folder inside the package; empty for the root. */
  readonly path: string;
  readonly name: string;
  /** Bytes; 0 for a directory. */
  readonly size: number;
  /** Of these bytes; empty for a directory. */
  readonly etag: string;
  /** Null if unknown. */
  readonly modified: Date | null;
}

export interface JournaledEntry extends ImportEntry {
  /** From 0, in the order in which they were found. */
  readonly position: number;
  /** The file in the package; null while there is none. */
  readonly fileId: string | null;
  /** Of that file, in bytes; 0 while there is none. */
  readonly chunkSize: number;
  /** Its upload at our storage; null while none was begun, and for small files, which have none. */
  readonly uploadId: string | null;
  /** Bytes that the storage has confirmed. */
  readonly storedBytes: number;
  /** How often it changed at the provider while it came. */
  readonly restarts: number;
}

/** A chunk that our storage has. */
export interface ImportedChunk {
  /** One-based. */
  readonly number: number;
  /** What the storage calls it. */
  readonly etag: string;
  /** BLAKE3 of its bytes in hex. */
  readonly digest: string;
  /** Bytes. */
  readonly size: number;
}

export type ImportChange =
  /** Durable before the file gets its row in the package, so that no row is forgotten. */
  | { readonly kind: 'created'; readonly position: number; readonly fileId: string; readonly chunkSize: number }
  | { readonly kind: 'begun'; readonly position: number; readonly uploadId: string }
  | { readonly kind: 'chunk'; readonly position: number; readonly chunk: ImportedChunk }
  /** It is finalized in the package, or the folder is there. Forgets its chunks. */
  | { readonly kind: 'complete'; readonly position: number }
  /** Its own error, in words that may be shown. */
  | { readonly kind: 'failed'; readonly position: number; readonly message: string }
  /** Nothing of it is in the package any more. */
  | { readonly kind: 'reset'; readonly position: number }
  /** It is another at the provider now: as `reset`, and begins again as what it is. */
  | ({ readonly kind: 'changed'; readonly position: number } & Pick<ImportEntry, 'size' | 'etag' | 'modified'>);

export interface ImportSummary {
  /** Whether all that was asked for is written down. */
  readonly planned: boolean;
  readonly total: DeliveryCount;
  /** The complete ones; `bytes` also counts what is stored of the others. */
  readonly done: DeliveryCount;
}

/** What a look at some items has found. */
export interface FoundEntries {
  /** Up to 1,000. */
  readonly entries: readonly ImportEntry[];
  /** The items that were looked at; a cursor if more follows. */
  readonly items: readonly Pick<ImportItem, 'position' | 'cursor'>[];
}

export interface ImportPage {
  readonly entries: readonly JournaledEntry[];
  /** Null at the end. */
  readonly cursor: string | null;
}

/**
 * What one transfer remembers, so that any process can go on with it. Every call is durable when it resolves, and rejects once
 * the lease is lost.
 */
export interface ImportJournal {
  summary(): Promise<ImportSummary>;
  /** Items that are not wholly written down, in their order. */
  items(count: number): Promise<readonly ImportItem[]>;
  /** Writes all or nothing. Where entries would have a path of others, nothing: resolves to those paths, a few at most. */
  add(found: FoundEntries): Promise<readonly string[]>;
  /**
   * All items are written down: from now on `summary().planned`. Where the package has finalized files at some of the paths it
   * is not, and these paths are returned, a few at most.
   */
  finishPlan(): Promise<readonly string[]>;
  /** In the order of their positions. `unfinished`: not complete. `created`: those of them that may have a row in the package. */
  entries(request: {
    readonly state: 'unfinished' | 'created';
    readonly cursor: string | null;
    readonly count: number;
  }): Promise<ImportPage>;
  /** What is stored of an entry, ascending. */
  chunks(position: number): Promise<readonly ImportedChunk[]>;
  /** Writes all changes or none, in their order; up to 1,000. Called one at a time. */
  write(changes: readonly ImportChange[]): Promise<void>;
}

/** A file as the package will have it. */
export interface PlannedFile {
  readonly fileId: string;
  /** Bytes. */
  readonly chunkSize: number;
  /** Makes its row. An unfinished file of its path is replaced. Errors: `FileError`, `PackageClosedError`. */
  create(): Promise<void>;
}

export interface FinishedFile {
  readonly fileId: string;
  readonly size: number;
  readonly chunkSize: number;
  /** Null for a small file, whose object is there already, with this etag. */
  readonly upload: { readonly id: string } | { readonly objectEtag: string };
  readonly chunks: readonly Pick<ImportedChunk, 'number' | 'etag'>[];
  /** `blake3:<hex>` over the digests of the chunks. */
  readonly digest: string;
}

/** The package, by the service's own rules of files (contract/files-and-blueprints.md §2, §6). */
export interface PackageFiles {
  /** Errors: `FileError` for what a package does not hold. Makes nothing yet. */
  plan(entry: ImportEntry): Promise<PlannedFile>;
  /** What has become of a file; null: it is not there, or not any more. */
  find(fileId: string): Promise<'new' | 'finalized' | null>;
  /** May be called again. Errors: `FileError` if the file is gone or another, `PackageClosedError`, `StorageError`. */
  finalize(file: FinishedFile): Promise<void>;
  /** Removes unfinished files and what is stored of them. Those that are finalized, or not there, stay as they are. */
  remove(fileIds: readonly string[]): Promise<void>;
}

export interface ImportRequest {
  /** With its wrappers. */
  readonly provider: Pick<CloudProvider, 'paths' | 'list' | 'head' | 'openRange'>;
  readonly storage: Pick<ObjectStorage, 'chunkChecksum' | 'begin' | 'putPart' | 'listParts' | 'abort' | 'write'>;
  readonly files: PackageFiles;
  readonly journal: ImportJournal;
  /** For what is on its way; the caller closes it. */
  readonly memory: TransferMemory;
  readonly limits: DeliveryLimits & {
    /** Files and folders of one transfer at most. */
    readonly entries: number;
  };
  readonly signal: AbortSignal;
  /** Called whenever something has arrived, hundreds of times a second for small files, and at the end. */
  readonly onProgress: (progress: DeliveryProgress) => void;
}

export type CleanUpImportRequest = Pick<ImportRequest, 'journal' | 'files' | 'signal'>;

/**
 * Brings all that was asked for. May be called again after any failure or crash: it goes on where it was, with chunks that
 * are stored. Resolves to what has come. Rejects with
 * - the signal's reason, within some seconds of its abort;
 * - `ImportError`: before anything is made, where something cannot come; later, after all others have come, for single files;
 * - `PackageClosedError`, `ProviderError` with blame `connection` or `network`, `StorageError`, at once;
 * - what the journal rejects with.
 */
export type ImportFiles = (request: ImportRequest) => Promise<DeliveryCount>;

/**
 * After a transfer was cancelled, while no `ImportFiles` runs: removes unfinished files from the package, with what is stored
 * of them. Finalized ones stay, so that a retry goes on. May be called again.
 */
export type CleanUpImport = (request: CleanUpImportRequest) => Promise<void>;
