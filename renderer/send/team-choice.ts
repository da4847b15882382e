import type { AgentTeam } from '#protocol/agent/session.ts';
import type { SignedIn } from '#protocol/agent/sessions.ts';

/** A Team as a target, with the session that can send to it. */
export interface TeamChoice {
  /** Unique among the choices: two accounts may have the same Team. */
  readonly key: string;
  readonly session: SignedIn;
  readonly team: AgentTeam;
}

export function teamChoices(sessions: readonly SignedIn[]): TeamChoice[] {
  return sessions
    .filter(({ state }) => state === 'active')
    .flatMap((session) => session.teams.map((team) => ({ key: `${session.id}/${team.id}`, session, team })));
}
