import { type Kysely, sql } from 'kysely';
import type { Database } from '../database/schema/database.ts';
import { inTransaction } from '../database/transaction.ts';
import { OutboundError } from '../http/outbound.ts';
import { newId } from '../ids.ts';
import type { JobContext, JobHandlersOf } from '../jobs/jobs.ts';
import type { JobData } from '../jobs/kinds.ts';
import { currentTrace } from '../tracing/current-trace.ts';
import { type Answer, outcomeOf, outcomeOfTest } from './outcome.ts';
import { webhookRequest } from './request.ts';
import { openHeaders, openSecret } from './sealed.ts';

const dayMilliseconds = 24 * 3600_000;
const keptDeliveryDays = 30;
/** Longer than all attempts of a delivery, which take an hour, and than a day's backlog of the queue. */
const keptDeletedDays = 2;

/** Null for an event that is of no package. */
const packageOf = ({ object }: JobData['webhooks.announce']): string | null => {
  if (object.type === 'quota') return null;
  return object.type === 'transfer' ? object.package_id : object.id;
};

/**
 * Finds the webhooks that receive an event: those of its Portal, then those of the whole Team; each once, if it is
 * active and subscribes to such events.
 */
async function fanOut(event: JobData['webhooks.announce'], { db, jobs }: JobContext): Promise<void> {
  const { portal_id: portalId = null } = event.object;
  const packageId = packageOf(event);
  const teamId = event.object.type === 'quota' ? event.object.team_id : null;
  await inTransaction(db, async (trx) => {
    const { rows: webhooks } = await sql<{ id: string }>`
      select custom_webhooks.id from custom_webhooks
      left join portal_webhooks attached on attached.webhook_id = custom_webhooks.id and attached.portal_id = ${portalId}::uuid
      where (
          attached.portal_id is not null
          or (scope = 'team' and team_id = coalesce(${teamId}::uuid, (select packages.team_id from packages where packages.id = ${packageId})))
        ) and active and deleted_at is null and ${event.event_type} = any(events)
      order by attached.position, custom_webhooks.id`.execute(trx);
    for (const { id } of webhooks) await jobs.add(trx, 'webhooks.deliver', { webhook_id: id, attempt: 1, occasion: event });
  });
}

/**
 * One attempt at one delivery. Its row, the next attempt's job and the deactivation are one transaction: a crash
 * before it repeats the same attempt, a crash after it has no effect. Deleted webhooks still receive events of before
 * their deletion.
 */
async function deliver(data: JobData['webhooks.deliver'], { db, jobs, seal, outbound, now, signal }: JobContext): Promise<void> {
  const { webhook_id, attempt, occasion: event } = data;
  const done = await db
    .selectFrom('webhook_deliveries')
    .select('id')
    .where('webhook_id', '=', webhook_id)
    .where('event_id', '=', event.event_id)
    .where('attempt', '=', attempt)
    .executeTakeFirst();
  if (done) return;
  const row = await db.selectFrom('custom_webhooks').selectAll().where('id', '=', webhook_id).executeTakeFirst();
  if (!row) return;

  const at = now();
  const started = performance.now();
  const receiver = {
    id: row.id,
    url: row.url,
    method: row.method,
    headers: openHeaders(seal, row),
    bodyExtras: row.body_extras,
    secret: openSecret(seal, row),
  };
  const attempted = async (): Promise<Answer> => {
    try {
      return { status: await outbound.send(webhookRequest(receiver, event, at, currentTrace()?.traceparent), signal) };
    } catch (error) {
      if (error instanceof OutboundError) return { error: error.message };
      throw error;
    }
  };
  const answer: Answer | null = row.active || event.test ? await attempted() : null;
  const milliseconds = answer === null ? 0 : Math.round(performance.now() - started);
  const outcome =
    answer === null
      ? ({ state: 'gave_up', error: 'The webhook was turned off before this attempt.', turnOff: false } as const)
      : event.test
        ? outcomeOfTest(answer)
        : outcomeOf(attempt, answer);

  const keepIn = (within: Kysely<Database>) =>
    within
      .insertInto('webhook_deliveries')
      .values({
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
        event: attempt === 1 ? JSON.stringify(event) : null,
        test: event.test ?? false,
        package_id: event.test ? null : packageOf(event),
        created_at: at,
      })
      // Another process made the same attempt at the same time.
      .onConflict((conflict) => conflict.doNothing())
      .returning('id')
      .executeTakeFirst();
  // Nothing follows: a transaction of one statement.
  if (outcome.state === 'delivered') return void (await keepIn(db));
  await inTransaction(db, async (trx) => {
    if (!(await keepIn(trx))) return;
    if (outcome.state === 'failed') {
      const startAfter = new Date(now().getTime() + outcome.nextInSeconds * 1000);
      await jobs.add(trx, 'webhooks.deliver', { webhook_id, attempt: attempt + 1, occasion: event }, { startAfter });
    }
    if (outcome.state === 'gave_up' && outcome.turnOff) {
      // Not if the webhook was changed since: another address may respond now.
      await trx
        .updateTable('custom_webhooks')
        .set({ active: false, updated_at: now() })
        .where('id', '=', webhook_id)
        .where('updated_at', '=', row.updated_at)
        .execute();
    }
  });
}

/** Cleanup of old deliveries, and of deleted webhooks with their secrets. */
async function sweep(_: JobData['webhooks.sweep'], { db, now }: JobContext): Promise<void> {
  const before = (days: number) => new Date(now().getTime() - days * dayMilliseconds);
  await db.deleteFrom('webhook_deliveries').where('created_at', '<', before(keptDeliveryDays)).execute();
  await db.deleteFrom('custom_webhooks').where('deleted_at', '<', before(keptDeletedDays)).execute();
}

/** Background jobs of webhooks: contract/webhooks.md §1, §3. */
export const webhookJobs: JobHandlersOf<'webhooks.announce' | 'webhooks.deliver' | 'webhooks.sweep'> = {
  'webhooks.announce': fanOut,
  'webhooks.deliver': deliver,
  'webhooks.sweep': sweep,
};
