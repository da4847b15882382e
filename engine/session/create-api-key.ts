import { refusesCredential } from '#client/faults.ts';
import type { HostedClient } from '#client/hosted.ts';
import type { CreateApiKey } from '#protocol/agent/api-keys.ts';
import type { AgentSession } from '#protocol/agent/session.ts';
import { ApiError } from '#protocol/errors.ts';
import type { CreatedApiKey } from '#protocol/hosted/accounts.ts';
import type { SessionEntry } from './session-entry.ts';

interface KeyPorts {
  /** Active sessions, the login first. */
  readonly sessions: readonly SessionEntry[];
  /** Reads the account of a session from the service. */
  fetchAccount(entry: SessionEntry): Promise<AgentSession>;
  /** The service with a session's credential. `refused` ends the session and returns the error to show. */
  clientOf(entry: SessionEntry): { readonly client: HostedClient; refused(cause: unknown): Promise<ApiError> };
}

/**
 * Creates an API key at the service as the user of a session with e-mail and password; an API key cannot create others.
 *
 * @throws ApiError `not_allowed` if all sessions use API keys, `not_found` if no user is in the Team,
 * `invalid_request` if the Team must be named
 */
export async function createApiKey(request: CreateApiKey, { sessions, fetchAccount, clientOf }: KeyPorts): Promise<CreatedApiKey> {
  const { team_id: wanted, session_id: _, ...key } = request;
  const users = sessions.filter(({ kind }) => kind === 'user');
  if (users.length === 0) {
    throw new ApiError('not_allowed', { detail: 'A session by an API key cannot make API keys. Sign in with e-mail and password.' });
  }
  for (const entry of users) {
    const { teams } = entry.account ?? (await fetchAccount(entry));
    if (wanted === undefined && teams.length !== 1) {
      throw new ApiError('invalid_request', { detail: `The field team_id is missing: this user is in ${teams.length} Teams.` });
    }
    const team = wanted === undefined ? teams[0] : teams.find(({ id }) => id === wanted);
    if (!team) continue;
    const { client, refused } = clientOf(entry);
    try {
      return await client.call('createApiKey', { params: { team_id: team.id }, body: { ...key, state: 'active' } });
    } catch (cause) {
      throw refusesCredential(cause) ? await refused(cause) : cause;
    }
  }
  throw new ApiError('not_found', { resource: 'Team' });
}
