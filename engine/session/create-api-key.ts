import { refusesCredential } from '#client/faults.ts';
import type { HostedClient } from '#client/hosted.ts';
import type { CreateApiKey } from '#protocol/agent/api-keys.ts';
import type { AgentSession } from '#protocol/agent/session.ts';
import { ApiError } from '#protocol/errors.ts';
import type { CreatedApiKey } from '#protocol/hosted/accounts.ts';
import type { Entry } from './entry.ts';

interface KeyPorts {
  /** Active sessions, the login first. */
  readonly sessions: readonly Entry[];
  /** The account of a session, according to the service. */
  ask(entry: Entry): Promise<AgentSession>;
  /** The service with a session's credential. `refused` ends the session and gives the error to show. */
  clientOf(entry: Entry): { readonly client: HostedClient; refused(cause: unknown): Promise<ApiError> };
}

/**
 * Makes an API key at the service, as the user of a session by e-mail and password: a key cannot make others.
 *
 * @throws ApiError `not_allowed` where there are sessions by API keys only, `not_found` for a Team of none of them,
 * `invalid_request` where the Team has to be named
 */
export async function createApiKey(request: CreateApiKey, { sessions, ask, clientOf }: KeyPorts): Promise<CreatedApiKey> {
  const { team_id: wanted, session_id: _, ...key } = request;
  const users = sessions.filter(({ kind }) => kind === 'user');
  if (users.length === 0) {
    throw new ApiError('not_allowed', { detail: 'A session by an API key cannot make API keys. Sign in with e-mail and password.' });
  }
  for (const entry of users) {
    const { teams } = entry.account ?? (await ask(entry));
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
