import { createHostedClient, type HostedClient } from '#client/hosted.ts';
import type { Gate } from '#client/ports.ts';
import type { RetryPorts } from '#client/retries.ts';
import type { FileSystem } from '#filesystem/port.ts';
import { ApiError } from '#protocol/errors.ts';
import type { DiskReservations } from '../folders/disk-reservations.ts';
import type { PathGuard } from '../folders/path-guard.ts';
import type { ByteTransport } from '../io/transport.ts';
import type { Log } from '../ports.ts';
import type { ReceiptStore } from '../receipt/receipt-store.ts';
import type { Session } from '../session/session.ts';
import type { Store } from '../state/store.ts';
import type { ConnectionSpeeds } from './concurrency/connection-speed.ts';
import type { InOrder } from './concurrency/in-order.ts';
import { filePermits, largestSmallFile } from './concurrency/limits.ts';
import type { WeightedSemaphore } from './concurrency/weighted-semaphore.ts';
import type { Movements } from './movements.ts';
import type { DownloadSource } from './record.ts';
import type { ActivityRetry } from './retry-with-activity.ts';
import type { TransferRegistry } from './transfer-registry.ts';

/** What every job of this agent shares. */
export interface JobPorts {
  readonly registry: TransferRegistry;
  readonly store: Store;
  readonly session: Session;
  /** What moves bytes. */
  readonly transport: ByteTransport;
  readonly fileSemaphore: WeightedSemaphore;
  readonly diskReservations: DiskReservations;
  /** The last measured speed of the connection to each service. */
  readonly speeds: ConnectionSpeeds;
  readonly receipts: ReceiptStore;
  /** Concurrency limits for chunks over all transfers: few large ones, many small ones. */
  readonly gates: { readonly large: Gate; readonly small: Gate };
  /** Restricts transfers of remote callers to the current allowed folders (`pathGuardFor`). */
  readonly pathGuard: PathGuard;
  readonly renewPackageToken: RenewPackageToken;
  readonly log: Log;
  /** The disks of its files. */
  readonly fileSystem: FileSystem;
}

/** A transfer, of either direction, with a token that its service no longer accepts. */
export interface RefusedToken {
  readonly transferId: string;
  readonly serviceUrl: string;
  readonly packageId: string;
  readonly source: Extract<DownloadSource, { kind: 'package' }>;
  readonly refused: string;
}

/**
 * Another token for a transfer that began with a token instead of a link; `null` if there is none, and the transfer
 * ends with the service's refusal. It may wait as long as `signal` allows.
 */
export type RenewPackageToken = (transfer: RefusedToken, signal: AbortSignal) => Promise<string | null>;

/** The context of a single run of one job. */
export interface JobContext extends ActivityRetry {
  /** For the fast retries inside the procedures, with their clock. */
  readonly retries: RetryPorts & { readonly now: () => number };
  /** Wraps the gates of its chunks, so that the job can be stopped between two chunks. */
  readonly through: (gate: Gate) => Gate;
  /** The transfers of bytes in progress, so that they can be completed before a stop. */
  readonly movements: Movements;
  /** How its large files share the connections, once it runs. */
  readonly line?: Line;
}

interface Line {
  readonly inOrder: InOrder;
  /** Bytes a second of one connection; `null` if unknown. */
  readonly speed: () => number | null;
  /** Batches of small files that may be in progress: more on a far line. */
  readonly batches: () => number;
}

/** How a job ended that was not stopped and did not throw. `nothing_left`: all that was to be sent went away before. */
export type JobEnd = { readonly type: 'finish' } | { readonly type: 'all_sent' } | { readonly type: 'nothing_left' };

/** Concurrency class of a file of this size: its weight among the permits, and the gate of its chunks. */
export function sizeClassOf(
  { gates }: Pick<JobPorts, 'gates'>,
  size: number,
): { readonly weight: number; readonly gate: Gate; readonly large: boolean } {
  if (size > largestSmallFile) return { weight: filePermits.large, gate: gates.large, large: true };
  return { weight: filePermits.small, gate: gates.small, large: false };
}

/** A client for the service of a transfer, with the token of its package. */
export function packageClient({ transport }: Pick<JobPorts, 'transport'>, baseUrl: string, token: string | undefined): HostedClient {
  if (token === undefined) throw new ApiError('credential_missing', { accepted: 'X-Package-Token' });
  return createHostedClient({ baseUrl, fetcher: transport.fetcher, credential: { kind: 'package', token } });
}
