import { sameService } from '#engine/session/service-url.ts';
import type { AgentTeam } from '#protocol/agent/session.ts';
import { ApiError } from '#protocol/errors.ts';
import { exitCodes } from '../exit-codes.ts';
import { CommandError } from '../failure.ts';
import { printable } from '../format.ts';
import type { AgentHandle } from './agent-handle.ts';

interface Sender {
  readonly teams: readonly AgentTeam[];
  /** The session that may send to a Team; undefined lets the agent choose. */
  sessionFor(teamId: string): string | undefined;
}

/**
 * The session for the named service; the current sign-in where none was named. An agent may be signed in to another
 * service than the command names, and the files must not be sent there.
 *
 * @param serviceUrl null where none was named
 * @throws CommandError credential, when the agent is not signed in to that service, or to another one alone; `session_is_nil`
 */
export async function senderFor(agent: AgentHandle, serviceUrl: string | null): Promise<Sender> {
  // An engine in this process works only with the named service.
  if (serviceUrl === null || agent.url === '') {
    try {
      return { teams: (await agent.session.current()).teams, sessionFor: () => undefined };
    } catch (error) {
      throw (agent.url === '' ? null : await signedInElsewhere(agent, error)) ?? error;
    }
  }
  const sessions = (await agent.session.list()).filter((one) => sameService(one.service_url, serviceUrl));
  const active = sessions.filter(({ state }) => state === 'active');
  if (active.length > 0) {
    // Two accounts of one service may share a Team: the first one is used.
    const teams = new Map(active.toReversed().flatMap((session) => session.teams.map((team) => [team.id, { team, session }] as const)));
    return { teams: [...teams.values()].map(({ team }) => team), sessionFor: (teamId) => teams.get(teamId)?.session.id };
  }
  const where = printable(serviceUrl);
  const why = sessions.length > 0 ? `its session with ${where} has ended` : `it is not signed in to ${where}`;
  throw new CommandError(
    exitCodes.credential,
    `The agent at ${agent.url} cannot send there: ${why}. Sign it in (longshore login --service-url ${where}), ` +
      'or do the work without it (--no-agent, with --api-key-file).',
  );
}

/** What to do where nobody is signed in to the agent's own service, but somebody is to another; null for all other failures. */
async function signedInElsewhere(agent: AgentHandle, error: unknown): Promise<CommandError | null> {
  // One with a cause is of a sign-in to its own service that has ended, and says why.
  if (!(error instanceof ApiError) || error.error !== 'session_is_nil' || error.cause !== undefined) return null;
  const one = (await agent.session.list()).find(({ state }) => state === 'active');
  if (!one) return null;
  const where = printable(one.service_url);
  return new CommandError(
    exitCodes.credential,
    `The agent at ${agent.url} is signed in to ${where}, which is not its own service. Name it with --service-url ${where}, or sign in with \`longshore login\`.`,
  );
}
