import type { Readable } from 'node:stream';
import type { Direction, ProviderName } from '#protocol/providers.ts';

/** `crc32c` as 8 hex digits, big-endian; the others as usual. All digests are lower-case hex. */
export type DigestName = 'md5' | 'sha1' | 'crc32c';

export type Digests = Readonly<Partial<Record<DigestName, string>>>;

/** What a provider wants of uploads. Sizes in bytes. */
export interface UploadPlan {
  /** Of every part but the last. */
  readonly smallestPart: number;
  readonly largestPart: number;
  /** Used unless the file's size or the caller asks for another. */
  readonly usualPart: number;
  /** Parts but the last have a multiple of this size. */
  readonly partMultiple: number;
  readonly maxParts: number;
  readonly largestFile: number;
  /** The provider dictates each file's parts when it begins; the numbers above are what to expect. */
  readonly dictatesParts: boolean;
  /** `ascending`: a part can be sent only when the one before has been stored. */
  readonly order: 'any' | 'ascending';
  /** Wanted with each part, before its bytes. */
  readonly partDigests: readonly DigestName[];
  /** Of the whole file, wanted by `begin`. */
  readonly digestsToBegin: readonly DigestName[];
  /** Of the whole file, wanted by `complete`. */
  readonly digestsToComplete: readonly DigestName[];
}

/** What a provider holds as a name. Paths have `/` between their steps, and none at the beginning or the end. */
export interface PathRules {
  /** Why the path cannot be held, as a sentence; null if it can. */
  problem(path: string): string | null;
  /** Whether two names that differ only in case are the same. */
  readonly ignoresCase: boolean;
}

/** A file at the provider. */
export interface CloudObject {
  /** What `head`, `openRange` and `remove` take: the key or full path; where two files may have one path, the provider's own id. */
  readonly id: string;
  /** Bytes. */
  readonly size: number;
  /** Changes whenever the bytes do. Not always a digest. */
  readonly etag: string;
  readonly modified: Date | null;
  /** It lies in cold storage and cannot be read without being restored. */
  readonly archived: boolean;
}

export type CloudEntry =
  | (CloudObject & { readonly kind: 'file'; readonly name: string })
  | { readonly kind: 'folder'; readonly id: string; readonly name: string };

export interface ListRequest {
  /** A folder's path; empty for the destination itself. */
  readonly folder: string;
  /** Of the last page; absent for the first. */
  readonly cursor?: string;
  /** Entries at most, 1 to 1000. A page may have fewer though others follow. */
  readonly count: number;
  /** All files below the folder; of folders at least those that are empty. */
  readonly recursive?: boolean;
}

export interface ListPage {
  readonly entries: readonly CloudEntry[];
  /** Asks for the next page, also in another process; null at the end. */
  readonly cursor: string | null;
}

type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

/**
 * An upload as the provider's own JSON: opaque to the caller, who saves it and gives it back after a crash. It may hold an
 * address that is a secret, so it is stored like one.
 */
export type UploadHandle = { readonly [name: string]: Json };

/** The parts of a file: all of one size but the last, or each as it was dictated. */
export type PartLayout = { readonly fileSize: number; readonly partSize: number } | { readonly sizes: readonly number[] };

/** A part that the provider has confirmed. */
export interface StoredPart {
  /** One-based. */
  readonly number: number;
  /** Bytes. */
  readonly size: number;
  /** What `complete` needs of it: an etag, an id, a digest. */
  readonly tag: string;
}

/** An object in a bucket of an S3 server, as it is now. */
export interface CopySource {
  /** Origins by which the server is reached. */
  readonly origins: readonly string[];
  readonly bucket: string;
  readonly key: string;
  readonly etag: string;
}

export interface BeginRequest {
  /** The full path. The caller has seen that it is free, or that it is its own. */
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  readonly modified: Date;
  readonly contentType: string;
  /** A wish for the parts' size in bytes, where the provider does not dictate it; changed to what the provider takes. */
  readonly partSize?: number;
  /** Those of `plan.digestsToBegin`. */
  readonly digests: Digests;
  /**
   * The file is to be copied from here by `copyPart`, with `partSize` as the object's own parts have it. Such a file is
   * completed only if the server's digests of its parts make up the object's etag; otherwise `copy_differs`.
   */
  readonly copyOf?: CopySource;
  /**
   * Nothing may be replaced: what somebody else has put at the path meanwhile stays as it is. Where a provider keeps both, or
   * the old one as an older version, nothing is lost and the file is made; otherwise it fails with `exists`, where the provider
   * can tell (`docs/decisions/0055`). What this upload has made itself is no obstacle.
   */
  readonly onlyIfFree?: boolean;
  /**
   * Called, and waited for, before anything is made at the provider that would stay there, and after each such step: with
   * the handle saved last, `abort` finds all that is to be removed.
   */
  readonly save: (handle: UploadHandle) => Promise<void>;
}

/** An upload that takes parts. */
export interface OpenUpload {
  readonly state: 'open';
  readonly handle: UploadHandle;
  readonly layout: PartLayout;
  /** Where parts of this file go in order, though the plan allows any: the storage behind a provider may be of several kinds. */
  readonly order?: 'ascending';
  /** Ascending. What is not named here has to be sent. */
  readonly stored: readonly StoredPart[];
  /** The etag of what it was begun as a copy of. */
  readonly copyOf?: string;
}

/** What has become of an upload. `gone`: abort it and begin again. */
export type ResumedUpload = OpenUpload | { readonly state: 'complete'; readonly object: CloudObject } | { readonly state: 'gone' };

