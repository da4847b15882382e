import type { OpenUpload } from '#client/upload.ts';
import type { Settings } from '#protocol/agent/settings.ts';
import type { NoticeKind } from '#protocol/notices.ts';
import type { FolderIdentity } from '../folders/folder-identity.ts';
import type { TimeSpent } from '../io/time-split.ts';
import type { ShownShare } from './shown-shares.ts';
import type { Advice, Phase } from './state-machine.ts';

/** A transfer as the engine stores it. `request` is what was requested, `facts` what has happened since. */

/** What to do if a file with a download's name exists already. */
export type Collision = Settings['name_collision'];

export type Priority = 'low' | 'normal' | 'high';

interface Common {
  readonly id: string;
  readonly phase: Phase;
  /** The package's name. */
  readonly name: string;
  readonly priority: Priority;
  readonly position: number;
  /** The deadline: when it should be over, by the wall clock, in milliseconds since 1970. */
  readonly dueAt?: number | undefined;
  /** Bytes a second; 0 = no limit of its own. */
  readonly rateLimit: number;
  readonly bytes: number;
  readonly totalBytes: number;
  readonly files: number;
  readonly totalFiles: number;
  /** What was shown as done where that is more than the counts say; absent otherwise. */
  readonly shownShare?: ShownShare | undefined;
  /** Time by cause, as last saved; absent before the first run. */
  readonly timeSpent?: TimeSpent;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** What every new transfer begins with. */
export type Newcomer = Omit<Common, 'name'>;

/** The package of an upload at its service. */
export type RemotePackage =
  /** Not created yet, or gone: the next one is created when there is something to send. */
  | { readonly state: 'none' }
  /** It takes files. */
  | { readonly state: 'open'; readonly id: string }
  /** It is being finalized: no more files. */
  | { readonly state: 'closing'; readonly id: string }
  | { readonly state: 'finalized'; readonly id: string }
  /** The upload was cancelled, but the service still stores what was sent. */
  | { readonly state: 'to_delete'; readonly id: string };

export interface UploadRecord extends Common {
  readonly kind: 'upload';
  readonly request: {
    /** The service it was created with; its tokens are sent to no other service. */
    readonly serviceUrl: string;
    readonly teamId: string;
    /** The session it was created with; if that is gone, another one of the Team is used. */
    readonly sessionId?: string;
    /** When the package expires, as ISO 8601; the Team's default if absent. */
    readonly expiry?: string;
    readonly paths: readonly string[];
    readonly description: string;
    readonly recipients: readonly string[];
    readonly accessLimit?: number;
    readonly unlimitedStorage?: boolean;
    readonly chunkSize?: number;
    /** What the sender is told of by mail; the Team's choice if absent. */
    readonly notify?: readonly NoticeKind[];
    /** Whether its recipients are asked for a mailed code. */
    readonly verifyRecipient?: boolean;
    readonly autoFinalize: boolean;
    /**
     * Made by an automation, with all its files in the table from the beginning: only these are sent, whatever comes into
     * their folder. `paths` holds that folder.
     */
    readonly automationId?: string;
    /**
     * Files may be sent while they are written (`upload/growing/`). `idleMs`: how long one that is still counts as whole.
     * `entry`: which part of the automation's folder its package is.
     */
    readonly growing?: { readonly idleMs: number; readonly entry: string };
    /**
     * It adds to a package of somebody else: it never makes, closes or deletes one. `names`: for each path its own in the
     * package, with `/`.
     */
    readonly intoPackage?: { readonly names: readonly string[] };
    /**
     * A browser has begun it (contract/handovers.md §3): its files are in the table from the beginning and only these are
     * sent, its package is never made anew, and the agent closes it.
     */
    readonly adopted?: true;
    /** SHA-256 of the browser's code, as hex: the same link finds its transfer again after the code is used up. */
    readonly handoverDigest?: string;
    /** Sent through a Portal instead of to a Team; its access code is stored in `secrets`. */
    readonly portal?: { readonly id: string; readonly name?: string; readonly sender: string; readonly formResponseId?: string };
  };
  /** Paths that were added later. */
  readonly added: readonly string[];
  readonly facts: {
    /** Every file of all paths is in the files table. */
    readonly scanned: boolean;
    /** Number of completely scanned paths, and for the next path the last entry in the table, by its path in the package. */
    readonly rootsScanned?: number;
    readonly lastScanned?: string | undefined;
    /** The paths are scanned once more for entries missing in the table, because the counts did not agree. */
    readonly rescanning?: boolean;
    readonly package: RemotePackage;
    /** Its automation may still add files: the package is not closed before. */
    readonly collecting?: boolean;
    /** A person has finalized it: it is closed once everything is sent. */
    readonly finalizeAsked?: boolean;
    /** Finalized although some files failed: they are left out. */
    readonly withoutFailed?: boolean;
    /**
     * Thumbprint of the key that signed the package's receipt; empty if the service provides none. Absent until that is
     * known.
     */
    readonly receipt?: string;
    /**
     * Restricted: its paths are checked against the allowed folders at each use, because a restricted caller created it
     * or added to it.
     */
    readonly restricted?: boolean;
    /** Packages that were created for it and are gone. */
    readonly packagesLost?: number;
    /** Of these, the packages that the service no longer knew. */
    readonly packagesUnknown?: number;
  };
  readonly secrets: {
    readonly password?: string;
    readonly accessCode?: string;
    readonly packageToken?: string;
    /** Exchanged for its package token before anything else. */
    readonly handover?: HandoverSecrets | undefined;
    /** Sent to a Portal with the Idempotency-Key, so that only this upload gets its package again. */
    readonly senderSecret?: string;
    readonly links?: readonly { readonly email: string; readonly url: string }[];
  };
}

/** The code of a browser, and the agent's own secret by which it may ask again. */
interface HandoverSecrets {
  readonly code: string;
  readonly claim: string;
}

/** Whether its files were chosen before: what else is in their folders is not sent. */
export const hasChosenFiles = ({ request }: UploadRecord): boolean => request.automationId !== undefined || request.adopted === true;

/** Where a download gets its read token from. */
export type DownloadSource =
  /** `shownUrl`: the link's address without its secret. */
  | { readonly kind: 'link'; readonly linkId: string; readonly shownUrl: string }
  /** Its token was given with the request; the Team and session of the request, if there are any. */
  | { readonly kind: 'package'; readonly teamId?: string; readonly sessionId?: string };

export interface DownloadRecord extends Common {
  readonly kind: 'download';
  readonly request: {
    readonly serviceUrl: string;
    readonly source: DownloadSource;
    /** Made by an automation. */
    readonly automationId?: string;
    readonly dstFolder: string;
    readonly fileIds: readonly string[] | null;
    readonly createPackageFolder: boolean;
    /** The request allowed names that begin with a dot in the home folder itself. */
    readonly allowHidden?: boolean;
    /** What to do with existing files; `keep_both` if an older agent did not store it. */
    readonly collision?: Collision;
    /** Names that the disk cannot hold are cut (`folders/long-names.ts`). */
    readonly cutsLongNames?: true;
    /** As of an upload. */
    readonly handoverDigest?: string;
  };
  readonly facts: {
    readonly packageId: string;
    /** The folder that all files are written below; empty until it is chosen. */
    readonly root: string;
    /** The root as it was when its first run began (`download/pinned-root.ts`). Older agents did not store it. */
    readonly rootIdentity?: FolderIdentity;
    /** The uppermost folder that it made itself: `root` or one above it. Absent if `root` was there before. */
    readonly made?: string;
    /** A folder that a person chose later, instead of the requested one. */
    readonly folder?: string;
    /** Whether the files of the package are in the files table, with their final names: all, or (`partly`) the first ones. */
    readonly planned: boolean | 'partly';
    /** A person goes on without the files that failed. */
    readonly withoutFailed?: boolean;
    /** As of an upload. */
    readonly restricted?: boolean;
    /** As of an upload. */
    readonly receipt?: string;
  };
  readonly secrets: {
    /** Of a link only. */
    readonly linkSecret?: string;
    readonly password?: string;
    /** Of a link that asks for a mailed code: that one was given. It holds for some hours. */
    readonly linkProof?: string;
    readonly packageToken?: string;
    /** As of an upload. */
    readonly handover?: HandoverSecrets | undefined;
  };
}

/** What of a download changes as it goes on, besides its phase. */
export type DownloadChange = Partial<Pick<DownloadRecord, 'facts' | 'secrets' | 'bytes' | 'files' | 'totalBytes' | 'totalFiles'>>;

export type TransferRecord = UploadRecord | DownloadRecord;

/** The id of a transfer's package at its service; empty while there is none. */
export function packageIdOf(record: TransferRecord): string {
  if (record.kind === 'download') return record.facts.packageId;
  return record.facts.package.state === 'none' ? '' : record.facts.package.id;
}

/** Whom its links are for; before there are any, whom it was asked to go to. */
export function recipientsOf({ request, secrets }: UploadRecord): string[] {
  const addresses = secrets.links ? secrets.links.map(({ email }) => email).filter((email) => email !== '') : request.recipients;
  return [...new Set(addresses)];
}

/** A file that the service stores and a download fetches. */
interface StoredFile {
  readonly state: 'stored';
  readonly fileId: string;
  /** Bytes. */
  readonly chunkSize: number;
  /** `blake3:<hex>`, if the sender or the storage knew it. */
  readonly digest?: string;
}

/** A small file that was, or will be, sent under this upload id; the service knows of it once it is recorded. */
interface PackedFile {
  readonly state: 'packed';
  readonly uploadId: string;
  /** Bytes. */
  readonly chunkSize: number;
}

/** What is known of a file at the service. */
export type RemoteFile =
  | typeof notStarted
  /** An upload is open at the storage: no chunk that it has confirmed is sent again. */
  | ({ readonly state: 'open' } & OpenUpload)
  | PackedFile
  | StoredFile;

/** An upload has not begun, or must begin again. One object for all files, since there may be millions of them. */
export const notStarted: { readonly state: 'none' } = Object.freeze({ state: 'none' });

export type FileError = { readonly code: number; readonly message: string } & Partial<Advice>;

/** What has become of a file here. */
export type FileOutcome =
  | { readonly state: 'pending'; readonly error?: never }
  /** It is still being written to. Chunks that are whole are sent; it is `pending` once it is still. */
  | { readonly state: 'growing'; readonly error?: never }
  /** `digest` is `blake3:<hex>`; absent for a folder. */
  | { readonly state: 'complete'; readonly digest?: string; readonly error?: never }
  | { readonly state: 'error'; readonly error: FileError }
  /** Left out on purpose; it does not block the transfer. */
  | { readonly state: 'skipped'; readonly error: FileError };

interface FileEntry {
  readonly kind: 'file' | 'directory';
  readonly path: string;
  readonly name: string;
  /** Uploads: the absolute path of the source. Downloads: the target path below the root, in the system's own form. */
  readonly local: string;
  readonly size: number;
  /** Milliseconds since 1970, with their fraction. */
  readonly modifiedAt: number;
  /** Set by the scan (engine/io/file-stamp.ts); empty for downloads. */
  readonly inode: string;
}

export type FileRecord = FileEntry & FileOutcome & { readonly id: number; readonly remote: RemoteFile };

export type FailedFile = Extract<FileRecord, { readonly state: 'error' }>;

/** A file that is not in the table yet: pending and not begun, unless it says otherwise. */
export type NewFile = FileEntry & { readonly remote?: RemoteFile } & (FileOutcome | { readonly state?: never; readonly error?: never });

/** The file that a download fetches. Only a damaged row names none. */
export function storedFileOf({ remote, name }: FileRecord): StoredFile {
  if (remote.state !== 'stored') throw new Error(`The row of "${name}" names no file of the service.`);
  return remote;
}

/** The digest of a file's bytes as far as it is known: its own once it is complete, until then the sender's. */
export function digestOfFile(file: FileRecord): string | undefined {
  if (file.state === 'complete') return file.digest;
  return file.remote.state === 'stored' ? file.remote.digest : undefined;
}

export interface ChunkRecord {
  readonly etag: string;
  readonly blake3: string;
}
