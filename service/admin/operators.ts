import { type Kysely, sql } from 'kysely';
import type { Database } from '../database/schema/database.ts';
import { byCommand } from '../operator/log.ts';
import { setOperator } from '../operator/operators.ts';
import { AdminError } from './admin-error.ts';
import { checkEmail } from './input-checks.ts';

export interface OperatorRecord {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  /** Whether a sign-in asks for a second factor. */
  readonly mfa: boolean;
}

const selectOperatorRecords = (db: Kysely<Database>) =>
  db.selectFrom('users').select(['id', 'email', 'name']).select(sql<boolean>`mfa_since is not null`.as('mfa'));

/** All operators. */
export async function* listOperators(db: Kysely<Database>): AsyncGenerator<OperatorRecord> {
  yield* await selectOperatorRecords(db).where('is_operator', '=', true).orderBy('id').execute();
}

/** Makes a user an operator, or no operator any more; idempotent. Errors: `AdminError` (`invalid`, `user_unknown`). */
export async function changeOperator(
  db: Kysely<Database>,
  email: string,
  isOperator: boolean,
  at: Date,
): Promise<OperatorRecord & { readonly changed: boolean }> {
  checkEmail(email);
  return await db.transaction().execute(async (trx) => {
    const user = await selectOperatorRecords(trx).where(sql`lower(email)`, '=', email.toLowerCase()).forNoKeyUpdate().executeTakeFirst();
    if (!user) throw new AdminError('user_unknown', `There is no user ${email}. \`longshore admin user list\` shows them.`);
    return { ...user, changed: await setOperator(trx, user, isOperator, byCommand(at)) };
  });
}
