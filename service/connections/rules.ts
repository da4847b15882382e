import { ApiError } from '#protocol/errors.ts';
import type { CreateConnection } from '#protocol/hosted/connections.ts';
import { type Direction, type Provider, providers } from '#protocol/providers.ts';

/**
 * What a connection's provider and direction allow, in addition to its credentials (contract/connections.md §2).
 * `invalid_request` names every field that is not allowed.
 */
export function checkConnectionRules(connection: CreateConnection, direction: Direction): void {
  const provider: Provider = providers[connection.provider];
  const { target_directory_id: target = '', source_directory_ids: sources = [], storage_gateway_id: gateway } = connection;
  const problems: string[] = [];
  if (target !== '' && direction !== 'service_to_cloud') problems.push('target_directory_id: only a service_to_cloud connection has one.');
  if (sources.length > 0 && direction !== 'cloud_to_service') {
    problems.push('source_directory_ids: only a cloud_to_service connection has them.');
  }
  if (connection.upload_transfer_manifest && !provider.s3) {
    problems.push(`upload_transfer_manifest: only S3 and S3-compatible providers take a manifest, and ${provider.label} is none.`);
  }
  if (gateway !== undefined && !provider.gateway) {
    problems.push(`storage_gateway_id: ${provider.label} is reached without a storage gateway.`);
  }
  const folders = [['target_directory_id', target] as const, ...sources.map((path, i) => [`source_directory_ids[${i}]`, path] as const)];
  for (const [field, path] of folders) {
    const problem = folderProblem(path);
    if (problem !== null) problems.push(`${field}: ${problem}`);
  }
  if (problems.length > 0) throw new ApiError('invalid_request', { detail: problems.join(' ') });
}

/** A folder is a path or an id at the provider. It must not escape from the location of the connection. */
function folderProblem(path: string): string | null {
  if (!path.isWellFormed() || /\p{Cc}/u.test(path)) return 'it must be one line of well-formed text without control characters.';
  if (path.split(/[/\\]/).some((step) => step === '..' || step === '.')) return 'it must not have steps like ".." or ".".';
  return null;
}
