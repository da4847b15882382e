import { YamlFault } from './yaml-text.ts';

/** Teams by name in a YAML text, since people know no ids: contract/agent.md §10. */

/** An automation as a text has it, and the line of the text. */
interface Written {
  readonly name: string;
  readonly line: number;
  readonly fields: Readonly<Record<string, unknown>>;
}

interface NamedTeam {
  readonly id: string;
  readonly name: string;
}

const sameName = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

/** Each Team once, though several sessions may be in it. */
const calledLike = (name: string, teams: readonly NamedTeam[]): NamedTeam[] => [
  ...new Map(teams.filter((team) => sameName(team.name, name)).map((team) => [team.id, team])).values(),
];

/** Whether one of them names its Team, so that the Teams have to be known. */
export const namesTeams = (written: readonly Written[]): boolean => written.some(({ fields }) => fields['team'] !== undefined);

/**
 * The automations with `team_id` in place of `team`.
 *
 * @throws YamlFault for a name that no Team has, or several
 */
export function withTeamIds<T extends Written>(written: readonly T[], teams: readonly NamedTeam[]): T[] {
  return written.map((one) => {
    const { team, ...fields } = one.fields;
    if (typeof team !== 'string') return one;
    const [found, ...others] = calledLike(team, teams);
    if (!found) {
      const known = [...new Set(teams.map(({ name }) => `"${name}"`))].join(', ');
      throw new YamlFault(one.line, `There is no Team "${team}" in "${one.name}". Those that are signed in to: ${known || 'none'}.`);
    }
    if (others.length > 0) {
      const ids = [found, ...others].map(({ id }) => id).join(' or ');
      throw new YamlFault(one.line, `Several Teams are called "${team}". In "${one.name}" give team_id in place of team: ${ids}.`);
    }
    return { ...one, fields: { ...fields, team_id: found.id } };
  });
}

/** The name that means this Team and no other; `null` where it is not known, or another has it too. */
export function teamNameOf(id: string, teams: readonly NamedTeam[]): string | null {
  const team = teams.find((one) => one.id === id);
  return team && calledLike(team.name, teams).length === 1 ? team.name : null;
}
