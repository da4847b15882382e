import { type Kysely, sql } from 'kysely';
import type { Database } from '../database/schema/database.ts';
import { firstLine } from './failed.ts';
import { type JobName, scheduledKinds } from './kinds.ts';
import type { ScheduledRuns } from './ports.ts';

/** When each scheduled kind has run last, and failed last, as far as its runs are remembered (jobs/kinds.ts). */
export async function scheduledRuns(db: Kysely<Database>): Promise<readonly ScheduledRuns[]> {
  const names = scheduledKinds.map(({ kind }) => kind);
  const { rows } = await sql<{ name: string; ran_at: Date | null; failed_at: Date | null; reason: string | null }>`
    select kind.name, done.ran_at, failed.failed_at, failed.reason
    from unnest(${names}::text[]) as kind (name)
    cross join lateral (select max(completed_on) as ran_at from jobs.job where name = kind.name and state = 'completed') done
    left join lateral (
      select completed_on as failed_at, coalesce(output->>'message', output->'value'->>'message', output->>'value', '') as reason
      from jobs.job where name = kind.name and state = 'failed' order by completed_on desc nulls last limit 1
    ) failed on true`.execute(db);
  const found = new Map(rows.map((row) => [row.name, row]));
  return scheduledKinds.map(({ kind, schedule }) => {
    const { ran_at: ranAt = null, failed_at: failedAt = null, reason = '' } = found.get(kind) ?? {};
    return { kind, schedule, ranAt, failed: failedAt === null ? null : { at: failedAt, reason: firstLine(reason ?? '') } };
  });
}

/** Whether a job of this kind has come since then, as far as its runs are remembered. */
export async function isAddedSince(db: Kysely<Database>, kind: JobName, since: Date): Promise<boolean> {
  const { rows } = await sql`select from jobs.job where name = ${kind} and created_on >= ${since} limit 1`.execute(db);
  return rows.length > 0;
}
