import { createHostedClient, type HostedClient } from '#client/hosted.ts';
import type { Gate } from '#client/ports.ts';
import type { RetryPorts } from '#client/retries.ts';
import { ApiError } from '#protocol/errors.ts';
import type { Transport } from '../io/transport.ts';
import type { Log } from '../ports.ts';
import type { Session } from '../session/session.ts';
import type { Store } from '../state/store.ts';
import type { Book } from './book.ts';
import type { Persistence } from './keep-trying.ts';
import type { Slots } from './slots.ts';

/** What moves bytes. */
export type Movers = Omit<Transport, 'close'>;

/** What every job of this agent shares. */
export interface JobPorts {
  readonly book: Book;
  readonly store: Store;
  readonly session: Session;
  readonly movers: Movers;
  readonly slots: Slots;
  /** Chunks under way at once, over all transfers: few large ones, many small ones. */
  readonly gates: { readonly large: Gate; readonly small: Gate };
  readonly log: Log;
}

/** What one run of one job has to itself. */
export interface JobContext extends Persistence {
  /** For the quick attempts inside the procedures, and their clock. */
  readonly retries: RetryPorts & { readonly now: () => number };
}

/** How a job ended that was neither stopped nor threw. */
export type JobEnd = { readonly type: 'finish' } | { readonly type: 'all_sent' };

/** Slots in all; a small file takes one, a large one so many that four of them are under way. */
export const slotCount = 32;
const largeWeight = 8;
const smallFile = 1024 * 1024;

/** How a file of this size queues up: its weight among the slots, and the gate of its chunks. */
export function laneFor({ gates }: Pick<JobPorts, 'gates'>, size: number): { readonly weight: number; readonly gate: Gate } {
  return size <= smallFile ? { weight: 1, gate: gates.small } : { weight: largeWeight, gate: gates.large };
}

/** The service of a transfer, with its package's token. */
export function packageClient({ movers }: Pick<JobPorts, 'movers'>, baseUrl: string, token: string | undefined): HostedClient {
  if (token === undefined) throw new ApiError('credential_missing', { accepted: 'X-Package-Token' });
  return createHostedClient({ baseUrl, fetcher: movers.fetcher, credential: { kind: 'package', token } });
}
