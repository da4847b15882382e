import { createHostedClient, type HostedClient } from '#client/hosted.ts';
import type { Fetcher } from '#client/ports.ts';
import { ApiError } from '#protocol/errors.ts';
import type { StartFacts } from './facts.ts';

/** Calls to the service as its owner, so that an agent can begin with a key. */

interface OwnersKey {
  readonly apiKey: string;
  /** The Team that receives the folder. */
  readonly teamId: string;
  /** Whether the key was created just now. */
  readonly made: boolean;
}

/** Uses the key of an earlier start if it is still valid; otherwise signs in as the owner and creates one. */
export async function ownersKey(serviceUrl: string, facts: StartFacts, fetcher: Fetcher): Promise<OwnersKey> {
  const service = createHostedClient({ baseUrl: serviceUrl, fetcher });
  if (facts.apiKey !== undefined) {
    const teamId = await teamOfKey(service, facts.apiKey);
    if (teamId !== null) return { apiKey: facts.apiKey, teamId, made: false };
  }
  const { token, teams } = await signIn(service, facts);
  const team = teams[0];
  if (!team) throw new Error(`${facts.owner.email} is in no Team.`);
  const { key } = await service
    .as({ kind: 'user', token })
    .call('createApiKey', { params: { team_id: team.id }, body: { name: 'npm start', state: 'active' } });
  return { apiKey: key, teamId: team.id, made: true };
}

async function teamOfKey(service: HostedClient, key: string): Promise<string | null> {
  try {
    const { teams } = await service.as({ kind: 'api_key', key }).call('currentUser', {});
    return teams[0]?.id ?? null;
  } catch (error) {
    // The key was deleted or deactivated, or its database is gone: a new one is created.
    if (error instanceof ApiError && (error.status === 401 || error.status === 402)) return null;
    throw error;
  }
}

async function signIn(service: HostedClient, { owner }: StartFacts) {
  try {
    return await service.call('auth', { body: { email: owner.email, password: owner.password } });
  } catch (error) {
    if (!(error instanceof ApiError) || error.error !== 'wrong_password') throw error;
    throw new Error(
      `This data folder's service does not know ${owner.email} with the password kept here. ` +
        'Give the owner by LONGSHORE_OWNER_EMAIL and LONGSHORE_OWNER_PASSWORD, or choose another folder with --data-dir.',
      { cause: error },
    );
  }
}
