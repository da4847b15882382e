import { ApiError } from '#protocol/errors.ts';
import type { CloudFile } from '#protocol/hosted/connections.ts';
import { type Direction, providers } from '#protocol/providers.ts';
import { ProviderError } from '#providers/errors.ts';
import type { CloudEntry } from '#providers/ports.ts';
import { browseGateway, type GatewayConnection } from '../gateways/requests.ts';
import type { Context } from '../handler.ts';
import type { Seal } from '../seal.ts';
import { formatDateTime } from '../wire-times.ts';
import type { ConnectionCredentials } from './open-provider.ts';
import { isWithinSources, sourceRoots } from './sources.ts';
import { connectionStateAfter, recordConnectionState } from './state.ts';

/** What listing needs of a connection's row. */
export interface ListedConnection extends ConnectionCredentials, GatewayConnection {
  readonly direction: Direction;
  readonly source_directory_ids: readonly string[];
}

export interface FilesQuery {
  readonly prefix: string;
  readonly prev_key?: string;
  readonly count: number;
}

interface FilesPage {
  readonly records: CloudFile[];
  readonly prev_key: string;
}

const timeLimit = 20_000;
const attempts = 2;

/**
 * A page of a folder, for a picker (contract/connections.md §5). Errors: `invalid_request`, `not_found` for a folder outside
 * of the connection's, `state_conflict` with what the provider refuses, `storage_unavailable`.
 */
export async function listFiles(
  connection: ListedConnection,
  { prefix, prev_key: key = '', count }: FilesQuery,
  context: Pick<Context, 'cloudProviders' | 'db' | 'seal' | 'disconnection' | 'gateways'>,
): Promise<FilesPage> {
  const { cloudProviders, db, seal, disconnection } = context;
  const { id, direction, source_directory_ids: sources } = connection;
  if (direction !== 'cloud_to_service') {
    throw new ApiError('invalid_request', { detail: 'Only the files of a cloud_to_service connection are listed.' });
  }
  const cursor = key === '' ? undefined : openKey(seal, id, prefix, key);
  const roots = prefix === '' ? sourceRoots(sources) : null;
  if (roots) return pageOfRoots(roots, Number(cursor ?? 0), count, (at) => sealKey(seal, id, prefix, String(at)));
  if (!isWithinSources(sources, prefix)) throw new ApiError('not_found', { resource: 'folder (prefix)' });

  if (providers[connection.provider].gateway) {
    const page = await browseGateway(context, connection, { prefix, prev_key: cursor ?? '', count });
    return { records: page.records, prev_key: page.next === '' ? '' : sealKey(seal, id, prefix, page.next) };
  }

  const disconnected = disconnection();
  const timeIsUp = AbortSignal.timeout(timeLimit);
  const signal = AbortSignal.any([disconnected, timeIsUp]);
  try {
    const request = { folder: prefix, count, ...(cursor !== undefined && { cursor }) };
    const page = await cloudProviders.use(connection, (provider) => provider.list(request, signal), { attempts });
    return { records: page.entries.map(toCloudFile), prev_key: page.cursor === null ? '' : sealKey(seal, id, prefix, page.cursor) };
  } catch (error) {
    disconnected.throwIfAborted();
    const state = connectionStateAfter(error);
    if (state) await recordConnectionState(db, connection, state);
    throw timeIsUp.aborted ? new ApiError('storage_unavailable', { detail: `nothing came within ${timeLimit / 1000} s` }) : answerTo(error);
  }
}

function pageOfRoots(roots: readonly string[], start: number, count: number, sealed: (at: number) => string): FilesPage {
  const end = start + count;
  const records = roots.slice(start, end).map((id) => ({ id, name: id.slice(id.lastIndexOf('/') + 1), kind: 'directory' as const }));
  return { records, prev_key: end < roots.length ? sealed(end) : '' };
}

const toCloudFile = (entry: CloudEntry): CloudFile =>
  entry.kind === 'folder'
    ? { id: entry.id, name: entry.name, kind: 'directory' }
    : {
        id: entry.id,
        name: entry.name,
        kind: 'file',
        size: entry.size,
        ...(entry.modified && { last_modified: formatDateTime(entry.modified) }),
        ...(entry.archived && { archived: true }),
      };

/** A provider's failure, for whoever looks into the folder. */
function answerTo(error: unknown): unknown {
  if (!(error instanceof ProviderError)) return error;
  switch (error.code) {
    case 'not_found':
      return new ApiError('not_found', { resource: 'folder (prefix)' });
    case 'unreachable':
      return new ApiError('storage_unavailable', { detail: 'it cannot be reached, or the connection broke' });
    case 'busy':
      return new ApiError('storage_unavailable', { detail: 'it is busy' });
    case 'corrupted':
    case 'bad_answer':
      return new ApiError('storage_unavailable', { detail: 'its answer makes no sense' });
    default:
      return new ApiError('state_conflict', { detail: error.message });
  }
}

/**
 * The provider's own cursor may say where to go on in words that it would take from anybody. So it is sealed, for this
 * folder of this connection.
 */
const purpose = (connectionId: string, folder: string): string => `files of ${connectionId} in ${folder}`;

const sealKey = (seal: Seal, connectionId: string, folder: string, cursor: string): string =>
  seal.seal(purpose(connectionId, folder), cursor).toString('base64url');

function openKey(seal: Seal, connectionId: string, folder: string, key: string): string {
  try {
    return seal.open(purpose(connectionId, folder), Buffer.from(key, 'base64url'));
  } catch {
    throw new ApiError('invalid_request', { detail: 'The field prev_key must be that of the last page of this folder, or left out.' });
  }
}
