import { type Kysely, sql } from 'kysely';
import { ApiError } from '#protocol/errors.ts';
import { limits } from '#protocol/limits.ts';
import type { Database } from '../database/schema/database.ts';
import type { HandlersOf } from '../handler.ts';
import { findPackage } from '../packages/list.ts';
import { teamAccess } from '../teams/access.ts';
import { formatDateTime } from '../wire-times.ts';
import { newSecret, webhookOf } from './records.ts';
import { sampleEvent } from './sample-event.ts';
import { sealSecret } from './sealed.ts';

type Handled = 'listWebhookDeliveries' | 'listPackageDeliveries' | 'testWebhook' | 'replayWebhookDelivery' | 'renewWebhookSecret';

/** Attempts as lists have them. */
const attempts = (db: Kysely<Database>) =>
  db
    .selectFrom('webhook_deliveries')
    .select([
      'webhook_deliveries.id',
      'webhook_deliveries.event_id',
      'webhook_deliveries.event_type',
      'webhook_deliveries.attempt',
      'webhook_deliveries.state',
      'webhook_deliveries.status',
      'webhook_deliveries.error',
      'webhook_deliveries.milliseconds',
      'webhook_deliveries.test',
      'webhook_deliveries.created_at',
    ])
    .select(
      sql<boolean>`not webhook_deliveries.test and exists (
        select from webhook_deliveries first
        where first.webhook_id = webhook_deliveries.webhook_id and first.event_id = webhook_deliveries.event_id
          and first.attempt = 1 and first.event is not null)`.as('replayable'),
    );

/** What webhooks were told, and telling it again: contract/webhooks.md §3, §6. */
export const deliveryHandlers: HandlersOf<Handled> = {
  async listWebhookDeliveries({ params }, context) {
    const { id } = await webhookOf(context, params.custom_webhook_id);
    const rows = await attempts(context.db)
      .where('webhook_deliveries.webhook_id', '=', id)
      .orderBy('webhook_deliveries.id', 'desc')
      .limit(limits.webhookDeliveriesListed)
      .execute();
    return rows.map(({ created_at, ...row }) => ({ ...row, created_at: formatDateTime(created_at) }));
  },

  async listPackageDeliveries({ params }, context) {
    const viewer = await teamAccess(context, params.team_id, 'integrations.manage');
    if (!(await findPackage(context, viewer, params.package_id))) throw new ApiError('not_found', { resource: 'package' });
    const rows = await attempts(context.db)
      .innerJoin('custom_webhooks', 'custom_webhooks.id', 'webhook_deliveries.webhook_id')
      .select(['custom_webhooks.id as webhook_id', 'custom_webhooks.name', 'custom_webhooks.url', 'custom_webhooks.active'])
      .where('webhook_deliveries.package_id', '=', params.package_id)
      .where('custom_webhooks.team_id', '=', params.team_id)
      .where('custom_webhooks.deleted_at', 'is', null)
      .orderBy('webhook_deliveries.id', 'desc')
      .limit(limits.webhookDeliveriesListed)
      .execute();
    return rows.map(({ created_at, webhook_id, name, url, active, ...row }) => ({
      ...row,
      created_at: formatDateTime(created_at),
      // The rest of an address often holds a token.
      webhook: { id: webhook_id, name, host: URL.parse(url)?.host ?? '', active },
    }));
  },

  async testWebhook({ params, body }, context) {
    const { db, jobs, now } = context;
    const { id } = await webhookOf(context, params.custom_webhook_id);
    const event = sampleEvent(body.event_type, now());
    await jobs.add(db, 'webhooks.deliver_now', { webhook_id: id, attempt: 1, occasion: event });
    return { event_id: event.event_id, attempt: 1 };
  },

  async replayWebhookDelivery({ params }, context) {
    const { db, jobs } = context;
    const webhook = await webhookOf(context, params.custom_webhook_id);
    const attempts = await db
      .selectFrom('webhook_deliveries as attempts')
      .innerJoin('webhook_deliveries as asked', (join) =>
        join.onRef('asked.webhook_id', '=', 'attempts.webhook_id').onRef('asked.event_id', '=', 'attempts.event_id'),
      )
      .select(['attempts.attempt', 'attempts.event', 'attempts.test'])
      .where('asked.id', '=', params.delivery_id)
      .where('asked.webhook_id', '=', webhook.id)
      .orderBy('attempts.attempt')
      .execute();
    const [first] = attempts;
    if (!first) throw new ApiError('not_found', { resource: 'delivery' });
    if (!webhook.active) throw refused('This webhook is turned off. Turn it on first.');
    if (first.test) throw refused('This was a test. Send another one.');
    if (first.event === null) throw refused('What was sent then is not kept any more.');
    // An attempt of this number that is still to come is found done, and does nothing.
    const attempt = attempts.at(-1)!.attempt + 1;
    await jobs.add(db, 'webhooks.deliver_now', { webhook_id: webhook.id, attempt, occasion: first.event });
    return { event_id: first.event.event_id, attempt };
  },

  async renewWebhookSecret({ params }, context) {
    const { db, now, seal } = context;
    const { id } = await webhookOf(context, params.custom_webhook_id);
    const secret = newSecret();
    const changed = await db
      .updateTable('custom_webhooks')
      .set({ sealed_secret: sealSecret(seal, id, secret), updated_at: now() })
      .where('id', '=', id)
      .where('deleted_at', 'is', null)
      .executeTakeFirst();
    if (changed.numUpdatedRows === 0n) throw new ApiError('not_found', { resource: 'webhook' });
    return { secret };
  },
};

const refused = (detail: string) => new ApiError('state_conflict', { detail });
