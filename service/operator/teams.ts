import { type Kysely, sql } from 'kysely';
import { limits } from '#protocol/limits.ts';
import { addUser } from '../accounts/add-user.ts';
import { type TeamState, writeTeamState } from '../accounts/team-state.ts';
import type { Database } from '../database/schema/database.ts';
import { violates } from '../database/violations.ts';
import { isId, newId } from '../ids.ts';
import { freeSubdomain, isSubdomain } from '../teams/subdomain.ts';
import { checkName, type FirstPassword, firstPassword } from './checks.ts';
import { OperatorError } from './operator-error.ts';

export interface TeamRecord {
  readonly id: string;
  readonly name: string;
  readonly subdomain: string;
  readonly state: TeamState;
  readonly members: number;
  readonly created_at: Date;
}

export interface NewTeam {
  readonly name: string;
  /** Else made of the name. */
  readonly subdomain: string | undefined;
  /** E-mail address of its owner: somebody who has a user, or a new one. */
  readonly owner: string;
  readonly ownerName: string | undefined;
  /** Of a new user; else one is generated. */
  readonly password: string | undefined;
}

export interface MadeTeam {
  readonly team: TeamRecord;
  /** The owner's password, where the owner is new and it was generated. It is nowhere else. */
  readonly generatedPassword: string | null;
  readonly ownerMade: boolean;
}

/** Makes a Team with its owner. Errors: `OperatorError` (`invalid`, `already_exists`). */
export async function createTeam(db: Kysely<Database>, wanted: NewTeam, at: Date): Promise<MadeTeam> {
  checkName('Team', wanted.name);
  if (wanted.subdomain !== undefined && !isSubdomain(wanted.subdomain)) {
    throw new OperatorError(
      'invalid',
      `The subdomain ${wanted.subdomain} is not one: give 3 to 53 of a-z, 0-9 and -, as in harbour-films.`,
    );
  }
  const first = firstPassword(wanted.owner, wanted.ownerName, wanted.password);
  try {
    return await db.transaction().execute(async (trx) => {
      const subdomain = wanted.subdomain ?? (await freeSubdomain(trx, wanted.name));
      const team = { id: newId(), name: wanted.name, subdomain, created_at: at };
      await trx
        .insertInto('teams')
        .values({ ...team, custom_expiry_default: limits.defaultExpiryDays, updated_at: at })
        .execute();
      const owner = await addUser(trx, { email: wanted.owner, name: wanted.ownerName, password: first.password, teamId: team.id }, at);
      await trx
        .insertInto('memberships')
        .values({ id: newId(), team_id: team.id, user_id: owner.id, role: 'owner', created_at: at })
        .execute();
      return { team: { ...team, state: 'active', members: 1 }, ...told(first, owner.made) };
    });
  } catch (error) {
    if (!violates(error, 'teams_subdomain_key')) throw error;
    throw new OperatorError('already_exists', 'Another Team has this subdomain. Give another one with --subdomain.', { cause: error });
  }
}

const told = (first: FirstPassword, made: boolean) => ({
  ownerMade: made,
  generatedPassword: made && first.generated ? first.password : null,
});

const readable = (db: Kysely<Database>) =>
  db
    .selectFrom('teams')
    .select(['id', 'name', 'subdomain', 'state', 'created_at'])
    .select(sql<number>`(select count(*) from memberships where memberships.team_id = teams.id)`.as('members'));

/** All Teams in the order in which they were made, read a page at a time. */
export async function* listTeams(db: Kysely<Database>, page = 500): AsyncGenerator<TeamRecord> {
  for (let after: string | null = null; ; ) {
    let query = readable(db).orderBy('id').limit(page);
    if (after !== null) query = query.where('id', '>', after);
    const rows: TeamRecord[] = await query.execute();
    yield* rows;
    if (rows.length < page) return;
    after = rows.at(-1)!.id;
  }
}

/** The Team of an id or a subdomain. Errors: `team_unknown`. */
export async function findTeam(db: Kysely<Database>, reference: string): Promise<TeamRecord> {
  const team = await readable(db)
    .where(isId(reference) ? 'id' : 'subdomain', '=', reference)
    .executeTakeFirst();
  if (!team)
    throw new OperatorError(
      'team_unknown',
      `There is no Team with the id or subdomain ${reference}. \`longshore admin team list\` shows them.`,
    );
  return team;
}

/** The Team of an id or a subdomain; of none, the only one there is. Errors: `team_unknown`, `invalid`. */
export async function findTeamOrOnly(db: Kysely<Database>, reference: string | undefined): Promise<TeamRecord> {
  if (reference !== undefined) return await findTeam(db, reference);
  const some = await readable(db).limit(2).execute();
  if (some.length === 1) return some[0]!;
  throw new OperatorError('invalid', 'There is more than one Team: say which by --team, with its id or subdomain.');
}

/** Suspends or reactivates a Team; one that is so already stays so. Errors: `team_unknown`. */
export async function changeTeamState(db: Kysely<Database>, reference: string, state: TeamState, at: Date): Promise<TeamRecord> {
  const team = await findTeam(db, reference);
  if (team.state !== state) await writeTeamState(db, team.id, state, at);
  return { ...team, state };
}
