import { type BatchGetRequests, createBatchGetRequests, createBatchingReceiver } from '#client/batch-get.ts';
import { type Addresses, batchedAddresses, type DownloadCapabilities, downloadCapabilities } from '#client/download-addresses.ts';
import { ServiceError } from '#client/errors.ts';
import type { HostedClient } from '#client/hosted.ts';
import type { RangeReceiver } from '#client/ports.ts';
import { smallFileSize } from '#protocol/limits.ts';
import type { ObjectSink } from '../../io/batch-get.ts';
import type { DiskSink } from '../../io/sink.ts';
import { batchRequestsInProgress } from '../concurrency/limits.ts';
import type { JobContext, JobPorts } from '../job.ts';
import type { FileRecord } from '../record.ts';
import { retryWithActivity } from '../retry-with-activity.ts';

/** How small files of a download are fetched in batches; a field is null if the service or storage does not support it. */
export interface DownloadBatching {
  readonly addresses: Addresses | null;
  /** Fetches small files in batch requests, and passes the gate itself. */
  readonly receive: RangeReceiver<DiskSink> | null;
  /** The batch requests themselves, for files that are a batch from the beginning (`download-batch.ts`). */
  readonly requests: BatchGetRequests<ObjectSink> | null;
}

export const noBatching: DownloadBatching = { addresses: null, receive: null, requests: null };

/**
 * Milliseconds that a file waits for others to form a batch, for its address and for its bytes: files of one batch call
 * arrive at the same moment.
 */
const callLingerMs = 10;
const requestLingerMs = 2;

/** Whether these files can gain from batches. */
export function canBatch(files: readonly FileRecord[]): boolean {
  let small = 0;
  for (const { kind, size } of files) if (kind !== 'directory' && size > 0 && size <= smallFileSize && ++small === 2) return true;
  return false;
}

/** Asks the service for its capabilities for small files. A service without this endpoint has none. */
export async function askCapabilities(api: HostedClient, context: JobContext): Promise<DownloadCapabilities> {
  try {
    return await retryWithActivity(context, () => downloadCapabilities(api, context.signal));
  } catch (error) {
    if (context.signal.aborted || !(error instanceof ServiceError)) throw error;
    return { maxFiles: 0, batchGetUrl: null };
  }
}

export function createDownloadBatching(
  { transport, gates }: Pick<JobPorts, 'transport' | 'gates'>,
  { api, packageId }: { readonly api: HostedClient; readonly packageId: string },
  { maxFiles, batchGetUrl }: DownloadCapabilities,
  { clock, signal }: Pick<JobContext, 'clock' | 'signal'>,
): DownloadBatching {
  if (maxFiles === 0) return noBatching;
  const pause = (milliseconds: number) => (): Promise<void> => new Promise((resolve) => clock.after(milliseconds, resolve));
  const addresses = batchedAddresses({ api, packageId, signal, maxFiles, linger: pause(callLingerMs) });
  if (batchGetUrl === null) return { addresses, receive: null, requests: null };
  const requests = createBatchGetRequests({ fetch: transport.batchGet, gate: gates.small, url: batchGetUrl, signal });
  const receive = createBatchingReceiver<DiskSink>({
    requests,
    single: transport.receive,
    gate: gates.small,
    linger: pause(requestLingerMs),
    concurrency: batchRequestsInProgress,
    minItems: 2,
  });
  return { addresses, receive, requests };
}
