import type { CloudProvider, UploadHandle } from '#providers/ports.ts';
import type { ObjectStorage } from '#storage/ports.ts';
import type { TransferMemory } from '../part-memory.ts';
import type { StoredBytes } from './content.ts';

/**
 * Delivering a package's files to a provider (contract/transfers.md §4): what the delivery needs from outside, what it takes
 * and what it promises. `deliver.ts` and `clean-up.ts` implement it; the service's journal lies in PostgreSQL.
 */

/** A file of a finalized package, as the service stores it. Only files that shall be delivered are in a journal. */
export interface DeliveryFile {
  readonly id: string;
  /** The file's key at our storage. */
  readonly key: string;
  /** A directory is made as an empty folder. */
  readonly kind: 'file' | 'directory';
  /** The whole path in the package, name included, with `/`. */
  readonly path: string;
  /** Bytes; 0 for a directory. */
  readonly size: number;
  readonly modified: Date | null;
  /** `application/octet-stream` where nothing is known. */
  readonly contentType: string;
  /** `blake3:<hex>` over the digests of its chunks (contract/files-and-blueprints.md §5); null if nobody knows it. */
  readonly digest: string | null;
  /** With which our storage completed it; empty if that did not say. */
  readonly etag: string;
  /** Bytes of the chunks that `digest` is made of; 0 for a directory. */
  readonly chunkSize: number;
  /** Whether its Team lets nobody have it, since a virus was found. */
  readonly withheld?: boolean;
}

/** A file, and how far its delivery is: as it was written last. */
export interface JournaledFile {
  readonly file: DeliveryFile;
  /** Full path at the provider, the delivery's folder included; null before `begun` or `complete`. */
  readonly target: string | null;
  /** The upload that was begun and is not complete. */
  readonly upload: UploadHandle | null;
  /** What `stored` said last; 0 before. */
  readonly storedBytes: number;
  /** The provider's id and etag of the complete file; etag empty for a directory. Null while it is not complete. */
  readonly object: DeliveredObject | null;
}

export interface DeliveredObject {
  readonly id: string;
  readonly etag: string;
}

/** In place of a file without content that the provider refuses: it is not there, and nothing else is wrong. */
export const leftOut: DeliveredObject = { id: '', etag: '' };

/** The manifest's id in changes: it is written like a file, and stands in no page of `files`. */
export const manifestId = 'manifest';

/** One step of a file (`id` of a `DeliveryFile`, or `manifestId`). */
export type JournalChange =
  /** Something may be at the provider from now on. Comes again with each newer handle. Its stored bytes are 0 again. */
  | { readonly kind: 'begun'; readonly id: string; readonly target: string; readonly upload: UploadHandle }
  /** Bytes of a begun file that the provider has confirmed: a sum, not a step. For progress alone. */
  | { readonly kind: 'stored'; readonly id: string; readonly bytes: number }
  /** It is there. Forgets the handle. */
  | { readonly kind: 'complete'; readonly id: string; readonly target: string; readonly object: DeliveredObject }
  /** Its own error, in words that may be shown. Target and handle stay, so that a retry goes on with it. */
  | { readonly kind: 'failed'; readonly id: string; readonly message: string }
  /** Nothing of it is at the provider any more: as before `begun`. */
  | { readonly kind: 'reset'; readonly id: string };

export interface JournalSummary {
  /** What `claimFolder` has claimed; null before. */
  readonly folder: string | null;
  /** All that shall be delivered, directories included. */
  readonly total: DeliveryCount;
  /** Of these the complete ones; `bytes` also counts what is stored of those that are begun. */
  readonly done: DeliveryCount;
  /** Of the complete ones those that were left out. */
  readonly leftOut: number;
  readonly manifest: Pick<JournaledFile, 'upload' | 'object'>;
}

export interface DeliveryCount {
  readonly files: number;
  /** Bytes. */
  readonly bytes: number;
}

export interface JournalPageRequest {
  /** `unfinished`: without `object`, whether begun or not. `begun`: with a handle. `complete`: with `object`. */
  readonly state: 'unfinished' | 'begun' | 'complete';
  /** Absent: both. */
  readonly kind?: DeliveryFile['kind'];
  /** Of the last page; null for the first. */
  readonly cursor: string | null;
  /** Files at most, up to 2,000. A page that has fewer is not the last unless its cursor is null. */
  readonly count: number;
}

export interface JournalPage {
  readonly files: readonly JournaledFile[];
  /** Null at the end. */
  readonly cursor: string | null;
}

/** A name at a provider that ignores case: `key` is the folded target path, `owner` the path in the package. */
export interface NameClaim {
  readonly key: string;
  readonly owner: string;
}

