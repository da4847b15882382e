import type { Kysely } from 'kysely';
import type { Database } from '../database/schema/database.ts';
import { noLimits, type QuotaLimits, storeLimits } from './limits.ts';

/** In `service_facts`, since `longshore admin team create` makes Teams without the options of the service. */
const fact = 'new_team_quotas';

/** What Teams made from now on may use; those that are there keep what they have. Of several nodes the last one started counts. */
export async function keepNewTeamQuotas(db: Kysely<Database>, { storage, traffic }: QuotaLimits): Promise<void> {
  if (storage === null && traffic === null) {
    await db.deleteFrom('service_facts').where('name', '=', fact).execute();
    return;
  }
  const value = JSON.stringify({ storage, traffic });
  await db
    .insertInto('service_facts')
    .values({ name: fact, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute();
}

/** Gives a Team its first limits, in the transaction that makes it: it has no file yet, so nothing needs to be counted. */
export async function limitNewTeam(trx: Kysely<Database>, teamId: string): Promise<void> {
  const kept = await trx.selectFrom('service_facts').select('value').where('name', '=', fact).executeTakeFirst();
  const wanted = kept ? (JSON.parse(kept.value) as QuotaLimits) : noLimits;
  await storeLimits(trx, { teamId, portalId: null }, wanted, true);
}
