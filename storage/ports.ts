import type { Readable } from 'node:stream';
import type { ChunkChecksum } from '#protocol/hosted/files.ts';
import type { BatchBlueprint, Blueprint, BlueprintTemplate } from '#protocol/schema.ts';
import type { StorageError } from './errors.ts';

/** A part of an unfinished upload that the storage has. `partNumber` is one-based, `size` in bytes. */
export interface StoredPart {
  readonly partNumber: number;
  readonly etag: string;
  readonly size: number;
}

export interface StoredObject {
  /** The key by which the object is named from now on, where it is another than was asked for: that of a packed object. */
  readonly key?: string;
  /** Bytes. */
  readonly size: number;
  readonly etag: string;
  /** `blake3:<hex>` over the chunks' digests, if the storage knows them. */
  readonly digest?: string;
  /** The etag says nothing of the bytes: they are encrypted by keys of the storage's. */
  readonly isOpaque?: true;
}

export interface PartRequest {
  readonly partNumber: number;
  /** Exact size of the part in bytes; `null` where the file's size is unknown: then `maxSize` is the limit. */
  readonly size: number | null;
  readonly maxSize: number;
}

/** Parts that follow each other: each of `partSize` bytes, but for the end of the file. */
export interface PartRange {
  /** One-based; both are included. */
  readonly first: number;
  readonly last: number;
  /** Bytes. */
  readonly partSize: number;
  /** Bytes of the whole file; `null` where it is unknown: then `partSize` is the limit of each part. */
  readonly size: number | null;
}

interface ReadRequest {
  /** Expiry of the address. */
  readonly expiresAt: Date;
  /** File name for a browser's save dialog. */
  readonly fileName: string;
}

/** An object of one part, sent by a single PUT. `size` in bytes. */
export interface WholeObject {
  readonly key: string;
  readonly size: number;
}

/** An object of a listing. `size` in bytes. */
export interface ListedObject {
  readonly key: string;
  readonly size: number;
  readonly etag: string;
  readonly modified: Date;
}

/** An upload that is neither completed nor aborted. */
export interface ListedUpload {
  readonly key: string;
  readonly uploadId: string;
  readonly started: Date;
}

/** Its upload: `put` sends part 1, and all other calls accept `uploadId` like that of a multipart upload. */
export interface WholeUpload {
  readonly uploadId: string;
  readonly put: Blueprint;
  /** What the etag of its part is, where that is not the storage's `chunkChecksum`. */
  readonly chunkChecksum?: ChunkChecksum;
}

/** A part whose bytes come through the service itself. */
export interface PartToPut {
  readonly key: string;
  readonly uploadId: string;
  /** One-based. */
  readonly partNumber: number;
  /** Exact, in bytes. */
  readonly size: number;
  /** Opens the bytes from the part's beginning. Called once for each attempt. */
  readonly open: () => AsyncIterable<Buffer>;
}

export interface UploadToComplete {
  readonly key: string;
  readonly uploadId: string;
  readonly parts: readonly StoredPart[];
}

/** Where an object lies at an S3 server. */
export interface ObjectLocation {
  /** Origins by which the server is reached: by the service, and by senders and receivers. */
  readonly origins: readonly string[];
  readonly bucket: string;
  /** The whole key in the bucket. */
  readonly key: string;
}

/**
 * Object storage as the service needs it. Keys are made by the service, from ids only. Every call is idempotent, so a
 * retry after a crash loses nothing. Failures are `StorageError`s.
 */
export interface ObjectStorage {
  readonly kind: string;
  readonly chunkChecksum: ChunkChecksum;
  readonly limits: {
    readonly minChunkSize: number;
    readonly maxChunkSize: number;
    readonly maxChunkCount: number;
    /** Largest request body in bytes that a proxy in front of the storage accepts; absent without such a limit. */
    readonly largestBody?: number;
  };