/**
 * What one transfer remembers, so that any process can go on with it. Every call is durable when it resolves. All calls
 * reject once the lease is lost, so that a process that was thought dead writes nothing. Handles may hold secrets: they are
 * stored sealed.
 */
export interface DeliveryJournal {
  summary(): Promise<JournalSummary>;
  /**
   * Makes `folder` the transfer's, before the first byte. `taken` if another transfer that is not `complete` has claimed the
   * same `key` at the same destination. `key` is the folder, folded where case is ignored.
   */
  claimFolder(claim: { readonly folder: string; readonly key: string }): Promise<'claimed' | 'taken'>;
  /** Forgets the claims of the folder and of names: nothing is there any more. */
  releaseFolder(): Promise<void>;
  /**
   * The owner of each key, in the order asked: the first that ever claimed it in this transfer. Called only where the
   * provider ignores case, up to 2,000 at once.
   */
  claimNames(claims: readonly NameClaim[]): Promise<readonly string[]>;
  /** Files page by page, in an order that stays the same, best folder by folder. Changes do not move a cursor. */
  files(request: JournalPageRequest): Promise<JournalPage>;
  /**
   * Writes all changes or none, in their order; up to 1,000. Called one at a time: what comes meanwhile is in the next
   * call, so a call may cost some milliseconds without holding up small files.
   */
  write(changes: readonly JournalChange[]): Promise<void>;
}

export interface DeliveryLimits {
  /** Small files that are asked of the provider at the same time, and as many large ones. */
  readonly files: number;
  /** Parts of one file at the same time, where the provider takes them in any order. */
  readonly parts: number;
}

/** What the manifest says beside the files (contract/transfers.md §5). Nothing in it may be a secret. */
export interface ManifestFacts {
  readonly transferId: string;
  readonly packageId: string;
  readonly packageName: string;
  /** Empty for a package that came by no Portal. */
  readonly portalName: string;
  /** The transfer's beginning: the same at each attempt. */
  readonly createdAt: Date;
}

/** What has arrived so far, of earlier attempts too. */
export type DeliveryProgress = DeliveryCount;

export interface DeliveryRequest {
  /** With its wrappers: the delivery itself tries a call once, and a file again only where its upload is gone. */
  readonly provider: CloudProvider;
  readonly storage: StoredBytes & Partial<Pick<ObjectStorage, 'head' | 'locate'>>;
  readonly journal: DeliveryJournal;
  /**
   * Where it shall land: a path at the provider with its variables replaced, each by `safeName`. Used if nothing is there,
   * else with ` (2)`, ` (3)` … at its end; a folder that was claimed before is used again. Never empty. An empty folder of
   * somebody's counts as something, unless it is `givenFolder`.
   */
  readonly folder: string;
  /**
   * The folder that the connection names for all its deliveries; null where each has one of its own. It is theirs: used while
   * it is empty, and never removed.
   */
  readonly givenFolder: string | null;
  /** Null: no manifest. */
  readonly manifest: ManifestFacts | null;
  /** For parts; the caller closes it. */
  readonly memory: TransferMemory;
  readonly limits: DeliveryLimits;
  readonly signal: AbortSignal;
  /** Called whenever something has arrived, hundreds of times a second for small files, and at the end. */
  readonly onProgress: (progress: DeliveryProgress) => void;
}

export interface DeliveryResult {
  /** Where it landed. */
  readonly folder: string;
  readonly done: DeliveryCount;
  /** Files without content that the provider refuses. */
  readonly leftOut: number;
  /** Path of the manifest at the provider; null without one. */
  readonly manifest: string | null;
}

/**
 * Delivers all files of the journal that are not complete. Resolves when all are. May be called again after any failure or
 * crash: it goes on in its own folder, with parts that are there. Rejects with
 * - the signal's reason, within some seconds of its abort;
 * - `ProviderError` with blame `connection` or `network`, at once: nothing else would work either;
 * - `StorageError`, at once, where our storage fails as a whole;
 * - `DeliveryError`, after all other files have been delivered, where single files could not be;
 * - what the journal rejects with.
 */
export type Deliver = (request: DeliveryRequest) => Promise<DeliveryResult>;

export type CleanUpRequest = Pick<DeliveryRequest, 'provider' | 'journal' | 'givenFolder' | 'signal'>;

/**
 * After a transfer was cancelled or given up, while no `deliver` runs: ends unfinished uploads with all that belongs to
 * them, removes folders that are empty, and writes `reset` for each. Complete files stay, so that a retry goes on; where
 * there are none, the folder is released. May be called again; errors are those of `deliver`.
 */
export type CleanUp = (request: CleanUpRequest) => Promise<void>;
