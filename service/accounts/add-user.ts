import { randomBytes } from 'node:crypto';
import { sql, type Transaction } from 'kysely';
import type { Database } from '../database/schema/database.ts';
import { newId } from '../ids.ts';
import { hashPassword } from './passwords.ts';

interface NewUser {
  readonly email: string;
  /** By default, the part of the address before the @. */
  readonly name: string | undefined;
  /** By default a random one that nobody knows: the user cannot sign in until it is reset. */
  readonly password: string | undefined;
  /** The user's first Team; null for none. */
  readonly teamId: string | null;
}

interface AddedUser {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  /** False for an existing user, who was not changed. */
  readonly made: boolean;
}

/**
 * The user with this e-mail address, regardless of case, or a new one. Idempotent under concurrency: two calls create
 * one user.
 */
export async function addUser(trx: Transaction<Database>, person: NewUser, at: Date): Promise<AddedUser> {
  const known = await findUser(trx, person.email);
  if (known) return { ...known, made: false };
  const user = { id: newId(), name: person.name ?? person.email.split('@')[0]!, email: person.email };
  const inserted = await trx
    .insertInto('users')
    .values({
      ...user,
      password_hash: await hashPassword(person.password ?? randomBytes(32).toString('base64url')),
      primary_team_id: person.teamId,
      preferred_team_id: person.teamId,
      created_at: at,
      updated_at: at,
    })
    .onConflict((conflict) => conflict.expression(sql`lower(email)`).doNothing())
    .executeTakeFirst();
  if (inserted.numInsertedOrUpdatedRows === 1n) return { ...user, made: true };
  // A concurrent call created the user after our lookup. Its transaction has ended, otherwise the insert would still
  // wait.
  return { ...(await findUser(trx, person.email))!, made: false };
}

/** The user with this e-mail address, regardless of case. */
async function findUser(trx: Transaction<Database>, email: string) {
  return await trx
    .selectFrom('users')
    .select(['id', 'name', 'email'])
    .where(sql`lower(email)`, '=', email.toLowerCase())
    .executeTakeFirst();
}
