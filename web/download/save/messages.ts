import type { File } from '#protocol/hosted/files.ts';

/** What to save, and where. */
export interface SaveTask {
  readonly linkId: string;
  readonly packageId: string;
  readonly baseUrl: string;
  /** Read tokens, the one of the started download first: a limited link counts tokens. */
  readonly tokens: readonly string[];
  /** The package's own folder. */
  readonly folder: FileSystemDirectoryHandle;
  readonly records: readonly File[];
}

/** Messages from the page to the worker. */
export type SaveOrder =
  | { readonly kind: 'begin'; readonly task: SaveTask }
  | { readonly kind: 'pause' }
  /** Continues after a pause or a halt; failed files are retried. */
  | { readonly kind: 'go_on' };

/** Why saving has halted until the person acts. */
export type Halt = 'full' | 'refused' | 'gone' | 'credential' | 'expired';

/** Why one file was not saved. */
export type SaveFault = 'damaged' | 'missing' | 'name' | 'blocked' | 'virus' | 'unwritable' | 'other';

export interface FailedFile {
  readonly path: string;
  readonly fault: SaveFault;
  /** The original message, for a failure without a text of its own. */
  readonly message: string;
}

export type SavePhase =
  | { readonly kind: 'saving' }
  | { readonly kind: 'offline' }
  | { readonly kind: 'paused' }
  | { readonly kind: 'halted'; readonly why: Halt }
  /** Everything is finished except failed files. */
  | { readonly kind: 'done' };

/** Messages from the worker to the page, sent a few times a second. */
export interface SaveProgress {
  readonly phase: SavePhase;
  readonly bytes: number;
  readonly totalBytes: number;
  readonly files: number;
  readonly totalFiles: number;
  readonly bytesPerSecond: number;
  /** Null where there is no estimate. */
  readonly secondsLeft: number | null;
  readonly failed: readonly FailedFile[];
  /** Files without a digest to compare with. */
  readonly unchecked: number;
  /** Files that got another name because theirs was taken. */
  readonly renamed: number;
  /** Whether this browser can store the state. */
  readonly persistent: boolean;
}

export const nothingSaved: SaveProgress = {
  phase: { kind: 'saving' },
  bytes: 0,
  totalBytes: 0,
  files: 0,
  totalFiles: 0,
  bytesPerSecond: 0,
  secondsLeft: null,
  failed: [],
  unchecked: 0,
  renamed: 0,
  persistent: true,
};
