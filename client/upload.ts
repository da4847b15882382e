import type { ChunkChecksum } from '#protocol/hosted/files.ts';
import type { Blueprint } from '#protocol/schema.ts';

/** All that is known of one file's upload. Each fact is written down the moment it exists. */
export interface UploadFacts {
  readonly fileId?: string;
  readonly createBlueprint?: Blueprint | null;
  readonly chunkChecksum?: ChunkChecksum;
  /** Bytes. */
  readonly chunkSize?: number;
  readonly uploadId?: string;
  /** By zero-based chunk index. */
  readonly chunks: ReadonlyMap<number, { readonly etag: string; readonly blake3: string }>;
  readonly finalized: boolean;
}

/** Where an upload's facts are kept. A call may return before the fact is on disk only where losing it costs no confirmed chunk. */
export interface UploadJournal {
  fileCreated(facts: {
    fileId: string;
    createBlueprint: Blueprint | null;
    chunkChecksum: ChunkChecksum;
    chunkSize: number;
  }): void | Promise<void>;
  uploadCreated(uploadId: string): void | Promise<void>;
  chunkSent(index: number, chunk: { etag: string; blake3: string }): void | Promise<void>;
  /** The service wants these chunks again (409 `chunk_wrong`), or the upload is gone and all begin anew. */
  chunksForgotten(indexes: readonly number[] | 'all'): void | Promise<void>;
  finalized(digest: string): void | Promise<void>;
}
