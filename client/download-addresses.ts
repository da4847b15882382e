import type { BatchDownload } from '#protocol/hosted/file-batches.ts';
import { type BatchCallRules, batchedOrSingle, checkAnswerCount, maxFilesPerCall } from './batch-calls.ts';
import { createBatcher } from './batcher.ts';
import type { HostedClient } from './calls.ts';
import { TransferError } from './errors.ts';
import { refusalIn } from './refusals.ts';

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

/** Returns the download address of a file of one package. Failures are `ServiceError`s. */
export type Addresses = (fileId: string) => Promise<string>;

interface AddressesOptions {
  /** With the package's read token. */
  readonly api: HostedClient<'downloadFile' | 'downloadFiles'>;
  readonly packageId: string;
  readonly signal: AbortSignal;
}

/** One call for each file (contract/files-and-blueprints.md §9). */
export function singleAddresses({ api, packageId, signal }: AddressesOptions): Addresses {
  return async (fileId) => (await api.call('downloadFile', { params: { package_id: packageId, file_id: fileId }, query: {}, signal })).url;
}

/**
 * Requests the addresses of many files in one call. Each file has its own result, in the order of the request. Failures
 * are `ServiceError`s and `TransferError`s.
 */
export async function batchOfAddresses(
  { api, packageId, signal }: Pick<AddressesOptions, 'packageId' | 'signal'> & { readonly api: HostedClient<'downloadFiles'> },
  fileIds: readonly string[],
): Promise<readonly BatchDownload[]> {
  const { files } = await api.call('downloadFiles', { params: { package_id: packageId }, body: { file_ids: [...fileIds] }, signal });
  return checkAnswerCount(fileIds, files);
}

/**
 * Batches address requests: those made within `pause`, or while an earlier call is running, share one call. Where the
 * service turns out not to have this call, each file has its own.
 */
export function batchedAddresses(options: AddressesOptions & BatchCallRules): Addresses {
  const { linger } = options;
  const single = singleAddresses(options);
  const maxFiles = Math.min(options.maxFiles, maxFilesPerCall);
  const either = batchedOrSingle();

  const batched = createBatcher<string, BatchDownload>({
    maxItems: maxFiles,
    maxWeight: maxFiles,
    weightOf: () => 1,
    linger,
    run: (fileIds) => batchOfAddresses(options, fileIds),
  });

  return (fileId) =>
    either(
      async () => addressIn(await batched(fileId)),
      () => single(fileId),
    );
}

function addressIn({ url, error }: BatchDownload): string {
  if (error) throw refusalIn(error);
  if (url !== undefined) return url;
  throw new TransferError('wrong_answer', 'The service answered for a file with neither an address nor an error.');
}
