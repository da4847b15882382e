import type { BatchDownload } from '#protocol/hosted/file-batches.ts';
import { checkAnswerCount } from './batch-calls.ts';
import type { HostedClient } from './calls.ts';

/** The service's capabilities for fetching many small files (docs/decisions/0033). */
export interface DownloadCapabilities {
  /** Files in one call for addresses; 0: the service has no such call. */
  readonly maxFiles: number;
  /** The storage's address for batch requests of small objects. */
  readonly batchGetUrl: string | null;
}

/** A service without batch calls, or without the route that reports them, has no such capabilities. */
export async function downloadCapabilities(api: HostedClient<'packageSpec'>, signal: AbortSignal): Promise<DownloadCapabilities> {
  const spec = await api.call('packageSpec', { signal });
  return { maxFiles: spec.max_batch_downloads ?? 0, batchGetUrl: spec.many_objects_url ?? null };
}

interface OfPackage<Names extends 'downloadFile' | 'downloadFiles'> {
  /** With the package's read token. */
  readonly api: HostedClient<Names>;
  readonly packageId: string;
  readonly signal: AbortSignal;
}

/** The download address of one file (contract/files-and-blueprints.md §9). Failures are `ServiceError`s. */
export async function addressOf({ api, packageId, signal }: OfPackage<'downloadFile'>, fileId: string): Promise<string> {
  return (await api.call('downloadFile', { params: { package_id: packageId, file_id: fileId }, query: {}, signal })).url;
}

/** One address for small files, and what each is named there, in the order of the request; without `object`: not among them. */
export interface SharedAddress {
  /** `null` where the storage has none: then each file has its own. */
  readonly url: string | null;
  readonly files: readonly BatchDownload[];
}

/** Requests one address for many small files, by one call. Errors as for `batchOfAddresses`. */
export async function sharedAddressOf(
  { api, packageId, signal }: OfPackage<'downloadFiles'>,
  fileIds: readonly string[],
): Promise<SharedAddress> {
  const body = { file_ids: [...fileIds], one_address: true };
  const { files, objects_url: url = null } = await api.call('downloadFiles', { params: { package_id: packageId }, body, signal });
  return { url, files: checkAnswerCount(fileIds, files) };
}

/**
 * Requests the addresses of many files in one call. Each file has its own result, in the order of the request. Failures
 * are `ServiceError`s and `TransferError`s.
 */
export async function batchOfAddresses(
  { api, packageId, signal }: OfPackage<'downloadFiles'>,
  fileIds: readonly string[],
): Promise<readonly BatchDownload[]> {
  const { files } = await api.call('downloadFiles', { params: { package_id: packageId }, body: { file_ids: [...fileIds] }, signal });
  return checkAnswerCount(fileIds, files);
}
