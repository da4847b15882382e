import type { Settings } from '#protocol/agent/settings.ts';
import type { TimeSpent } from '../io/time-split.ts';
import type { Phase } from './states.ts';

/** A transfer as the engine keeps it. What is asked stands in `request`, what has come to pass in `facts`. */

/** What is done where a file of a download's name is there already. */
export type Collision = Settings['name_collision'];

export type Priority = 'low' | 'normal' | 'high';

interface Common {
  readonly id: string;
  readonly phase: Phase;
  /** The package's name. */
  readonly name: string;
  readonly priority: Priority;
  readonly position: number;
  /** Bytes a second; 0 = no limit of its own. */
  readonly rateLimit: number;
  readonly bytes: number;
  readonly totalBytes: number;
  readonly files: number;
  readonly totalFiles: number;
  /** Where its time has gone, as of the last time it was written down; none before it ran. */
  readonly timeSpent?: TimeSpent;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface UploadRecord extends Common {
  readonly kind: 'upload';
  readonly request: {
    /** The service that it was begun with; its tokens go nowhere else. */
    readonly serviceUrl: string;
    readonly teamId: string;
    /** The session that it was begun with; another one of the Team does where that is gone. */
    readonly sessionId?: string;
    /** When the package expires, as ISO 8601; as the Team has it where it is not said. */
    readonly expiry?: string;
    readonly paths: readonly string[];
    readonly description: string;
    readonly recipients: readonly string[];
    readonly accessLimit?: number;
    readonly unlimitedStorage?: boolean;
    readonly chunkSize?: number;
    readonly autoFinalize: boolean;
    /** Through a Portal instead of to a Team; its access code stands in `secrets`. */
    readonly portal?: { readonly id: string; readonly name?: string; readonly sender: string; readonly formResponseId?: string };
  };
  /** Paths that were added later. */
  readonly added: readonly string[];
  readonly facts: {
    /** Every file of all paths stands in the files table. */
    readonly scanned: boolean;
    /** How many of the paths are scanned whole; of the next, the last entry that stands in the table, by its path in the package. */
    readonly rootsScanned?: number;
    readonly lastScanned?: string | undefined;
    readonly packageId: string;
    readonly packageFinalized: boolean;
    /** Cancelled, and the service still holds what was sent. */
    readonly cleanUpDue: boolean;
    /** A person has finalized it: it is closed when all is sent. */
    readonly finalizeAsked?: boolean;
    /** Finalized although some files failed: those are left out. */
    readonly withoutFailed?: boolean;
    /** The package is being closed: no more files. */
    readonly closing?: boolean;
    /** Thumbprint of the key that signed the package's receipt; empty where the service gives none. Absent until it is settled. */
    readonly receipt?: string;
    /** Its paths are held to the allowed folders whenever they are used: it was asked for, or added to, by a caller who is. */
    readonly fenced?: boolean;
    /** Packages that were begun for it and are gone. */
    readonly packagesLost?: number;
  };
  readonly secrets: {
    readonly password?: string;
    readonly accessCode?: string;
    readonly packageToken?: string;
    readonly links?: readonly { readonly email: string; readonly url: string }[];
  };
}

export interface DownloadRecord extends Common {
  readonly kind: 'download';
  readonly request: {
    readonly serviceUrl: string;
    readonly linkId: string;
    /** The link's address without its secret. */
    readonly shownUrl: string;
    readonly dstFolder: string;
    readonly fileIds: readonly string[] | null;
    readonly createPackageFolder: boolean;
    /** What is done with files that are there already; `keep_both` where an older agent did not say. */
    readonly collision?: Collision;
  };
  readonly facts: {
    readonly packageId: string;
    /** The folder below which every file lands; empty until it is chosen. */
    readonly root: string;
    /** Every file of the package stands in the files table, with the name it gets. */
    readonly planned: boolean;
    /** As of an upload. */
    readonly fenced?: boolean;
    /** As of an upload. */
    readonly receipt?: string;
  };
  readonly secrets: {
    readonly linkSecret: string;
    readonly password?: string;
    readonly packageToken?: string;
  };
}

export type TransferRecord = UploadRecord | DownloadRecord;

export interface FileRecord {
  readonly id: number;
  readonly kind: 'file' | 'directory';
  readonly path: string;
  readonly name: string;
  /** Uploads: the absolute path it is read from. Downloads: where it goes, below the root, in the system's own form. */
  readonly local: string;
  readonly size: number;
  /** Milliseconds since 1970, with their fraction. */
  readonly modifiedAt: number;
  /** At the scan (engine/io/file-stamp.ts); empty for downloads. */
  readonly inode: string;
  /** `skipped` was left out on purpose and says why in `error`; it does not hold the transfer up. */
  readonly state: 'pending' | 'complete' | 'error' | 'skipped';
  readonly remoteId: string;
  readonly uploadId: string;
  readonly chunkSize: number;
  readonly chunkChecksum: string;
  readonly digest: string;
  readonly error: { readonly code: number; readonly message: string } | null;
}

export type NewFile = Pick<FileRecord, 'kind' | 'path' | 'name' | 'local' | 'size' | 'modifiedAt' | 'inode'> &
  Partial<Pick<FileRecord, 'state' | 'remoteId' | 'chunkSize' | 'digest' | 'error'>>;

export interface ChunkRecord {
  readonly etag: string;
  readonly blake3: string;
}
