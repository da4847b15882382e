import { createHostedClient, type HostedClient } from '#client/hosted.ts';
import type { Gate } from '#client/ports.ts';
import type { RetryPorts } from '#client/retries.ts';
import { ApiError } from '#protocol/errors.ts';
import type { Movers } from '../io/transport.ts';
import type { Log } from '../ports.ts';
import type { Shelf } from '../receipt/shelf.ts';
import type { Session } from '../session/session.ts';
import type { Store } from '../state/store.ts';
import type { Book } from './book.ts';
import type { Admit } from './held.ts';
import type { Persistence } from './keep-trying.ts';
import type { Rooms } from './rooms.ts';
import type { Slots } from './slots.ts';

/** What every job of this agent shares. */
export interface JobPorts {
  readonly book: Book;
  readonly store: Store;
  readonly session: Session;
  /** What moves bytes. */
  readonly movers: Movers;
  readonly slots: Slots;
  readonly rooms: Rooms;
  readonly receipts: Shelf;
  /** Chunks under way at once, over all transfers: few large ones, many small ones. */
  readonly gates: { readonly large: Gate; readonly small: Gate };
  /** Holds transfers of callers from afar to the allowed folders as they are now (`heldBy`). */
  readonly admit: Admit;
  readonly log: Log;
}

/** What one run of one job has to itself. */
export interface JobContext extends Persistence {
  /** For the quick attempts inside the procedures, and their clock. */
  readonly retries: RetryPorts & { readonly now: () => number };
  /** Put before the gates of its chunks, so that it can be stopped between two of them. */
  readonly through: (gate: Gate) => Gate;
}

/** How a job ended that was neither stopped nor threw. */
export type JobEnd = { readonly type: 'finish' } | { readonly type: 'all_sent' };

/** Slots in all. So many small files are under way where calls are shared, each waiting for the others most of its time. */
export const slotCount = 1024;
/**
 * What each size of file weighs: of small ones whose calls are their own 32 are under way, of large ones eight, so that
 * one is created and another finalized while the chunks of others move.
 */
const weights = { shared: 1, small: slotCount / 32, large: slotCount / 8 } as const;
const smallFile = 1024 * 1024;
/** As `io/chunk-sender.ts` reads them, and `io/small-sink.ts` writes them: at once, holding little meanwhile. */
export const sharedFile = 256 * 1024;

/** How a file of this size queues up: its weight among the slots, and the gate of its chunks. */
export function laneFor(
  { gates }: Pick<JobPorts, 'gates'>,
  size: number,
  batched = false,
): { readonly weight: number; readonly gate: Gate; readonly shared: boolean } {
  if (size > smallFile) return { weight: weights.large, gate: gates.large, shared: false };
  const shared = batched && size <= sharedFile;
  return { weight: shared ? weights.shared : weights.small, gate: gates.small, shared };
}

/** The service of a transfer, with its package's token. */
export function packageClient({ movers }: Pick<JobPorts, 'movers'>, baseUrl: string, token: string | undefined): HostedClient {
  if (token === undefined) throw new ApiError('credential_missing', { accepted: 'X-Package-Token' });
  return createHostedClient({ baseUrl, fetcher: movers.fetcher, credential: { kind: 'package', token } });
}
