import { createHash } from 'node:crypto';
import { ApiError } from '#protocol/errors.ts';
import type { CloudFile, CloudFilePage } from '#protocol/hosted/connections.ts';
import { type Direction, type ProviderName, providers } from '#protocol/providers.ts';
import { ProviderError } from '#providers/errors.ts';
import type { CloudEntry } from '#providers/ports.ts';
import { browseGateway, type GatewayConnection } from '../gateways/requests.ts';
import type { Context } from '../handler.ts';
import type { Seal } from '../seal.ts';
import { formatDateTime } from '../wire-times.ts';
import { type KnownAuthorization, newAuthorization } from './authorization.ts';
import type { ConnectionCredentials, SingleUseCredentials } from './open-provider.ts';
import { isWithinSources, sourceRoots } from './sources.ts';
import { connectionStateAfter, recordConnectionState } from './state.ts';

/** What listing needs of a connection's row. */
export interface ListedConnection extends ConnectionCredentials, GatewayConnection {
  readonly direction: Direction;
  readonly source_directory_ids: readonly string[];
}

export interface PageQuery {
  readonly prefix: string;
  readonly prev_key?: string;
  readonly count: number;
}

export interface FilesQuery extends PageQuery {
  /** `destination`: for whoever chooses the folders, and may choose any. */
  readonly within?: 'sources' | 'destination';
}

const timeLimit = 20_000;
const attempts = 2;

/**
 * A page of a folder, for a picker (contract/connections.md §5). Errors: `invalid_request`, `not_found` for a folder outside
 * of the connection's, `state_conflict` with what the provider refuses, `storage_unavailable`.
 */
export async function listFiles(
  connection: ListedConnection,
  query: FilesQuery,
  context: Pick<Context, 'cloudProviders' | 'db' | 'seal' | 'disconnection' | 'gateways'>,
): Promise<CloudFilePage> {
  const { db, seal } = context;
  const { prefix, prev_key: key = '', count, within = 'sources' } = query;
  const { id, direction } = connection;
  const sources = within === 'sources' ? connection.source_directory_ids : [];
  const keys = keysOf(seal, `files of ${id} in ${within} ${prefix}`);
  if (direction !== 'cloud_to_service') {
    throw new ApiError('invalid_request', { detail: 'Only the files of a cloud_to_service connection are listed.' });
  }
  const roots = prefix === '' ? sourceRoots(sources) : null;
  if (roots) return pageOfRoots(roots, Number(keys.open(key) ?? 0), count, (at) => keys.seal(String(at)));
  if (!isWithinSources(sources, prefix)) throw new ApiError('not_found', { resource: 'folder (prefix)' });

  if (providers[connection.provider].gateway) {
    const shown = { ...connection, source_directory_ids: sources };
    const page = await browseGateway(context, shown, { prefix, prev_key: keys.open(key) ?? '', count });
    return { records: page.records, prev_key: page.next === '' ? '' : keys.seal(page.next) };
  }
  return await listFolder(connection, query, keys, context, async (error) => {
    const state = connectionStateAfter(error);
    if (state) await recordConnectionState(db, connection, state);
  });
}

/**
 * A page of a folder of storage that is not connected yet (contract/connections.md §5). Errors: those of `listFiles`;
 * `invalid_request` names each field of the credentials that is missing or wrong.
 */
export async function browseStorage(
  teamId: string,
  { provider, authorization: sent, ...query }: PageQuery & { readonly provider: ProviderName; readonly authorization: KnownAuthorization },
  context: Pick<Context, 'cloudProviders' | 'seal' | 'disconnection'>,
): Promise<CloudFilePage> {
  if (providers[provider].gateway) {
    throw new ApiError('invalid_request', { detail: 'provider: what a storage gateway reaches is listed once it is connected.' });
  }
  const authorization = newAuthorization(provider, 'cloud_to_service', sent);
  if (authorization['role_arn'] !== undefined) {
    throw new ApiError('invalid_request', { detail: 'authorization.role_arn: a role can be used by a connection only. Connect it first.' });
  }
  const credentials = createHash('sha256').update(JSON.stringify(authorization)).digest('hex');
  const keys = keysOf(context.seal, `files of ${teamId} at ${provider} ${credentials} in ${query.prefix}`);
  return await listFolder({ provider, authorization }, query, keys, context);
}

/** A page as the provider lists it. `onFailure` hears of what the provider said, unless the caller has left. */
async function listFolder(
  credentials: ConnectionCredentials | SingleUseCredentials,
  { prefix, prev_key: key = '', count }: PageQuery,
  keys: PageKeys,
  { cloudProviders, disconnection }: Pick<Context, 'cloudProviders' | 'disconnection'>,
  onFailure: (error: unknown) => Promise<void> = async () => undefined,
): Promise<CloudFilePage> {
  const cursor = keys.open(key);
  const disconnected = disconnection();
  const timeIsUp = AbortSignal.timeout(timeLimit);
  const signal = AbortSignal.any([disconnected, timeIsUp]);
  try {
    const request = { folder: prefix, count, ...(cursor !== undefined && { cursor }) };
    const page = await cloudProviders.use(credentials, (provider) => provider.list(request, signal), { attempts });
    return { records: page.entries.map(toCloudFile), prev_key: page.cursor === null ? '' : keys.seal(page.cursor) };
  } catch (error) {
    disconnected.throwIfAborted();
    await onFailure(error);
    throw timeIsUp.aborted ? new ApiError('storage_unavailable', { detail: `nothing came within ${timeLimit / 1000} s` }) : answerTo(error);
  }
}

function pageOfRoots(roots: readonly string[], start: number, count: number, sealed: (at: number) => string): CloudFilePage {
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

interface PageKeys {
  seal(cursor: string): string;
  /** Undefined for the first page. */
  open(key: string): string | undefined;
}

/**
 * The provider's own cursor may say where to go on in words that it would take from anybody. So it is sealed, for this
 * folder of this connection.
 */
const keysOf = (seal: Seal, purpose: string): PageKeys => ({
  seal: (cursor) => seal.seal(purpose, cursor).toString('base64url'),
  open(key) {
    if (key === '') return undefined;
    try {
      return seal.open(purpose, Buffer.from(key, 'base64url'));
    } catch {
      throw new ApiError('invalid_request', { detail: 'The field prev_key must be that of the last page of this folder, or left out.' });
    }
  },
});