  /** The request that begins a multipart upload; its answer is XML with `UploadId`. */
  presignCreate(key: string, expiresAt: Date): Promise<Blueprint>;
  /** One request per part, in the order asked. */
  presignParts(key: string, uploadId: string, parts: readonly PartRequest[], expiresAt: Date): Promise<Blueprint[]>;
  /** The answer of `presignParts` as the bytes of its JSON text, if the storage can make it at a lower cost. */
  presignPartsAsJson?(key: string, uploadId: string, parts: readonly PartRequest[], expiresAt: Date): Promise<Uint8Array>;
  /** Optional: one signed request for all parts of a range, in which the caller puts each part's number. */
  presignPartRange?(key: string, uploadId: string, range: PartRange, expiresAt: Date): Promise<BlueprintTemplate>;
  /** Begins a multipart upload whose parts the service sends itself, by `putPart`. Its id. */
  begin(key: string): Promise<string>;
  /**
   * Stores a part while its bytes are received, without keeping all of them in memory. `no_such_upload` if there is no such upload. Rejects with
   * what the bytes' source throws, or the signal's reason, unchanged; nothing is stored then.
   */
  putPart(part: PartToPut, signal: AbortSignal): Promise<StoredPart>;
  /** The stored parts of an upload, ascending. `no_such_upload` if there is no such upload. */
  listParts(key: string, uploadId: string): Promise<StoredPart[]>;
  /**
   * Bytes of the parts that an unfinished upload of this key has stored, whoever began it; of several uploads, of the one
   * that has most. 0 if there is none.
   */
  bytesReceived(key: string): Promise<number>;
  /**
   * Joins the parts to an object, in order; parts that are not named are dropped. Idempotent: a repeated call gets the
   * same answer. The caller has compared `parts` with `listParts`; a missing part is `part_missing`.
   */
  complete(key: string, uploadId: string, parts: readonly StoredPart[]): Promise<StoredObject>;
  /** Ends every unfinished upload of this key and frees its bytes. Does nothing if there is none. */
  abort(key: string): Promise<void>;
  head(key: string): Promise<StoredObject | null>;
  /** `start` to `end` inclusive, in bytes. */
  read(key: string, range?: { readonly start: number; readonly end: number }): Promise<Readable>;
  /**
   * Optional: fills the buffers, one after the other, with the object's bytes from `start` on, where that costs less than a
   * stream. Their errors are those of `read`.
   */
  readInto?(key: string, buffers: readonly Uint8Array[], start: number): Promise<void>;
  presignRead(key: string, request: ReadRequest): Promise<{ readonly method: 'GET'; readonly url: string }>;
  /**
   * Optional: one address for a batch request that reads these small objects, named by their keys (protocol/storage/batch-get.ts).
   */
  presignReadBatch?(keys: readonly string[], expiresAt: Date): Promise<string>;
  /** Stores a small object in one call. */
  write(key: string, bytes: Uint8Array): Promise<StoredObject>;
  /** Does nothing if there is no such object. */
  delete(key: string): Promise<void>;
  /**
   * Optional: begins uploads of one part without a request to the storage, in the order of `objects`; `null` for one
   * that cannot be begun now. Received bytes become an object only by `complete`, or only once all are received.
   */
  beginWhole?(objects: readonly WholeObject[], expiresAt: Date): Promise<readonly (WholeUpload | null)[]>;
  /**
   * Optional: one signed address for the small files of a batch that nothing is known of yet. They are sent in batch requests
   * alone, and become objects by `completeAll` with this key; each then has a key of its own. What is never completed goes
   * by `endUploads`.
   *
   * @param key what all of them belong to; no object has it
   */
  presignBatch?(key: string, expiresAt: Date): Promise<BatchBlueprint>;
  /**
   * Optional: `complete` for a batch, where that costs less than single calls. Results are in the order of the request.
   * The parts are compared here. Each upload has its own result; where it is an error, `listParts` and `complete` tell
   * more.
   */
  completeAll?(uploads: readonly UploadToComplete[]): Promise<readonly (StoredObject | StorageError)[]>;
  /**
   * Optional, with the three calls after it: small objects that arrive together are packed into one file, a segment, and
   * completing them gives each a key of its own (packed-key.ts), which every call takes like any other. `delete` does
   * nothing for it, since a segment is freed as a whole by this call, once nothing in it is needed. Does nothing if
   * there is no such segment.
   */
  deleteSegment?(segment: string): Promise<void>;
  /**
   * Segments with completed objects that have not changed since `olderThan`, in the order of their ids, from the first
   * after `after` on (`''`: from the beginning). Empty: there are no more. One that nobody knows of is to be deleted.
   */
  listSegments?(olderThan: Date, after: string): Promise<readonly string[]>;
  /**
   * Writes objects, by their packed keys, into new segments, so that the old ones can be deleted; their new keys, in the
   * order of the request. What was written stays safe through a power failure. `no_such_object` if one is not there.
   */
  pack?(objects: readonly string[]): Promise<readonly string[]>;
  /**
   * Frees what was received before `olderThan` for uploads of `beginWhole` and was never completed: it has to be sent
   * again. Only for uploads whose bytes may be packed; others stay until `abort`.
   */
  endUploads?(olderThan: Date): Promise<void>;
  /**
   * Optional: the objects whose keys begin with `prefix`, in the order of their keys, from the first after the key `after` on
   * (`''`: from the beginning). Empty: there are no more.
   */
  list?(prefix: string, after: string): Promise<readonly ListedObject[]>;
  /** Optional: unfinished uploads of any key, by their keys, from the first after `after` on. Empty: there are no more. */
  listUploads?(after: Pick<ListedUpload, 'key' | 'uploadId'> | null): Promise<readonly ListedUpload[]>;
  /** If present: one request to this address sends many small parts (docs/decisions/0020). */
  readonly batchPutUrl?: string;
  /** If present: one request to this address fetches many small objects (docs/decisions/0033). */
  readonly batchGetUrl?: string;
  /**
   * Bytes may still be received under a key for this many seconds after `abort` and `delete`, since a signed address
   * cannot be revoked. Absent: none are, or `endUploads` frees them.
   */
  readonly lateSeconds?: number;
  /** If present: where an object lies, for other storage of the same S3 server, which can copy it. Sends nothing. */
  locate?(key: string): ObjectLocation;
  close(): Promise<void>;
}
