import type { CloudProvider, UploadHandle } from '#providers/ports.ts';
import type { TransferMemory } from '../part-memory.ts';
import type { ChangeWriter } from './change-writer.ts';
import type { Content } from './content.ts';
import type { Permits } from './permits.ts';
import type { ProgressCounter } from './progress.ts';
import type { CopiedFile, ServerCopies } from './server-copies.ts';

/** What all files of a delivery share. */
export interface FileSender {
  readonly provider: CloudProvider;
  readonly writer: ChangeWriter;
  readonly memory: TransferMemory;
  readonly copies: ServerCopies;
  /** Of small files, and of what is asked for a file once. */
  readonly permits: Permits;
  /** Of large files, whose parts wait for memory. */
  readonly largePermits: Permits;
  /** Parts of one file at the same time. */
  readonly concurrency: number;
  readonly progress: ProgressCounter;
  readonly signal: AbortSignal;
}

/** A file and where it goes. */
export interface OutgoingFile {
  /** In the journal. */
  readonly id: string;
  readonly target: string;
  readonly content: Content;
  /** What of it is stored; null for what is made as it is sent. */
  readonly copied: CopiedFile | null;
  readonly modified: Date;
  readonly contentType: string;
  /** `blake3:<hex>` over the digests of chunks of `chunkSize` bytes; null if unknown. */
  readonly digest: string | null;
  readonly chunkSize: number;
  /** Of an attempt before; null if none. */
  readonly upload: UploadHandle | null;
  /** Bytes that the progress counts already. */
  readonly storedBytes: number;
}
