import type { RateLimit } from '#protocol/agent/settings.ts';
import type { CloudFile, ConnectionCheck } from '#protocol/hosted/connections.ts';
import type { RenamedFile } from '#protocol/hosted/transfers.ts';

/** What the agent and the process of a mount say to each other, as JSON. */

/** Sent once, first. */
export interface Beginning {
  readonly type: 'begin';
  readonly mountId: string;
  /** The mount's folder, as the person chose it. */
  readonly root: string;
  readonly readOnly: boolean;
  /** Whether its root has the marker. */
  readonly marked: boolean;
  /** Holds the state of this mount's transfers. */
  readonly dataDir: string;
  readonly serviceUrl: string;
  readonly version: string;
  readonly rateLimits: RateLimits;
}

export interface RateLimits {
  readonly upload: RateLimit;
  readonly download: RateLimit;
}

interface TransferWork {
  /** The service's id of the transfer. The transfer in this process has the same one. */
  readonly transferId: string;
  readonly packageId: string;
  readonly token: string;
}

export interface Deliver extends TransferWork {
  readonly kind: 'deliver';
  /** The package's folder below the root, with `/`. */
  readonly target: string;
}

export interface Collect extends TransferWork {
  readonly kind: 'collect';
  /** `id`: the path below the root; `name`: the path in the package; both with `/`. */
  readonly files: readonly { readonly id: string; readonly name: string }[];
  /** The folders below the root that files may come from; none: all. */
  readonly folders: readonly string[];
}

export type Work = Deliver | Collect;

export interface Browse {
  readonly prefix: string;
  /** Of the page before; empty for the first. */
  readonly prevKey: string;
  readonly count: number;
}

export interface BrowsePage {
  readonly items: CloudFile[];
  /** Empty after the last page. */
  readonly nextKey: string;
}

export interface Check {
  /** Below the root, to be listed; the empty text is the root. */
  readonly folders: readonly string[];
  readonly write: boolean;
}

export interface Marked {
  readonly real: string;
  /** False for a mount that is only read from a disk that takes no marker. */
  readonly marked: boolean;
}

export type MountState =
  /** `freeBytes` is null where the file system does not say it. */
  { readonly state: 'ok'; readonly freeBytes: number | null } | { readonly state: 'offline'; readonly reason: string };

/** Questions with their answers. */
export interface Questions {
  readonly probe: { readonly ask: Record<string, never>; readonly answer: MountState };
  readonly browse: { readonly ask: Browse; readonly answer: BrowsePage };
  readonly check: { readonly ask: Check; readonly answer: ConnectionCheck['steps'] };
  /** Makes the root a mount's, and answers where it really is. */
  readonly mark: { readonly ask: Record<string, never>; readonly answer: Marked };
  readonly unmark: { readonly ask: Record<string, never>; readonly answer: null };
  /** Answered when it has stopped and nothing half is left. */
  readonly cancel: { readonly ask: { readonly transferId: string }; readonly answer: null };
}

export type Question = keyof Questions;

export type ToMount =
  | Beginning
  | { readonly type: 'ask'; readonly number: number; readonly question: Question; readonly ask: unknown }
  | { readonly type: 'work'; readonly work: Work }
  | ({ readonly type: 'limits' } & RateLimits)
  | { readonly type: 'stop' };

/** How a transfer stands, for the service. */
export interface TransferReport {
  readonly transferId: string;
  readonly state: 'started' | 'waiting' | 'complete' | 'error';
  readonly progress: { readonly bytes: number; readonly total_bytes: number; readonly files: number; readonly total_files: number };
  /** Why it waits or has failed, in words; empty otherwise. */
  readonly error: string;
  /** Of one that is complete: names that the disk could not hold as they are, if there are any; the first of them. */
  readonly renamed?: { readonly total: number; readonly first: readonly RenamedFile[] };
}

export type FromMount =
  /** It loads code, and answers nothing meanwhile, whatever the folder does. */
  | { readonly type: 'loading' }
  /** It has begun, or loaded: from now on a missing answer is the folder's fault. */
  | { readonly type: 'ready' }
  | { readonly type: 'answer'; readonly number: number; readonly answer: unknown }
  /** Of a `check`: a step of it has ended; the answer has all of them. */
  | { readonly type: 'step'; readonly number: number; readonly step: ConnectionCheck['steps'][number] }
  | { readonly type: 'failed'; readonly number: number; readonly message: string }
  | { readonly type: 'report'; readonly report: TransferReport }
  /** The service no longer accepts this token: `work` with another one is waited for. */
  | { readonly type: 'token_refused'; readonly transferId: string }
  /** Transfers of an earlier process that go on: the service may have ended them meanwhile. */
  | { readonly type: 'unfinished'; readonly transferIds: readonly string[] }
  | { readonly type: 'log'; readonly level: 'debug' | 'info' | 'warn' | 'error'; readonly facts: object; readonly message: string };
