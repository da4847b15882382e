import type { Kysely } from 'kysely';
import type { connectionStates } from '#protocol/hosted/connections.ts';
import { ProviderError } from '#providers/errors.ts';
import type { Database } from '../database/schema/database.ts';
import type { ConnectionCredentials } from './open-provider.ts';

/** What is told of a connection (contract/connections.md §3). `state_message` is empty if the state is `ok`. */
export interface ConnectionState {
  readonly state: (typeof connectionStates)[number];
  readonly state_message: string;
}

export const connectionOk: ConnectionState = { state: 'ok', state_message: '' };

/**
 * The state of a connection after a failure in use: `error` if its credentials, its destination or its account are to blame,
 * so that everything else would fail as well. Null if the failure says nothing about it: one of a file, of the network, of
 * the service.
 */
export function connectionStateAfter(error: unknown): ConnectionState | null {
  return error instanceof ProviderError && error.blame === 'connection' ? { state: 'error', state_message: error.message } : null;
}

/**
 * The state of a connection after a validation. Whoever validates is told that it does not work, so it is `error` also where that
 * may pass by itself, such as an endpoint that does not answer. Null if only the service is to blame.
 */
export function connectionStateAfterCheck(ok: boolean, failures: readonly unknown[]): ConnectionState | null {
  if (ok) return connectionOk;
  const lasting = failures.map(connectionStateAfter).find((after) => after !== null);
  const [first] = failures.filter((failure) => failure instanceof ProviderError);
  return lasting ?? (first ? { state: 'error', state_message: first.message } : null);
}

/**
 * Keeps what a use of these credentials has shown. Nothing is kept if the credentials were changed meanwhile: it was about
 * the old ones.
 */
export async function recordConnectionState(
  db: Kysely<Database>,
  { id, sealed_authorization }: ConnectionCredentials,
  state: ConnectionState,
): Promise<void> {
  await db
    .updateTable('cloud_connections')
    .set(state)
    .where('id', '=', id)
    .where('sealed_authorization', '=', sealed_authorization)
    .where((where) => where.or([where('state', '!=', state.state), where('state_message', '!=', state.state_message)]))
    .execute();
}
