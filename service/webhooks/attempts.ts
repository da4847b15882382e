import { type Kysely, type Selectable, sql } from 'kysely';
import type { Database } from '../database/schema/database.ts';
import { newId } from '../ids.ts';
import type { BatchContext, TakenJob } from '../jobs/batches.ts';
import { packageOf } from './fan-out.ts';
import type { Answer, Outcome } from './outcome.ts';

/** Of events, and of tests and replays, which people ask for. */
export type DeliveryKind = 'webhooks.deliver' | 'webhooks.deliver_now';
export type Delivery = TakenJob<DeliveryKind>;
export type WebhookRow = Selectable<Database['custom_webhooks']>;

/** What became of a delivery that was taken from the queue. */
export type Ended =
  | {
      readonly job: Delivery;
      readonly webhook: WebhookRow;
      readonly at: Date;
      readonly milliseconds: number;
      /** Null: nothing was sent. */
      readonly answer: Answer | null;
      readonly outcome: Outcome;
    }
  | { readonly job: Delivery; readonly putOff: number };
type Attempt = Extract<Ended, { outcome: Outcome }>;

/** Those that were not made yet, each with its webhook; others are to end. Two statements, however many. */
export async function whatToDo(db: Kysely<Database>, jobs: readonly Delivery[]) {
  const { rows } = await sql<{ n: number }>`
    select n::integer from unnest(
      ${jobs.map(({ data }) => data.webhook_id)}::uuid[],
      ${jobs.map(({ data }) => data.occasion.event_id)}::uuid[],
      ${jobs.map(({ data }) => data.attempt)}::integer[]
    ) with ordinality as asked (webhook_id, event_id, attempt, n)
    where exists (
      select from webhook_deliveries made
      where made.webhook_id = asked.webhook_id and made.event_id = asked.event_id and made.attempt = asked.attempt
    )`.execute(db);
  const made = new Set(rows.map(({ n }) => jobs[n - 1]!));
  const ids = [...new Set(jobs.map(({ data }) => data.webhook_id))];
  const webhooks = await db.selectFrom('custom_webhooks').selectAll().where('id', 'in', ids).execute();
  const byId = new Map(webhooks.map((webhook) => [webhook.id, webhook]));
  const toDo = jobs.flatMap((job) => {
    const webhook = byId.get(job.data.webhook_id);
    return webhook && !made.has(job) ? [{ job, webhook }] : [];
  });
  return { toDo, over: jobs.filter((job) => made.has(job) || !byId.has(job.data.webhook_id)) };
}

/**
 * Writes down attempts. Their rows, the next attempts' jobs, the deactivations and the ends of their jobs are one transaction: a
 * crash before it repeats the same attempts, a crash after it has no effect.
 */
export const recordAll = async (kind: DeliveryKind, ended: readonly Ended[], { end, jobs, now }: BatchContext): Promise<void> => {
  const attempts = ended.filter((one): one is Attempt => 'outcome' in one);
  const later = (milliseconds: number) => new Date(now().getTime() + milliseconds);
  await end(
    ended.map(({ job }) => job),
    async (trx, own) => {
      // An attempt that was made is written down, whoever has its job by now.
      const kept = attempts.length > 0 ? await insert(trx, attempts) : [];
      const next = kept.flatMap(({ job: { data, trace }, outcome }) =>
        outcome.state === 'failed'
          ? [
              {
                data: { ...data, attempt: data.attempt + 1 },
                startAfter: later(outcome.nextInSeconds * 1000),
                traceparent: trace.traceparent,
              },
            ]
          : [],
      );
      const putOff = ended.flatMap((one) =>
        'putOff' in one && own.includes(one.job)
          ? [{ data: one.job.data, startAfter: later(one.putOff), traceparent: one.job.trace.traceparent }]
          : [],
      );
      // What people asked for is tried again like all else.
      await jobs.addAll(trx, 'webhooks.deliver', next);
      await jobs.addAll(trx, kind, putOff);
      for (const { webhook, outcome } of kept) {
        if (outcome.state !== 'gave_up' || !outcome.turnOff) continue;
        // Not if the webhook was changed since: another address may respond now.
        await trx
          .updateTable('custom_webhooks')
          .set({ active: false, updated_at: now() })
          .where('id', '=', webhook.id)
          .where('updated_at', '=', webhook.updated_at)
          .execute();
      }
    },
  );
};

const keyOf = ({ webhook_id, event_id, attempt }: { webhook_id: string; event_id: string; attempt: number }) =>
  `${webhook_id} ${event_id} ${attempt}`;

/** By one statement; gives those that nobody has written down before. */
async function insert(trx: Kysely<Database>, attempts: readonly Attempt[]): Promise<Attempt[]> {
  const rows = attempts.map(({ job: { data }, at, milliseconds, answer, outcome }) => {
    const { webhook_id, attempt, occasion: event } = data;
    return {
      id: newId(),
      webhook_id,
      event_id: event.event_id,
      event_type: event.event_type,
      attempt,
      state: outcome.state,
      status: answer !== null && 'status' in answer ? answer.status : 0,
      error: outcome.state === 'delivered' ? '' : outcome.error,
      milliseconds,
      // For replays: once, since all attempts send the same.
      event: attempt === 1 ? event : null,
      test: event.test ?? false,
      package_id: event.test ? null : packageOf(event),
      created_at: at,
    };
  });
  const { rows: kept } = await sql<{ webhook_id: string; event_id: string; attempt: number }>`
    insert into webhook_deliveries
      (id, webhook_id, event_id, event_type, attempt, state, status, error, milliseconds, event, test, package_id, created_at)
    select id, webhook_id, event_id, event_type, attempt, state, status, error, milliseconds, event, test, package_id, created_at
    from json_to_recordset(${JSON.stringify(rows)}::json) as made (
      id uuid, webhook_id uuid, event_id uuid, event_type text, attempt integer, state text, status integer, error text,
      milliseconds integer, event jsonb, test boolean, package_id uuid, created_at timestamptz)
    on conflict do nothing
    returning webhook_id, event_id, attempt`.execute(trx);
  const keys = new Set(kept.map(keyOf));
  // Another process made the same attempt at the same time, or it stood in the queue twice.
  return attempts.filter(({ job: { data } }) => keys.delete(keyOf({ ...data, event_id: data.occasion.event_id })));
}
