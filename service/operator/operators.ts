import { type Kysely, sql, type Transaction } from 'kysely';
import { addUser } from '../accounts/add-user.ts';
import { isEmail } from '../accounts/email.ts';
import type { Database } from '../database/schema/database.ts';
import { inTransaction } from '../database/transaction.ts';
import type { Log } from '../log.ts';
import { StartError } from '../start-error.ts';
import { byStart, type OperatorOrigin, recordOperatorAct } from './log.ts';

interface Person {
  readonly id: string;
  readonly email: string;
}

/** Makes a user an operator, or no operator any more, with the entry of the log. False if nothing changed. */
export async function setOperator(
  trx: Transaction<Database>,
  { id, email }: Person,
  isOperator: boolean,
  origin: OperatorOrigin,
): Promise<boolean> {
  const changed = await trx
    .updateTable('users')
    .set({ is_operator: isOperator, updated_at: origin.at })
    .where('id', '=', id)
    .where('is_operator', '!=', isOperator)
    .executeTakeFirst();
  if (changed.numUpdatedRows === 0n) return false;
  const action = isOperator ? 'operator.added' : 'operator.removed';
  await recordOperatorAct(trx, origin, { action, target: { kind: 'user', id, name: email } });
  return true;
}

/** Checks the addresses that the service's start was given. Errors: `StartError`. */
export function checkOperators(emails: readonly string[]): void {
  for (const email of emails) {
    if (!isEmail(email))
      throw new StartError('option_invalid', `The operator's e-mail address ${email} is not one. Give it like mia@example.com.`);
  }
}

/**
 * Makes operators of the users with these addresses. Where there is none yet, the user is made, in no Team and with a
 * password that nobody knows: otherwise whoever takes the address first would be the operator. Its holder chooses a
 * password by "forgotten password".
 */
export async function nameOperators(db: Kysely<Database>, emails: readonly string[], at: Date, log: Pick<Log, 'info'>): Promise<void> {
  for (const email of emails) {
    await inTransaction(db, async (trx) => {
      const known = await trx
        .selectFrom('users')
        .select(['id', 'email'])
        .where(sql`lower(email)`, '=', email.toLowerCase())
        .executeTakeFirst();
      const user = known ?? (await addUser(trx, { email, name: undefined, password: undefined, teamId: null }, at));
      if (await setOperator(trx, user, true, byStart(at))) log.info({ email: user.email, made: !known }, 'named an operator');
    });
  }
}
