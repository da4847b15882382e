import type { ChunkChecksum } from '#protocol/hosted/files.ts';
import type { Blueprint } from '#protocol/schema.ts';
import type { HostedClient } from './calls.ts';
import type { FileCalls } from './file-calls.ts';
import type { ByteSource, ChunkSender, Digester, Fetcher, Gate, SliceHasher } from './ports.ts';
import type { RetryPorts } from './retries.ts';

export interface ChunkFact {
  /** As the storage answered it, quotes removed. */
  readonly etag: string;
  /** 64 hex digits. */
  readonly blake3: string;
}

/** All that is known of one file's upload. Each fact is written down the moment it exists. */
export interface UploadFacts {
  readonly fileId?: string;
  readonly createBlueprint?: Blueprint | null;
  readonly chunkChecksum?: ChunkChecksum;
  /** Bytes. */
  readonly chunkSize?: number;
  readonly uploadId?: string;
  /** By zero-based chunk index. */
  readonly chunks: ReadonlyMap<number, ChunkFact>;
  readonly finalized: boolean;
}

/**
 * Where an upload's facts are kept. A call may return before the fact is on disk only where losing it costs
 * no confirmed chunk. `fileCreated` and `uploadCreated` are over before the first chunk goes out.
 */
export interface UploadJournal {
  fileCreated(facts: {
    fileId: string;
    /** `null` for a folder, and where `uploadCreated` follows at once. */
    createBlueprint: Blueprint | null;
    chunkChecksum: ChunkChecksum;
    chunkSize: number;
  }): void | Promise<void>;
  uploadCreated(uploadId: string): void | Promise<void>;
  chunkSent(index: number, chunk: ChunkFact): void | Promise<void>;
  /** These chunks have to go out again. `'all'`: the upload is gone, and every fact of the file with it. */
  chunksForgotten(indexes: readonly number[] | 'all'): void | Promise<void>;
  /** `digest` is empty for a directory. */
  finalized(digest: string): void | Promise<void>;
}

export interface FileToSend {
  readonly kind: 'file' | 'directory';
  readonly name: string;
  /** The folder inside the package, with `/`; empty for the root. */
  readonly path: string;
  /** ISO 8601, UTC. */
  readonly lastModified: string;
  /** Bytes wanted for a chunk; the service's answer decides. */
  readonly chunkSize?: number;
}

/** What uploading a file calls. */
export type UploadCalls = 'createFile' | 'createChunkBlueprints' | 'listUploadedChunks' | 'finalizeFile' | 'deleteFile' | 'listFiles';

export interface UploadPorts<S extends ByteSource> extends RetryPorts {
  /** With the package's credential. */
  readonly api: HostedClient<UploadCalls>;
  /** How files are created and finalized; by default with a call for each. */
  readonly calls?: FileCalls;
  /** Sends the create blueprint. */
  readonly storage: Fetcher;
  readonly send: ChunkSender<S>;
  readonly hashSlice: SliceHasher<S>;
  readonly digest: Digester;
  /** How many chunks go out at once, over all files. */
  readonly gate: Gate;
  /** Milliseconds. */
  readonly now: () => number;
}

export interface UploadJob<S extends ByteSource> {
  readonly packageId: string;
  readonly file: FileToSend;
  readonly source: S;
  /** What the journal holds of it. */
  readonly facts: UploadFacts;
  readonly journal: UploadJournal;
  readonly signal: AbortSignal;
  /** Counts from 0 in every run: chunks taken over at once, others as they go out; taken back (negative) where an attempt fails. */
  readonly onBytes: (count: number) => void;
  /** Chunks of this file under way at once; the gate has the last word. */
  readonly lanes?: number;
}

export interface UploadedFile {
  readonly fileId: string;
  /** `blake3:<hex>`; empty for a directory. */
  readonly digest: string;
}

/** A file that the service knows of, while one run of its upload lasts. */
export interface CreatedUpload {
  readonly fileId: string;
  readonly chunkChecksum: ChunkChecksum;
  /** Bytes. */
  readonly chunkSize: number;
}

/** One whose upload is open at the storage. */
export interface BegunUpload extends CreatedUpload {
  readonly uploadId: string;
  /** What the storage has confirmed, by zero-based chunk index. */
  readonly chunks: Map<number, ChunkFact>;
  /** Sends its only chunk, where it was begun just now: nothing has gone out yet. */
  readonly put?: Blueprint;
}

/** How creating a file came out: something to begin, something to send, or nothing left to do. */
export type Creation =
  | { readonly state: 'created'; readonly upload: CreatedUpload; readonly createBlueprint: Blueprint }
  | { readonly state: 'begun'; readonly upload: BegunUpload }
  | { readonly state: 'done'; readonly file: UploadedFile };
