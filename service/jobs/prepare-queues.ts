import type { PgBoss } from 'pg-boss';
import { failedQueue, failedSeconds } from './failed.ts';
import { type JobName, jobKinds, jobNames } from './kinds.ts';

const timezone = 'UTC';

/** How pg-boss is to treat the jobs of a kind. */
function queueOf(name: JobName) {
  const { schedule: _, localConcurrency: __, takenAtOnce: ___, isKept, ...options } = jobKinds[name];
  return {
    ...options,
    ...(isKept && { deadLetter: failedQueue }),
    retryBackoff: true,
    retentionSeconds: 30 * 24 * 3600,
    notify: true,
  };
}

/**
 * Makes the queue and the schedule of each kind of job (jobs/kinds.ts), or changes them to what this version wants. Those
 * that are so already are left alone: at nearly every start these are all, and to write each again was half of the
 * statements of a start.
 */
export async function prepareQueues(boss: PgBoss): Promise<void> {
  const queues = new Map((await boss.getQueues()).map((queue) => [queue.name, queue]));
  const schedules = new Map((await boss.getSchedules()).map((schedule) => [schedule.name, schedule]));
  if (!queues.has(failedQueue)) await boss.createQueue(failedQueue, { retentionSeconds: failedSeconds });
  for (const name of jobNames) {
    const wanted = queueOf(name);
    const queue = queues.get(name);
    if (!queue) await boss.createQueue(name, wanted);
    else if ((Object.keys(wanted) as (keyof typeof wanted)[]).some((key) => queue[key] !== wanted[key]))
      await boss.updateQueue(name, wanted);
    const { schedule } = jobKinds[name];
    const known = schedules.get(name);
    if (schedule !== undefined && (known?.cron !== schedule || known.timezone !== timezone))
      await boss.schedule(name, schedule, {}, { tz: timezone });
  }
}
