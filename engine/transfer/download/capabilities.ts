import { type DownloadCapabilities, downloadCapabilities } from '#client/download-addresses.ts';
import { ServiceError } from '#client/errors.ts';
import type { HostedClient } from '#client/hosted.ts';
import { smallFileSize } from '#protocol/limits.ts';
import type { JobContext } from '../job.ts';
import type { FileRecord } from '../record.ts';
import { retryWithActivity } from '../retry-with-activity.ts';

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
