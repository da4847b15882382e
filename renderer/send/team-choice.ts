import type { AgentTeam } from '#protocol/agent/session.ts';
import type { SignedIn } from '#protocol/agent/sessions.ts';

/** A Team that can be sent to, by the session that can. */
export interface TeamChoice {
  /** Unique among the choices: one Team may be reached by two accounts. */
  readonly key: string;
  readonly session: SignedIn;
  readonly team: AgentTeam;
}

export function teamChoices(sessions: readonly SignedIn[]): TeamChoice[] {
  return sessions
    .filter(({ state }) => state === 'active')
    .flatMap((session) => session.teams.map((team) => ({ key: `${session.id}/${team.id}`, session, team })));
}
