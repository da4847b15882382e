import type { ConnectionCheck } from '#protocol/hosted/connections.ts';
import { type Direction, type Provider, type ProviderName, providers } from '#protocol/providers.ts';
import { type CheckReport, checkProvider } from '#providers/check.ts';
import { ProviderError } from '#providers/errors.ts';
import type { Context } from '../handler.ts';
import type { ConnectionCredentials } from './open-provider.ts';
import { sourceRoots } from './sources.ts';
import { type ConnectionState, connectionOk, connectionStateAfter, recordConnectionState } from './state.ts';

/** What validation needs of a connection's row. */
export interface ValidatedConnection extends ConnectionCredentials {
  readonly provider: ProviderName;
  readonly direction: Direction;
  readonly target_directory_id: string;
  readonly source_directory_ids: readonly string[];
}

/** For all steps together, in milliseconds. With the removal of what was written it stays below what proxies wait for. */
const timeLimit = 40_000;
/** Fewer than transfers have: somebody waits. */
const attempts = 3;

/**
 * Does with a connection what transfers do, for real, and keeps what that says of it (contract/connections.md §3, §6).
 * Rejects only if the client disconnects; what was written is removed then, too.
 */
export async function validate(
  connection: ValidatedConnection,
  { cloudProviders, db, log, disconnection }: Pick<Context, 'cloudProviders' | 'db' | 'log' | 'disconnection'>,
): Promise<ConnectionCheck> {
  const { failures, ...check } = await checked(connection, cloudProviders, disconnection());
  for (const failure of failures) {
    if (!(failure instanceof ProviderError)) log.error({ err: failure, connection: connection.id }, 'a check of a connection failed');
  }
  const state = stateAfter(connection.provider, check.ok, failures);
  if (state) await recordConnectionState(db, connection, state);
  return check;
}

async function checked(
  connection: ValidatedConnection,
  cloudProviders: Context['cloudProviders'],
  signal: AbortSignal,
): Promise<CheckReport> {
  const { direction, target_directory_id: target, source_directory_ids: sources } = connection;
  const [folder = '', ...otherFolders] = direction === 'cloud_to_service' ? (sourceRoots(sources) ?? []) : [fixedPart(target)];
  try {
    return await cloudProviders.use(
      connection,
      (provider) => checkProvider(provider, { direction, folder, otherFolders, signal, timeLimit }),
      { attempts },
    );
  } catch (error) {
    // One that cannot even be opened.
    if (!(error instanceof ProviderError)) throw error;
    const step = direction === 'service_to_cloud' ? 'put' : 'list';
    return { ok: false, steps: [{ step, ok: false, message: error.message }], notes: [], failures: [error] };
  }
}

/** The state of a gateway's connection is the gateway's to tell. */
function stateAfter(name: ProviderName, ok: boolean, failures: readonly unknown[]): ConnectionState | null {
  const { gateway }: Provider = providers[name];
  if (gateway) return null;
  if (ok) return connectionOk;
  return failures.map(connectionStateAfter).find((state) => state !== null) ?? null;
}

/** Of the folder that packages go to: what comes before the first step that differs between them. */
export function fixedPart(target: string): string {
  const steps = target.split('/').filter((step) => step !== '');
  const variable = steps.findIndex((step) => /\{(portal|package|date|sender)\}/.test(step));
  return (variable === -1 ? steps : steps.slice(0, variable)).join('/');
}
