import { sql } from 'kysely';
import type { BatchHandler, TakenJob } from '../jobs/batches.ts';
import type { JobData } from '../jobs/kinds.ts';

type Announced = TakenJob<'webhooks.announce'>;

/** Null for an event that is of no package. */
export const packageOf = ({ object }: JobData['webhooks.announce']): string | null => {
  if (object.type === 'quota') return null;
  return object.type === 'transfer' ? object.package_id : object.id;
};

/**
 * Finds the webhooks that receive each event: those of its Portal, then those of the whole Team; each once, if it is active and
 * subscribes to such events. Events and their deliveries change places in one transaction, so none is lost and none is doubled.
 */
export const fanOut: BatchHandler<'webhooks.announce'> = async (jobs, { end, fail, jobs: queue }) => {
  const tell = (taken: readonly Announced[]) =>
    end(taken, async (trx, some) => {
      const events = some.map(({ data }) => data);
      const { rows } = await sql<{ n: number; id: string }>`
        with told as (
          select n::integer, event_type, told.portal_id, coalesce(told.team_id, packages.team_id) as team_id
          from unnest(
            ${events.map(({ event_type }) => event_type)}::text[],
            ${events.map(({ object }) => object.portal_id ?? null)}::uuid[],
            ${events.map((event) => packageOf(event))}::uuid[],
            ${events.map(({ object }) => (object.type === 'quota' ? object.team_id : null))}::uuid[]
          ) with ordinality as told (event_type, portal_id, package_id, team_id, n)
          left join packages on packages.id = told.package_id
        ), found as (
          select n, event_type, webhook_id, position from told join portal_webhooks using (portal_id)
          union all
          select n, event_type, custom_webhooks.id, null from told
          join custom_webhooks on custom_webhooks.team_id = told.team_id and scope = 'team'
        )
        select found.n, custom_webhooks.id from found join custom_webhooks on custom_webhooks.id = found.webhook_id
        where active and deleted_at is null and found.event_type = any(events)
        group by found.n, custom_webhooks.id
        order by found.n, min(found.position) nulls last, custom_webhooks.id`.execute(trx);
      const deliveries = rows.map(({ n, id }) => {
        const { data, trace } = some[n - 1]!;
        return { data: { webhook_id: id, attempt: 1, occasion: data }, traceparent: trace.traceparent };
      });
      await queue.addAll(trx, 'webhooks.deliver', deliveries);
    });
  try {
    await tell(jobs);
  } catch (error) {
    // One that cannot be told of fails alone.
    for (const job of jobs) await (jobs.length === 1 ? fail(job, error) : tell([job]).catch((reason: unknown) => fail(job, reason)));
  }
};
