import { type Kysely, sql } from 'kysely';
import type { Role } from '#protocol/roles.ts';
import { addUser } from '../accounts/add-user.ts';
import { hashPassword } from '../accounts/passwords.ts';
import type { Database } from '../database/schema/database.ts';
import { newId } from '../ids.ts';
import { requireRoom } from '../teams/turns.ts';
import { checkEmail, firstPassword, passwordOr } from './checks.ts';
import { OperatorError } from './operator-error.ts';
import { findTeam, findTeamOrOnly } from './teams.ts';

export interface UserRecord {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly teams: readonly { readonly id: string; readonly name: string; readonly role: Role }[];
  readonly created_at: Date;
}

export interface NewOperatorUser {
  readonly email: string;
  readonly name: string | undefined;
  /** Else one is generated. */
  readonly password: string | undefined;
  readonly role: Role;
  /** Id or subdomain; else the only Team there is. */
  readonly team: string | undefined;
}

export interface UserWithPassword {
  readonly user: UserRecord;
  /** Where it was generated. It is nowhere else. */
  readonly generatedPassword: string | null;
}

/** Makes a user in a Team. Errors: `OperatorError` (`invalid`, `team_unknown`, `already_exists`). */
export async function createUser(db: Kysely<Database>, wanted: NewOperatorUser, at: Date): Promise<UserWithPassword> {
  const { password, generated } = firstPassword(wanted.email, wanted.name, wanted.password);
  return await db.transaction().execute(async (trx) => {
    const team = await findTeamOrOnly(trx, wanted.team);
    await requireRoom(trx, team.id);
    const added = await addUser(trx, { email: wanted.email, name: wanted.name, password, teamId: team.id }, at);
    if (!added.made) {
      throw new OperatorError(
        'already_exists',
        `There is a user ${added.email} already. An owner or admin adds them to a Team; \`longshore admin user reset-password\` gives a new password.`,
      );
    }
    await trx
      .insertInto('memberships')
      .values({ id: newId(), team_id: team.id, user_id: added.id, role: wanted.role, created_at: at })
      .execute();
    const { made: _, ...user } = added;
    return {
      user: { ...user, teams: [{ id: team.id, name: team.name, role: wanted.role }], created_at: at },
      generatedPassword: generated ? password : null,
    };
  });
}

const readable = (db: Kysely<Database>) =>
  db
    .selectFrom('users')
    .select(['users.id', 'users.email', 'users.name', 'users.created_at'])
    .select(
      sql<UserRecord['teams']>`coalesce((
        select json_agg(json_build_object('id', teams.id, 'name', teams.name, 'role', memberships.role) order by memberships.id)
        from memberships join teams on teams.id = memberships.team_id where memberships.user_id = users.id), '[]')`.as('teams'),
    );

/** All users, or those of one Team (id or subdomain), in the order in which they were made, a page at a time. Errors: `team_unknown`. */
export async function* listUsers(db: Kysely<Database>, team: string | undefined, page = 500): AsyncGenerator<UserRecord> {
  const teamId = team === undefined ? null : (await findTeam(db, team)).id;
  for (let after: string | null = null; ; ) {
    let query = readable(db).orderBy('users.id').limit(page);
    if (after !== null) query = query.where('users.id', '>', after);
    if (teamId !== null) {
      query = query.where((where) =>
        where.exists(where.selectFrom('memberships').select('id').whereRef('user_id', '=', 'users.id').where('team_id', '=', teamId)),
      );
    }
    const rows: UserRecord[] = await query.execute();
    yield* rows;
    if (rows.length < page) return;
    after = rows.at(-1)!.id;
  }
}

/**
 * Gives a user a new password and ends every token issued to them; API keys stay. Errors: `OperatorError`
 * (`invalid`, `user_unknown`).
 */
export async function resetPassword(db: Kysely<Database>, email: string, given: string | undefined, at: Date): Promise<UserWithPassword> {
  checkEmail(email);
  const { password, generated } = passwordOr(given);
  const changed = await db
    .updateTable('users')
    .set({ password_hash: await hashPassword(password), token_version: sql`token_version + 1`, updated_at: at })
    .where(sql`lower(email)`, '=', email.toLowerCase())
    .returning('id')
    .executeTakeFirst();
  if (!changed) throw new OperatorError('user_unknown', `There is no user ${email}. \`longshore admin user list\` shows them.`);
  const user = await readable(db).where('users.id', '=', changed.id).executeTakeFirstOrThrow();
  return { user, generatedPassword: generated ? password : null };
}
