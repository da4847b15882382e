import type { Fetcher, Gate } from '#client/ports.ts';
import type { PageClient } from '#web/common/page-client.ts';
import type { Item } from './item.ts';
import type { Store } from './store.ts';
import type { Workers } from './workers.ts';

/** What stands in the way of the whole package, or of nothing. */
export type Phase =
  | { readonly kind: 'sending' }
  | { readonly kind: 'paused' }
  /** No connection: it goes on by itself. */
  | { readonly kind: 'offline' }
  /** Everything else is through; these have to be chosen again, retried or left out. */
  | { readonly kind: 'stuck' }
  /** All files are through, and the package is being closed. */
  | { readonly kind: 'closing' }
  | { readonly kind: 'done'; readonly at: Date }
  /** It cannot go on. */
  | { readonly kind: 'failed'; readonly fault: unknown; readonly retry: boolean };

/** A picture of a moment. Items are looked at as they are; `version` says that some have changed. */
export interface Progress {
  readonly phase: Phase;
  readonly version: number;
  readonly bytes: number;
  readonly totalBytes: number;
  readonly files: number;
  readonly totalFiles: number;
  readonly failed: number;
  readonly missing: number;
  readonly bytesPerSecond: number;
  /** Null while it cannot be told. */
  readonly secondsLeft: number | null;
}

export interface Sending {
  readonly packageId: string;
  readonly items: readonly Item[];
  progress(): Progress;
  subscribe(listener: () => void): () => void;
  start(): void;
  pause(): void;
  /** Tries a file again that had failed; all of them without one. */
  retry(item?: Item): void;
  /** Takes a file out of the package that has failed or is missing; all of them without one. */
  leaveOut(item?: Item): Promise<void>;
  /** Gives files that are missing or have changed. Returns how many of them were taken. */
  supply(found: ReadonlyMap<Item, File>): number;
  /** The connection came or went. */
  online(is: boolean): void;
  /** Stops for good; nothing of it runs any more. */
  stop(): void;
}

export interface SendingPorts {
  /** With the package's token. */
  readonly api: PageClient;
  readonly fetcher: Fetcher;
  readonly store: Store;
  readonly workers: Workers;
  readonly gate: Gate;
  readonly random: () => number;
  /** Milliseconds that only grow. */
  readonly now: () => number;
  /** Calls back until it is told to stop. */
  readonly every: (milliseconds: number, work: () => void) => () => void;
}
