import { type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import type { Database } from '../database/schema/database.ts';
import { inTransaction } from '../database/transaction.ts';
import { newId } from '../ids.ts';
import type { JobContext, JobHandler } from '../jobs/context.ts';
import { nextLevel, type QuotaLevel } from './levels.ts';
import { monthOf } from './read.ts';

type Row = Selectable<Database['quotas']> & { readonly traffic_this_month: string | number };
type Kind = 'storage' | 'traffic';

/** What is kept of a limit from now on. */
interface Change {
  readonly kind: Kind;
  readonly level: QuotaLevel;
  readonly told: boolean;
  readonly limit: number;
  readonly used: number;
}

/** Tells owners by mail, and webhooks, where a limit is reached for the most part or wholly (contract/quotas.md §4). */
export const tellQuotas: JobHandler<'quotas.tell'> = async (_, context) => {
  const { db, now, signal } = context;
  const rows = await readRows(db, now()).execute();
  for (const row of rows) {
    signal.throwIfAborted();
    if (changesOf(row, now()).length === 0) continue;
    await inTransaction(db, async (trx) => {
      // Under its lock: another process may have told it meanwhile.
      const locked = await readRows(trx, now()).where('holder_id', '=', row.holder_id).forUpdate().executeTakeFirst();
      if (!locked) return;
      const at = now();
      for (const change of changesOf(locked, at)) {
        const { kind, level, told } = change;
        await trx
          .updateTable('quotas')
          .set({ [`${kind}_level`]: level, ...(told && { [`${kind}_level_at`]: at }) })
          .where('holder_id', '=', locked.holder_id)
          .execute();
        if (told) await tell(trx, context, locked, change, at);
      }
    });
  }
};

/** Those of which something is told, or has to be. */
const readRows = (db: Kysely<Database>, at: Date) =>
  db
    .selectFrom('quotas')
    .selectAll()
    .select(sql<number>`case when traffic_month >= ${monthOf(at)}::date then traffic_used else 0 end`.as('traffic_this_month'))
    .where('counted', '=', true)
    .where(
      sql<boolean>`storage_level > 0 or traffic_level > 0 or storage_refused_at is not null or traffic_refused_at is not null
        or storage_used >= storage_limit * 0.8 or traffic_used >= traffic_limit * 0.8`,
    );

function changesOf(row: Row, at: Date): Change[] {
  const storage = {
    ...{ limit: numberOr(row.storage_limit), used: Number(row.storage_used), since: null },
    ...{ level: row.storage_level, levelAt: row.storage_level_at, refusedAt: row.storage_refused_at },
  };
  const traffic = {
    limit: numberOr(row.traffic_limit),
    used: Number(row.traffic_this_month),
    since: new Date(`${monthOf(at)}T00:00:00Z`),
    ...{ level: row.traffic_level, levelAt: row.traffic_level_at, refusedAt: row.traffic_refused_at },
  };
  return Object.entries({ storage, traffic }).flatMap(([kind, state]) => {
    const { level, told } = nextLevel(state, at);
    return level === state.level && !told ? [] : [{ kind: kind as Kind, level, told, limit: state.limit ?? 0, used: state.used }];
  });
}

const numberOr = (value: string | number | null): number | null => (value === null ? null : Number(value));

async function tell(
  trx: Transaction<Database>,
  { jobs }: Pick<JobContext, 'jobs'>,
  { team_id, portal_id }: Row,
  { kind, level, limit, used }: Change,
  at: Date,
): Promise<void> {
  const team = await trx.selectFrom('teams').select('name').where('id', '=', team_id).where('state', '=', 'active').executeTakeFirst();
  if (!team || level === 0) return;
  const portal =
    portal_id === null ? undefined : await trx.selectFrom('portals').select('name').where('id', '=', portal_id).executeTakeFirst();
  const id = newId();
  await trx
    .insertInto('quota_warnings')
    .values({ id, team_id, portal_id, kind, percent: level, limit_bytes: limit, used_bytes: used, created_at: at })
    .execute();
  await jobs.add(trx, 'webhooks.announce', {
    event_id: newId(),
    event_time: at.toISOString(),
    event_type: 'quota.warning',
    object: {
      type: 'quota',
      id,
      team_id,
      ...(portal_id !== null && { portal_id }),
      name: portal?.name ?? team.name,
      quota: portal_id === null ? `team_${kind}` : 'portal_storage',
      percent: level,
      limit,
      used,
    },
  });
  const owners = await trx
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select('users.email')
    .where('memberships.team_id', '=', team_id)
    .where('memberships.role', '=', 'owner')
    .execute();
  for (const { email } of owners) {
    const message = newId();
    await trx
      .insertInto('messages')
      .values({
        ...{ id: message, package_id: null, link_id: null, kind: 'quota_warning', quota_warning_id: id, recipient: email },
        ...{ created_at: at, updated_at: at },
      })
      .execute();
    await jobs.add(trx, 'mail.send', { message_id: message });
  }
}
