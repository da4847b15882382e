import { randomBytes } from 'node:crypto';
import { sql, type Transaction } from 'kysely';
import type { Database } from '../database/schema/database.ts';
import { newId } from '../ids.ts';
import { hashPassword } from './passwords.ts';

export interface NewUser {
  readonly email: string;
  /** Else the part of the address before the @. */
  readonly name: string | undefined;
  /** Else one that nobody knows: the user cannot sign in until it is reset. */
  readonly password: string | undefined;
  /** Their first Team. */
  readonly teamId: string;
}

export interface AddedUser {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  /** False for one who was there, of whom nothing was changed. */
  readonly made: boolean;
}

/** The user with this e-mail address, in whatever case; a new one where there is none. Made by two at once, it is one. */
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
  // Somebody else made it since we looked; its transaction has ended, or the insertion would still wait.
  return { ...(await findUser(trx, person.email))!, made: false };
}

/** The user with this e-mail address, in whatever case. */
export async function findUser(trx: Transaction<Database>, email: string) {
  return await trx
    .selectFrom('users')
    .select(['id', 'name', 'email'])
    .where(sql`lower(email)`, '=', email.toLowerCase())
    .executeTakeFirst();
}
