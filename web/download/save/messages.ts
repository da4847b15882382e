import type { File } from '#protocol/hosted/files.ts';

/** What is to be saved, and where. */
export interface SaveTask {
  readonly linkId: string;
  readonly packageId: string;
  readonly baseUrl: string;
  /** Read tokens, the one that has begun to download first: a link with a limit counts them. */
  readonly tokens: readonly string[];
  /** The package's own folder. */
  readonly folder: FileSystemDirectoryHandle;
  readonly records: readonly File[];
}

/** What the page tells the worker. */
export type SaveOrder =
  | { readonly kind: 'begin'; readonly task: SaveTask }
  | { readonly kind: 'pause' }
  /** After a pause or a halt; files that failed are tried again. */
  | { readonly kind: 'go_on' };

/** Why nothing more can be saved until a person has done something. */
export type Halt = 'full' | 'refused' | 'gone' | 'credential' | 'expired';

/** Why one file was not saved. */
export type SaveFault = 'damaged' | 'missing' | 'name' | 'blocked' | 'virus' | 'unwritable' | 'other';

export interface FailedFile {
  readonly path: string;
  readonly fault: SaveFault;
  /** What was said, for a fault that there are no words for. */
  readonly message: string;
}

export type SavePhase =
  | { readonly kind: 'saving' }
  | { readonly kind: 'offline' }
  | { readonly kind: 'paused' }
  | { readonly kind: 'halted'; readonly why: Halt }
  /** Nothing is left to do but what has failed. */
  | { readonly kind: 'done' };

/** What the worker tells the page, a few times a second. */
export interface SaveProgress {
  readonly phase: SavePhase;
  readonly bytes: number;
  readonly totalBytes: number;
  readonly files: number;
  readonly totalFiles: number;
  readonly bytesPerSecond: number;
  /** Null where nothing can be said. */
  readonly secondsLeft: number | null;
  readonly failed: readonly FailedFile[];
  /** Files that came without a digest to compare with. */
  readonly unchecked: number;
  /** Files whose name was taken by something else. */
  readonly renamed: number;
  /** Whether this browser keeps notes. */
  readonly kept: boolean;
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
  kept: true,
};
