import { refusesCredential } from '#client/faults.ts';
import type { HostedClient } from '#client/hosted.ts';
import type { Session } from './session.ts';

/** A Team, with the service that has it. */
export interface TeamAtService {
  readonly serviceUrl: string;
  readonly teamId: string;
  readonly sessionId?: string;
}

/** Calls the service with the session's credential. `session_is_nil`, `session_expired`, and the service's errors. */
export async function asSession<T>(
  session: Pick<Session, 'hosted'>,
  team: TeamAtService,
  call: (client: HostedClient) => Promise<T>,
): Promise<T> {
  const { client, refused } = session.hosted(team);
  try {
    return await call(client);
  } catch (cause) {
    throw refusesCredential(cause) ? await refused(cause) : cause;
  }
}
