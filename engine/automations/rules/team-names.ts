import { type FieldsToRead, readFields } from './yaml-fields.ts';
import { YamlFault, type YamlText } from './yaml-text.ts';

/** Teams by name in a YAML text, since people know no ids: contract/agent.md §10. */

/** An automation or a mount as a text has it, and the line of the text. */
interface Written {
  /** For messages. */
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

/**
 * `readFields` of what belongs to a Team: a text may have `team`, a name, in place of `team_id`.
 *
 * @throws YamlFault that names the line and the field
 */
export function readTeamFields(
  yaml: YamlText,
  path: readonly (string | number)[],
  { given, assumed, ...how }: FieldsToRead,
): Record<string, unknown> {
  const { team, team_id: id, ...others } = given;
  if (team === undefined || !Object.hasOwn(how.schema.properties, 'team_id')) return readFields(yaml, path, { given, assumed, ...how });
  const at = yaml.lineOf([...path, 'team']);
  if (typeof team !== 'string' || team.trim() === '') throw new YamlFault(at, 'team must be the name of a Team: put it in quotes.');
  if (id !== undefined) throw new YamlFault(at, 'Give team or team_id, and not both.');
  return { ...readFields(yaml, path, { ...how, given: others, assumed: { ...assumed, team_id: team } }), team };
}

/** Whether one of them names its Team, so that the Teams have to be known. */
export const namesTeams = (written: readonly Written[]): boolean => written.some(({ fields }) => fields['team'] !== undefined);

/**
 * The same with `team_id` in place of `team`.
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
