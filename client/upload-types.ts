import type { ChunkChecksum } from '#protocol/hosted/files.ts';
import type { Blueprint } from '#protocol/schema.ts';
import type { HostedClient } from './calls.ts';
import type { FileCalls } from './file-calls.ts';
import type { ByteSource, ChunkSender, Digester, Fetcher, Gate, SliceHasher } from './ports.ts';
import type { RetryPorts } from './retries.ts';

export interface ChunkFact {
  /** As in the storage's answer, quotes removed. */
  readonly etag: string;
  /** 64 hex digits. */
  readonly blake3: string;
}

/** All that is known of one file's upload. Each fact is written to the journal as soon as it exists. */
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
 * Stores an upload's facts. A call may return before the fact is on disk only where its loss costs no confirmed chunk.
 * `fileCreated` and `uploadCreated` complete before the first chunk is sent.
 */
export interface UploadJournal {
  fileCreated(facts: {
    fileId: string;
    /** `null` for a folder, and where `uploadCreated` follows immediately. */
    createBlueprint: Blueprint | null;
    chunkChecksum: ChunkChecksum;
    chunkSize: number;
  }): void | Promise<void>;
  uploadCreated(uploadId: string): void | Promise<void>;
  chunkSent(index: number, chunk: ChunkFact): void | Promise<void>;
  /** These chunks must be sent again. `'all'`: the upload no longer exists, and every fact of the file is dropped. */
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
  /** Requested bytes for a chunk; the service decides. */
  readonly chunkSize?: number;
}

/** The API calls that an upload uses. */
export type UploadCalls = 'createFile' | 'createChunkBlueprints' | 'listUploadedChunks' | 'finalizeFile' | 'deleteFile' | 'listFiles';

export interface UploadPorts<S extends ByteSource> extends RetryPorts {
  /** With the package's credential. */
  readonly api: HostedClient<UploadCalls>;
  /** How files are created and finalized; by default one call for each. */
  readonly calls?: FileCalls;
  /** Sends the create blueprint. */
  readonly storage: Fetcher;
  readonly send: ChunkSender<S>;
  readonly hashSlice: SliceHasher<S>;
  readonly digest: Digester;
  /** Concurrency of chunks, shared by all files. */
  readonly gate: Gate;
  /** Milliseconds. */
  readonly now: () => number;
}

export interface UploadJob<S extends ByteSource> {
  readonly packageId: string;
  readonly file: FileToSend;
  readonly source: S;
  /** The journal's facts of this file. */
  readonly facts: UploadFacts;
  readonly journal: UploadJournal;
  readonly signal: AbortSignal;
  /**
   * Starts from 0 in every run. Chunks of an earlier run are counted at once, others while they are sent; a negative
   * count takes back the bytes of a failed attempt.
   */
  readonly onBytes: (count: number) => void;
  /** Concurrent chunks of this file; the gate may allow fewer. */
  readonly concurrency?: number;
}

export interface UploadedFile {
  readonly fileId: string;
  /** `blake3:<hex>`; empty for a directory. */
  readonly digest: string;
}

/** A file that the service has created, during one run of its upload. */
export interface CreatedUpload {
  readonly fileId: string;
  readonly chunkChecksum: ChunkChecksum;
  /** Bytes. */
  readonly chunkSize: number;
}

/** A file whose upload is open at the storage. */
export interface BegunUpload extends CreatedUpload {
  readonly uploadId: string;
  /** Chunks that the storage has confirmed, by zero-based chunk index. */
  readonly chunks: Map<number, ChunkFact>;
  /** Sends the only chunk of an upload that was begun just now: nothing was sent yet. */
  readonly put?: Blueprint;
}

/** Result of creating a file: an upload to begin, chunks to send, or nothing left to do. */
export type Creation =
  | { readonly state: 'created'; readonly upload: CreatedUpload; readonly createBlueprint: Blueprint }
  | { readonly state: 'begun'; readonly upload: BegunUpload }
  | { readonly state: 'done'; readonly file: UploadedFile };
