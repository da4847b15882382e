import type { Readable } from 'node:stream';
import type { ChunkChecksum } from '#protocol/hosted/files.ts';
import type { Blueprint } from '#protocol/schema.ts';
import type { StorageError } from './errors.ts';

/** A part that the storage holds of an unfinished upload. `partNumber` is one-based, `size` in bytes. */
export interface StoredPart {
  readonly partNumber: number;
  readonly etag: string;
  readonly size: number;
}

export interface StoredObject {
  /** Bytes. */
  readonly size: number;
  readonly etag: string;
  /** `blake3:<hex>` over the chunks' digests, where the storage knows them. */
  readonly digest?: string;
}

export interface PartRequest {
  readonly partNumber: number;
  /** Exact bytes the part must have; `null` where the file's size is unknown: then at most `maxSize`. */
  readonly size: number | null;
  readonly maxSize: number;
}

export interface ReadRequest {
  /** The address stops working then. */
  readonly expiresAt: Date;
  /** Name that a browser saves the file under. */
  readonly fileName: string;
}

/** An object of one part, to be sent by one PUT. `size` in bytes. */
export interface WholeObject {
  readonly key: string;
  readonly size: number;
}

/** Its upload: `put` sends part 1, and every other call takes `uploadId` as that of any upload. */
export interface BegunWhole {
  readonly uploadId: string;
  readonly put: Blueprint;
}

export interface UploadToComplete {
  readonly key: string;
  readonly uploadId: string;
  readonly parts: readonly StoredPart[];
}

/**
 * Object storage as the service needs it. Keys are made by the service, from ids only.
 * Every call may be made again with the same arguments and then means the same (a crash in between
 * loses nothing). Failures are `StorageError`s.
 */
export interface ObjectStorage {
  readonly kind: string;
  readonly chunkChecksum: ChunkChecksum;
  readonly limits: { readonly minChunkSize: number; readonly maxChunkSize: number; readonly maxChunkCount: number };

  /** The request that begins a multipart upload; its answer is XML with `UploadId`. */
  presignCreate(key: string, expiresAt: Date): Promise<Blueprint>;
  /** One request per part, in the order asked. */
  presignParts(key: string, uploadId: string, parts: readonly PartRequest[], expiresAt: Date): Promise<Blueprint[]>;
  /** What `presignParts` answers as the bytes of its JSON text, where it can be made so for less. */
  presignPartsAsJson?(key: string, uploadId: string, parts: readonly PartRequest[], expiresAt: Date): Promise<Uint8Array>;
  /** What the storage holds of an upload, ascending. `no_such_upload` when there is none. */
  listParts(key: string, uploadId: string): Promise<StoredPart[]>;
  /**
   * Puts the parts together, in order; those not named are dropped. Complete again: the same answer.
   * The caller has compared `parts` with `listParts`; a part that is gone is `part_missing`.
   */
  complete(key: string, uploadId: string, parts: readonly StoredPart[]): Promise<StoredObject>;
  /** Ends every unfinished upload of this key and frees its bytes. Nothing there: nothing happens. */
  abort(key: string): Promise<void>;
  head(key: string): Promise<StoredObject | null>;
  /** `start` to `end` inclusive, in bytes. */
  read(key: string, range?: { readonly start: number; readonly end: number }): Promise<Readable>;
  presignRead(key: string, request: ReadRequest): Promise<{ readonly method: 'GET'; readonly url: string }>;
  /** Stores a small object whole. */
  write(key: string, bytes: Uint8Array): Promise<StoredObject>;
  /** Nothing there: nothing happens. */
  delete(key: string): Promise<void>;
  /**
   * Where it is there, uploads of one part that need no request to begin them, in the order asked; `null` for one
   * that cannot be begun now. What is sent is no object before `complete`, or not before it is sent whole.
   */
  beginWhole?(objects: readonly WholeObject[], expiresAt: Date): Promise<readonly (BegunWhole | null)[]>;
  /**
   * `complete` for many at once, where that costs less than one by one, in the order asked. The parts are compared
   * here. Each comes out by itself; of one that comes out as an error, `listParts` and `complete` tell more.
   */
  completeAll?(uploads: readonly UploadToComplete[]): Promise<readonly (StoredObject | StorageError)[]>;
  /** Where it is there, one request to this address sends many small parts (docs/decisions/0020). */
  readonly manyPartsUrl?: string;
  /** Where it is there, one request to this address fetches many small objects (docs/decisions/0033). */
  readonly manyObjectsUrl?: string;
  /**
   * For so long bytes may still arrive under a key after `abort` and `delete`, since an address that was given out
   * cannot be called back. Absent: none do.
   */
  readonly lateSeconds?: number;
  close(): Promise<void>;
}
