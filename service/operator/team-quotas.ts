import type { Kysely } from 'kysely';
import { appendEntries, byOperator } from '../audit/record.ts';
import type { Database } from '../database/schema/database.ts';
import { countIfNew } from '../quotas/count.ts';
import { type QuotaLimits, readLimits, storeLimits } from '../quotas/limits.ts';
import { lockTeam } from '../teams/team-lock.ts';
import { type OperatorOrigin, recordOperatorAct } from './log.ts';

/**
 * Sets what a Team may use (contract/quotas.md §1), and writes it into its audit log and into the operators'. The same
 * limits again are no entry. False if there is no such Team. `db` is no transaction: what is there is counted after
 * the limits are committed.
 */
export async function setTeamQuotas(db: Kysely<Database>, teamId: string, wanted: QuotaLimits, origin: OperatorOrigin): Promise<boolean> {
  const isThere = await db.transaction().execute(async (trx) => {
    await lockTeam(trx, teamId);
    const team = await trx.selectFrom('teams').select(['id', 'name']).where('id', '=', teamId).executeTakeFirst();
    if (!team) return false;
    const before = await readLimits(trx, teamId);
    if (before.storage === wanted.storage && before.traffic === wanted.traffic) return true;
    const event = {
      action: 'team.quota_changed',
      target: { kind: 'team', ...team },
      details: { storage: wanted.storage, traffic: wanted.traffic, before },
    } as const;
    await appendEntries(trx, [teamId], byOperator(origin.at, origin.name), event);
    await recordOperatorAct(trx, origin, event);
    await storeLimits(trx, { teamId, portalId: null }, wanted);
    return true;
  });
  if (isThere) await countIfNew(db, teamId);
  return isThere;
}
