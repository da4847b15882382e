import { type Kysely, sql } from 'kysely';
import type { Database } from '../database/schema/database.ts';
import { inTransaction } from '../database/transaction.ts';
import type { Jobs } from '../jobs/ports.ts';
import { queueAccountMail } from '../mail/queue-account-mail.ts';
import type { FindingCounts } from './check-state.ts';

/** In `service_facts`: how many missing and damaged files operators were told of last. */
const fact = 'integrity_told';

/** Mails operators where more files are missing or damaged than they were told of; once all is mended it begins anew. */
export async function tellOperators(
  services: { readonly db: Kysely<Database>; readonly jobs: Jobs; readonly now: () => Date },
  counts: FindingCounts,
): Promise<void> {
  const count = (counts.missing ?? 0) + (counts.damaged ?? 0);
  await inTransaction(services.db, async (trx) => {
    const known = await trx.selectFrom('service_facts').select('value').where('name', '=', fact).forUpdate().executeTakeFirst();
    if (Number(known?.value ?? 0) === count) return;
    await trx
      .insertInto('service_facts')
      .values({ name: fact, value: String(count) })
      .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: String(count) }))
      .execute();
    if (count < Number(known?.value ?? 0)) return;
    const operators = await trx
      .selectFrom('users')
      .select(['email', sql<'de' | 'en'>`coalesce(nullif(language, ''), 'en')`.as('language')])
      .where('is_operator', '=', true)
      .execute();
    for (const { email, language } of operators)
      await queueAccountMail(trx, services, { kind: 'storage_damaged', recipient: email, language });
  });
}
