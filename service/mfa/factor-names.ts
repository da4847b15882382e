import type { Kysely } from 'kysely';
import type { Database } from '../database/schema/database.ts';

/** The kinds of factors that a user has, separated by commas: `totp`, `passkey`, `recovery_code`. */
export async function factorNames(db: Kysely<Database>, userId: string): Promise<string> {
  const { totp, passkey, recovery_code } = await db
    .selectNoFrom((select) => [
      select
        .exists(select.selectFrom('totp_secrets').select('user_id').where('user_id', '=', userId).where('sealed', 'is not', null))
        .as('totp'),
      select.exists(select.selectFrom('passkeys').select('id').where('user_id', '=', userId)).as('passkey'),
      select.exists(select.selectFrom('recovery_codes').select('user_id').where('user_id', '=', userId)).as('recovery_code'),
    ])
    .executeTakeFirstOrThrow();
  return Object.entries({ totp, passkey, recovery_code })
    .flatMap(([name, has]) => (has ? [name] : []))
    .join(', ');
}
