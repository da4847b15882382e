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

/** A file that the service has created. */
export interface CreatedUpload {
  readonly fileId: string;
  readonly chunkChecksum: ChunkChecksum;
  /** Bytes. */
  readonly chunkSize: number;
  /** It was created without a size: its chunks may become more, and finalizing it states the size. */
  readonly unknownSize?: true;
}

/** A file whose upload is open at the storage. */
export interface OpenUpload extends CreatedUpload {
  readonly uploadId: string;
}

/** How far one file's upload has come, as an earlier run noted it. Each fact is written down as soon as it exists. */
export type UploadFacts =
  /** It must be created. */
  | { readonly state: 'none' }
  /** The create blueprint opens its upload at the storage. */
  | { readonly state: 'created'; readonly upload: CreatedUpload; readonly createBlueprint: Blueprint }
  /** `chunks`: those that the storage has confirmed, by zero-based index. */
  | { readonly state: 'open'; readonly upload: OpenUpload; readonly chunks: ReadonlyMap<number, ChunkFact> };

/**
 * Stores an upload's facts. A call may return before the fact is on disk only where its loss costs no confirmed chunk.
 * `fileCreated` and `uploadCreated` complete before the first chunk is sent.
 */
export interface UploadJournal {
  /** Called only where the upload has still to be opened. */
  fileCreated(upload: CreatedUpload, createBlueprint: Blueprint): void | Promise<void>;
  uploadCreated(upload: OpenUpload): void | Promise<void>;
  chunkSent(index: number, chunk: ChunkFact): void | Promise<void>;
  /** These chunks must be sent again. `'all'`: the upload no longer exists, and every fact of the file is dropped. */
  chunksForgotten(indexes: readonly number[] | 'all'): void | Promise<void>;
  finalized(file: UploadedFile): void | Promise<void>;
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
  /** It is still being written to, so it is created without a size. */
  readonly unknownSize?: true;
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

/** An open upload during one run. */
export interface OpenedUpload extends OpenUpload {
  /** Chunks that the storage has confirmed, by zero-based chunk index. */
  readonly chunks: Map<number, ChunkFact>;
  /** Sends the only chunk of an upload that was begun just now: nothing was sent yet. */
  readonly put?: Blueprint;
}

/** Result of creating a file: an upload to begin, chunks to send, or nothing left to do. */
export type Creation =
  | { readonly state: 'created'; readonly upload: CreatedUpload; readonly createBlueprint: Blueprint }
  | { readonly state: 'opened'; readonly upload: OpenedUpload }
  | { readonly state: 'done'; readonly file: UploadedFile };
