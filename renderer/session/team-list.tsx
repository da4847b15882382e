import type { AgentTeam } from '#protocol/agent/session.ts';
import { initials } from './initials.ts';

/** The Teams of the signed-in user, with the storage time their packages get. */
export function TeamList({ teams }: { teams: readonly AgentTeam[] }) {
  return (
    <section className="side-card" aria-labelledby="teams-heading">
      <h2 id="teams-heading">Teams</h2>
      {teams.length === 0 ? (
        <p className="hint">You are in no Team yet, so there is nowhere to send to. Ask a Team’s owner to add you.</p>
      ) : (
        <ul className="teams">
          {teams.map((team) => (
            <li key={team.id}>
              <span className="badge" aria-hidden="true">
                {initials(team.name)}
              </span>
              <div>
                <p className="team-name">{team.name}</p>
                {storageWords(team) ? <p className="hint">{storageWords(team)}</p> : null}
              </div>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function storageWords(team: AgentTeam): string {
  if (!team.custom_expiry_enabled || team.custom_expiry_default <= 0) return '';
  const days = team.custom_expiry_default;
  return `Keeps packages ${days} ${days === 1 ? 'day' : 'days'}`;
}
