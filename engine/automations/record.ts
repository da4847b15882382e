import type {
  AllPortalsDownloadAutomation,
  AutomationKind,
  PortalDownloadAutomation,
  PortalUploadAutomation,
  TeamUploadAutomation,
} from '#protocol/agent/automations/automation.ts';
import type { AutomationResult, LedgerEntry } from '#protocol/agent/automations/history.ts';
import type { FormField, FormValues } from '#protocol/hosted/forms.ts';

/** Automations as the engine stores them: `fields` is what a person chose, `facts` what has come of it. */

interface Common {
  readonly id: string;
  /** Made by a restricted caller: its transfers and its own work keep to the allowed folders. */
  readonly restricted: boolean;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly lastRunAt: number | null;
}

/** The folder of an automation as it was when that began, so that a mount point without its disk is told from it. */
export interface WatchedFolder {
  /** Device of its file system. */
  readonly dev: number;
  /** Inode and time of birth. */
  readonly identity: string;
}

export interface UploadAutomationFacts {
  /** Set once what lay there at the start is in the ledger, or is to be sent. */
  readonly started?: WatchedFolder;
  /** Other folders that were at its path, each of which it has begun with: drives that come and go, and their mount point. */
  readonly startedBefore?: readonly WatchedFolder[];
  /** The last number that `{counter}` gave. */
  readonly counter: number;
  /** Set where `after` was changed: only what was sent from then on is moved or deleted. Milliseconds since 1970. */
  readonly afterSince?: number;
  /** Of the form response that may have been made, and whose transfer is not here yet: what it answers, and its key. */
  readonly submitting?: { readonly of: string; readonly key: string } | undefined;
}

/** What a download automation keeps for itself. */
export interface DownloadAutomationFacts {
  /** The folder that it fills, as it was the first time; another one in its place may be the mount point of a missing disk. */
  readonly started?: WatchedFolder;
  /** When it was made, by its service's clock: milliseconds since 1970. Absent while that is not known. */
  readonly since?: number;
  /** By package: the keys of links that may have been made, and whose downloads are not here yet (downloads/link-keys.ts). */
  readonly linkKeys?: Readonly<Record<string, string>>;
}

export interface PortalUploadRecord extends Common {
  readonly kind: 'portal_upload';
  readonly fields: Omit<PortalUploadAutomation, 'access_code'>;
  readonly facts: UploadAutomationFacts;
  readonly secrets: { readonly accessCode?: string };
}

export interface TeamUploadRecord extends Common {
  readonly kind: 'team_upload';
  readonly fields: TeamUploadAutomation;
  readonly facts: UploadAutomationFacts;
  readonly secrets: Readonly<Record<string, never>>;
}

export interface PortalDownloadRecord extends Common {
  readonly kind: 'portal_download';
  readonly fields: PortalDownloadAutomation;
  readonly facts: DownloadAutomationFacts;
  readonly secrets: Readonly<Record<string, never>>;
}

export interface AllPortalsDownloadRecord extends Common {
  readonly kind: 'all_portals_download';
  readonly fields: AllPortalsDownloadAutomation;
  readonly facts: DownloadAutomationFacts;
  readonly secrets: Readonly<Record<string, never>>;
}

export type UploadAutomation = PortalUploadRecord | TeamUploadRecord;
export type DownloadAutomation = PortalDownloadRecord | AllPortalsDownloadRecord;
export type AutomationRecord = UploadAutomation | DownloadAutomation;

export const isUpload = (record: AutomationRecord): record is UploadAutomation =>
  record.kind === 'portal_upload' || record.kind === 'team_upload';

export const isUploadKind = (kind: AutomationKind): kind is UploadAutomation['kind'] => kind === 'portal_upload' || kind === 'team_upload';

/** `existing`: it lay there at the start and is not to be sent. */
export type LedgerState = LedgerEntry['state'];

/** What an automation knows of a file it sent, or of a package that it received. */
export interface LedgerRow {
  readonly id: number;
  /** Uploads: the path inside the watched folder, with `/`. Downloads: the package's id. */
  readonly key: string;
  /** What people read. */
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  /** Milliseconds since 1970, with their fraction. */
  readonly modifiedAt: number;
  /** Empty where the disk has none that lasts. */
  readonly identity: string;
  /** `blake3:<hex>`; empty while it is not known. */
  readonly blake3: string;
  readonly packageId: string;
  readonly transferId: string;
  readonly state: LedgerState;
  readonly message: string;
  /** Where the file is being moved to, or was; empty before. Downloads: what is left to do at the service (downloads/). */
  readonly target: string;
  readonly at: number;
}

export type NewLedgerRow = Pick<LedgerRow, 'key' | 'path' | 'size' | 'modifiedAt' | 'state' | 'at'> & Partial<LedgerRow>;

export type ResultKind = AutomationResult['kind'];

export interface ResultRow {
  readonly at: number;
  readonly kind: ResultKind;
  readonly name: string;
  /** Empty where there is none. */
  readonly transferId: string;
  readonly message: string;
}

/** A form that could not be completed. */
export interface Question {
  readonly id: string;
  /** The entry's path inside the watched folder. */
  readonly entry: string;
  readonly fields: readonly FormField[];
  /** `null` until a person has answered. */
  readonly answers: FormValues | null;
  readonly askedAt: number;
}
