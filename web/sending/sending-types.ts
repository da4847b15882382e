import type { Fetcher, Gate } from '#client/ports.ts';
import type { PageClient } from '../common/page-client.ts';
import type { Item } from './item.ts';
import type { Store } from './store.ts';
import type { Workers } from './workers.ts';

/** The state of the whole package. */
export type Phase =
  | { readonly kind: 'sending' }
  | { readonly kind: 'paused' }
  /** It stands still, since an app may take it over. */
  | { readonly kind: 'handing_over' }
  /** An app has taken it over: this page never sends it again. */
  | { readonly kind: 'taken_over' }
  /** No connection: it continues automatically. */
  | { readonly kind: 'offline' }
  /** Everything else is finished; these items must be chosen again, retried or removed. */
  | { readonly kind: 'stuck' }
  /** All files are sent, and the package is being closed. */
  | { readonly kind: 'closing' }
  | { readonly kind: 'done'; readonly at: Date }
  /** It cannot continue. */
  | { readonly kind: 'failed'; readonly fault: unknown; readonly retry: boolean };

/** A snapshot. The items themselves are shared and mutable; a new `version` means that some have changed. */
export interface Progress {
  readonly phase: Phase;
  readonly version: number;
  readonly bytes: number;
  readonly totalBytes: number;
  readonly files: number;
  readonly totalFiles: number;
  readonly failed: number;
  readonly missing: number;
  /** At least one file waits because the service has no room left. */
  readonly serviceFull: boolean;
  readonly bytesPerSecond: number;
  /** Null while there is no estimate. */
  readonly secondsLeft: number | null;
}

export interface Sending {
  readonly packageId: string;
  readonly items: readonly Item[];
  progress(): Progress;
  subscribe(listener: () => void): () => void;
  start(): void;
  pause(): void;
  /** Retries a failed file, or all failed files if none is given. */
  retry(item?: Item): void;
  /** Removes a failed or missing file from the package, or all of them if none is given. */
  leaveOut(item?: Item): Promise<void>;
  /** Supplies files that are missing or have changed. Returns how many were accepted. */
  supply(found: ReadonlyMap<Item, File>): number;
  /** The browser went online or offline. */
  online(is: boolean): void;
  /** Stops, so that an app may go on. Resolves once nothing is under way any more. */
  handOver(): Promise<void>;
  /** An app has taken it over. */
  takenOver(): void;
  /** Stops permanently; no work continues. */
  stop(): void;
}

export interface SendingPorts {
  /** Uses the package's token. */
  readonly api: PageClient;
  readonly fetcher: Fetcher;
  readonly store: Store;
  readonly workers: Workers;
  readonly gate: Gate;
  readonly random: () => number;
  /** Milliseconds that only grow. */
  readonly now: () => number;
  /** Calls back at an interval. The returned function stops it. */
  readonly every: (milliseconds: number, work: () => void) => () => void;
}
