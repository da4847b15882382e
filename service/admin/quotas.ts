import { type Kysely, sql } from 'kysely';
import type { Quotas } from '#protocol/hosted/quotas.ts';
import type { Database } from '../database/schema/database.ts';
import { byCommand } from '../operator/log.ts';
import { setTeamQuotas } from '../operator/team-quotas.ts';
import { checkQuotas, type Recount } from '../quotas/count.ts';
import { readLimits } from '../quotas/limits.ts';
import { monthOf, type QuotaColumns, quotaColumns, toQuotas, usedShare } from '../quotas/read.ts';
import { findTeam } from './teams.ts';

export interface QuotaRecord {
  readonly team: { readonly id: string; readonly name: string; readonly subdomain: string };
  readonly quotas: Quotas;
}

/** Bytes; null: no limit. What is absent stays. */
interface Wanted {
  readonly storage?: number | null;
  readonly traffic?: number | null;
}

/** Sets what a Team (id or subdomain) may use. Errors: `AdminError` (`team_unknown`). */
export async function changeQuotas(db: Kysely<Database>, reference: string, wanted: Wanted, at: Date): Promise<QuotaRecord> {
  const team = await findTeam(db, reference);
  await setTeamQuotas(db, team.id, { ...(await readLimits(db, team.id)), ...wanted }, byCommand(at));
  const [found] = await readQuotas(db, at, team.id);
  return found ?? { team: { id: team.id, name: team.name, subdomain: team.subdomain }, quotas: {} };
}

/** The Teams with limits, the one that has used the largest share first. */
export async function* listQuotas(db: Kysely<Database>, at: Date): AsyncGenerator<QuotaRecord> {
  yield* await readQuotas(db, at, null);
}

async function readQuotas(db: Kysely<Database>, at: Date, teamId: string | null): Promise<QuotaRecord[]> {
  const month = monthOf(at);
  const { rows } = await sql<QuotaColumns & QuotaRecord['team']>`
    select teams.id, teams.name, teams.subdomain, ${quotaColumns(month)}
    from quotas join teams on teams.id = quotas.holder_id
    where ${teamId === null ? sql`true` : sql`teams.id = ${teamId}`}
    order by ${usedShare(month)} desc, teams.id desc`.execute(db);
  return rows.map(({ id, name, subdomain, ...row }) => ({ team: { id, name, subdomain }, quotas: toQuotas(row) }));
}

/** Counts anew, and mends what was wrong, which is yielded. */
export async function* mendQuotas(db: Kysely<Database>): AsyncGenerator<Recount> {
  const wrong: Recount[] = [];
  await checkQuotas(db, (found) => wrong.push(found));
  yield* wrong;
}
