import { createHostedClient } from '#client/hosted.ts';
import { ApiError } from '#protocol/errors.ts';
import type { JobPorts } from '../transfer/job.ts';
import { packageIdOf, type TransferRecord } from '../transfer/record.ts';

/**
 * Exchanges the code that a transfer was made with for its package token, and notes it; does nothing once it has one. The
 * code counts once, but for the same claim again: after a lost answer or a crash this is asked again. Errors are those of
 * the service (contract/handovers.md §3).
 */
export async function takeOver(
  { transport, registry, store }: Pick<JobPorts, 'transport' | 'registry' | 'store'>,
  record: TransferRecord,
  signal?: AbortSignal,
): Promise<void> {
  const { handover } = record.secrets;
  if (!handover) return;
  const client = createHostedClient({ baseUrl: record.request.serviceUrl, fetcher: transport.fetcher });
  const { package_id, package_token } = await client.call('takeHandover', { body: handover, ...(signal ? { signal } : {}) });
  if (package_id !== packageIdOf(record)) {
    throw new ApiError('service_refused', { status: 200, detail: 'The code is for another package now.' });
  }
  const secrets = { packageToken: package_token, handover: undefined };
  if (record.kind === 'upload') registry.patchUploadSecrets(record.id, secrets);
  else registry.changeDownload(record.id, { secrets: { ...record.secrets, ...secrets } });
  await store.writer.committed();
}
