import type { Db, Job } from 'pg-boss';
import type { TakenName } from './kinds.ts';

/**
 * Takes up to `most` jobs of a kind that are due, those of the highest priority and the oldest first: what pg-boss's `fetch` does,
 * as a statement that costs the same however many wait. Its own joins the table with those it has chosen, and PostgreSQL plans
 * that by how many it counted last. Where that was at a moment when none waited, each few that are taken read all that wait, so
 * that a queue becomes slower the longer it is (docs/performance/scale.md). Here rows are reached by their place and by nothing else:
 * with the kind's name beside it the planner at times reads all rows of that name. The order is that of an index, which
 * `openJobConnection` asks for.
 */
export async function takeJobs(db: Pick<Db, 'executeSql'>, name: TakenName, most: number): Promise<Job<object>[]> {
  const { rows } = await db.executeSql(
    `update jobs.job_common as job set
      state = 'active', started_on = jobs.job_now(), heartbeat_on = jobs.job_now(),
      retry_count = case when started_on is null then retry_count else retry_count + 1 end
    where job.ctid = any (array(
      select ctid from jobs.job_common
      where name = $1 and state < 'active' and not blocked and start_after <= jobs.job_now()
      order by priority desc, created_on limit $2 for update skip locked))
    returning job.id, job.name, job.data, job.retry_count as "retryCount", job.expire_seconds as "expireInSeconds",
      job.heartbeat_seconds as "heartbeatSeconds", job.group_id as "groupId", job.group_tier as "groupTier"`,
    [name, most],
  );
  return rows as Job<object>[];
}
