import { type Kysely, sql } from 'kysely';
import type { Database } from '../database/schema/database.ts';
import type { FailedJobRow, JobQueues } from './ports.ts';

/** The queue that keeps what has failed for good. No worker takes from it. */
export const failedQueue = 'failed';
/** How long it does. */
export const failedSeconds = 30 * 24 * 3600;

interface Row extends Omit<FailedJobRow, 'about'> {
  readonly data: Readonly<Record<string, unknown>> | null;
}

/** Those of a kind, or all: the latest first. */
export async function failedJobs(
  db: Kysely<Database>,
  { kind, before, limit }: Parameters<JobQueues['failedJobs']>[1],
): Promise<FailedJobRow[]> {
  const { rows } = await sql<Row>`
    select id, source_name as kind, coalesce(source_retry_count, 0) + 1 as attempts, data,
      coalesce(source_output->>'message', source_output->'value'->>'message', source_output->>'value', '') as reason,
      coalesce(source_created_on, created_on) as created_at, date_trunc('milliseconds', created_on) as failed_at
    from jobs.job
    where name = ${failedQueue} and state < 'active' and source_name is not null
      and (${kind}::text is null or source_name = ${kind})
      and (${before?.at ?? null}::timestamptz is null
        or (date_trunc('milliseconds', created_on), id) < (${before?.at ?? null}::timestamptz, ${before?.id ?? null}::uuid))
    order by failed_at desc, id desc
    limit ${limit}`.execute(db);
  return rows.map(({ data, reason, ...row }) => ({ ...row, reason: firstLine(reason), about: idsIn(data) }));
}

export async function failedKinds(db: Kysely<Database>): Promise<{ kind: string; count: number }[]> {
  const { rows } = await sql<{ kind: string; count: string }>`
    select source_name as kind, count(*) as count from jobs.job
    where name = ${failedQueue} and state < 'active' and source_name is not null
    group by source_name order by source_name`.execute(db);
  return rows.map(({ kind, count }) => ({ kind, count: Number(count) }));
}

export const firstLine = (text: string): string => (text.split('\n')[0] ?? '').slice(0, 300);

/** `…_id` of the job itself, and of the event that it tells of. Other data is nobody's but the Team's. */
function idsIn(data: Row['data']): Record<string, string> {
  const object = data?.['object'] ?? (data?.['occasion'] as Row['data'])?.['object'];
  const ids = Object.entries(data ?? {}).filter(
    (entry): entry is [string, string] => entry[0].endsWith('_id') && typeof entry[1] === 'string',
  );
  const id = (object as Row['data'])?.['id'];
  return { ...Object.fromEntries(ids), ...(typeof id === 'string' && { object_id: id }) };
}