export interface PutPartRequest {
  readonly handle: UploadHandle;
  /** One-based. */
  readonly number: number;
  /** Exact, in bytes, from the layout. */
  readonly size: number;
  /** Of the part in the file, in bytes. */
  readonly offset: number;
  /** Those of `plan.partDigests`. */
  readonly digests: Digests;
  /** Opens the part's bytes from byte `from` of the part on. May be called more than once, one after the other. */
  readonly open: (from: number) => Readable;
  /**
   * The same bytes, where they lie in memory: they cost less than a stream. Whoever uses them must not read them after the
   * call has ended, since they are written over then; what `open` gives stays.
   */
  readonly pieces?: readonly Uint8Array[];
}

export interface CopyPartRequest extends Pick<PutPartRequest, 'handle' | 'number' | 'size' | 'offset'> {
  /** What the upload was begun as a copy of. */
  readonly source: CopySource;
}

export interface CompleteRequest {
  readonly handle: UploadHandle;
  /** All of the layout, ascending. */
  readonly parts: readonly StoredPart[];
  /** Those of `plan.digestsToComplete`. */
  readonly digests: Digests;
}

export interface RangeRequest {
  readonly id: string;
  /** First and last byte, both inclusive; absent for the whole file. */
  readonly range?: { readonly start: number; readonly end: number };
  /** The file's etag when reading began. `changed` if it is another now. */
  readonly ifMatch?: string;
}

export interface CheckRequest {
  readonly direction: Direction;
  /** Where it is tried: a policy may allow no more. */
  readonly folder: string;
}

/**
 * Other people's storage. Every method takes a request and a signal, rejects with `ProviderError`, or with the signal's
 * reason, and may be called again after any failure or crash: nothing is doubled, nothing is lost. Retries, pauses and
 * limits are the wrappers' (`wrappers/`): a provider tries once.
 */
export interface CloudProvider {
  readonly name: ProviderName;
  readonly plan: UploadPlan;
  readonly paths: PathRules;

  /**
   * Signs in and looks at the destination without writing. Resolves to sentences worth knowing (credentials that expire
   * soon); what does not work is an error.
   */
  check(request: CheckRequest, signal: AbortSignal): Promise<readonly string[]>;
  /** Folders and files of a folder, in a stable order. A folder that is not there is empty. */
  list(request: ListRequest, signal: AbortSignal): Promise<ListPage>;
  /** The file, or null if there is none. */
  head(request: { readonly id: string }, signal: AbortSignal): Promise<CloudObject | null>;
  /**
   * Whether a folder was made at the path as such, as `makeFolder` does: an empty one is told by this alone. Absent where no
   * folder can be without files.
   */
  hasFolder?(request: { readonly path: string }, signal: AbortSignal): Promise<boolean>;
  /** Makes an empty folder, and those above it. Does nothing if it is there. */
  makeFolder(request: { readonly path: string }, signal: AbortSignal): Promise<void>;
  /** Begins a file. After a lost answer it may be called again; an upload whose handle was saved is the caller's to abort. */
  begin(request: BeginRequest, signal: AbortSignal): Promise<OpenUpload>;
  /** What the provider has of an upload, from a handle saved at any time. */
  resume(request: { readonly handle: UploadHandle }, signal: AbortSignal): Promise<ResumedUpload>;
  /** Stores a part. `corrupted` if it arrived as other bytes; `upload_gone` if there is no such upload any more. */
  putPart(request: PutPartRequest, signal: AbortSignal): Promise<StoredPart>;
  /**
   * Present together with `copyPart`: whether an object may lie where this provider could copy it. Asks nobody. False for an
   * object in the destination itself.
   */
  reaches?(source: CopySource): boolean;
  /**
   * Has the provider's server copy a part, so that its bytes do not pass here. It is asked with the connection's own
   * credentials, which have to be allowed to read the source. `copy_differs` if what was copied is not the source.
   */
  copyPart?(request: CopyPartRequest, signal: AbortSignal): Promise<StoredPart>;
  /**
   * Makes the file of its parts. After a lost answer the next call, or `resume`, finds out what happened. `part_missing` if
   * a part is not there or differs: nothing is lost.
   */
  complete(request: CompleteRequest, signal: AbortSignal): Promise<CloudObject>;
  /** Ends an upload and removes what it left: parts, placeholders. Not for a file that is complete: that is `remove`'s. */
  abort(request: { readonly handle: UploadHandle }, signal: AbortSignal): Promise<void>;
  /** Reads bytes as they lie at the provider. A stream that breaks off fails with `ProviderError`; it never just ends early. */
  openRange(request: RangeRequest, signal: AbortSignal): Promise<Readable>;
  /** Removes a file, or a folder that `makeFolder` made. Does nothing if there is none. */
  remove(request: { readonly id: string }, signal: AbortSignal): Promise<void>;
  /** Forgets what may be over: tokens, addresses, a region. The next call gets them anew. */
  renew(): void;
  close(): Promise<void>;
}

/** What a provider gets from outside. */
export interface ProviderEnvironment {
  /** Whether an IP address may be connected to: the operator's rule against private networks. */
  readonly mayConnect: (address: string) => boolean;
  readonly now: () => Date;
  /** The service's own identity at AWS, which assumes roles. Absent: the one that the AWS tools would find here. */
  readonly aws?: {
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
    readonly sessionToken?: string;
    /** Where roles are assumed, in place of Amazon's own endpoint. */
    readonly stsEndpoint?: string;
  };
}
