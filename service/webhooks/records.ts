import { randomBytes } from 'node:crypto';
import { type Selectable, sql } from 'kysely';
import { ApiError } from '#protocol/errors.ts';
import type { Webhook, WebhookRequest } from '#protocol/hosted/webhooks.ts';
import { limits } from '#protocol/limits.ts';
import { recordAudit } from '../audit/record.ts';
import type { Actor } from '../credentials/credential.ts';
import type { Database } from '../database/schema/database.ts';
import { inTransaction } from '../database/transaction.ts';
import { type Context, creation, type HandlersOf } from '../handler.ts';
import { newId } from '../ids.ts';
import type { Seal } from '../seal.ts';
import { teamAccess } from '../teams/access.ts';
import { resourceAccess } from '../teams/resource.ts';
import { requireTeamSlot } from '../teams/team-slot.ts';
import { checkWebhook } from './rules.ts';
import { openHeaders, sealHeaders, sealSecret } from './sealed.ts';

type WebhookRow = Selectable<Database['custom_webhooks']>;

const toWebhook = (seal: Seal, row: WebhookRow): Webhook => ({
  id: row.id,
  active: row.active,
  body_extras: row.body_extras,
  events: row.events,
  headers: openHeaders(seal, row),
  method: row.method,
  name: row.name,
  scope: row.scope,
  url: row.url,
});

/** Standard Webhooks requires 24 to 64 random bytes. */
export const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

export async function webhookOf(context: Context<Actor>, webhookId: string): Promise<WebhookRow> {
  const row = await context.db
    .selectFrom('custom_webhooks')
    .selectAll()
    .where('id', '=', webhookId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  await resourceAccess(context, 'webhook', row?.team_id, 'integrations.manage');
  return row!;
}

/** The columns that a request sets. A request replaces the whole webhook: omitted fields are unset. */
function columnsOf(seal: Seal, id: string, body: WebhookRequest) {
  return {
    name: body.name ?? '',
    active: body.active,
    events: [...body.events],
    scope: body.scope ?? 'portals',
    method: body.method,
    url: body.url,
    sealed_headers: sealHeaders(seal, id, body.headers ?? {}),
    body_extras: JSON.stringify(body.body_extras ?? {}),
  };
}

/** The host only: the rest of an address often holds a token. */
const auditTarget = (id: string, { name, url }: WebhookRequest) => ({ kind: 'webhook', id, name: name || new URL(url).host });

async function refusePrivate({ outbound }: Context, url: URL): Promise<void> {
  if (!(await outbound.isPrivate(url))) return;
  throw new ApiError('invalid_request', {
    detail: 'url: this address leads into a private network. Whoever operates the service can allow that by --allow-private-webhooks.',
  });
}

/** Webhooks: contract/webhooks.md §4, §5. */
export const webhookRecordHandlers: HandlersOf<'createWebhook' | 'updateWebhook' | 'deleteWebhook' | 'listWebhooks'> = {
  createWebhook: creation(
    ({ params }, context) => teamAccess(context, params.team_id, 'integrations.manage'),
    async ({ params, body }, context, { userId }) => {
      const { db, now, seal } = context;
      const url = checkWebhook(body);
      const id = newId();
      const columns = columnsOf(seal, id, body);
      await refusePrivate(context, url);
      const secret = newSecret();
      const row = await inTransaction(db, async (trx) => {
        await requireTeamSlot(trx, params.team_id, {
          table: 'custom_webhooks',
          most: limits.webhooksPerTeam,
          detail: `A Team has at most ${limits.webhooksPerTeam} webhooks. Delete one that is not used.`,
        });
        const details = { events: columns.events, active: columns.active };
        await recordAudit(trx, context, params.team_id, { action: 'webhook.created', target: auditTarget(id, body), details });
        return await trx
          .insertInto('custom_webhooks')
          .values({
            id,
            team_id: params.team_id,
            created_by: userId,
            ...columns,
            sealed_secret: sealSecret(seal, id, secret),
            created_at: now(),
            updated_at: now(),
            deleted_at: null,
          })
          .returningAll()
          .executeTakeFirstOrThrow();
      });
      return { ...toWebhook(seal, row), secret };
    },
  ),

  async updateWebhook({ params, body }, context) {
    const { db, now, seal } = context;
    const { id, url: before, team_id: teamId } = await webhookOf(context, params.custom_webhook_id);
    const url = checkWebhook(body);
    const columns = columnsOf(seal, id, body);
    // A webhook whose address has become private can still be deactivated.
    if (body.active || body.url !== before) await refusePrivate(context, url);
    // A user who may change a webhook may set their own address, so a new address gets a new secret.
    const secret = body.url === before ? undefined : newSecret();
    const row = await inTransaction(db, async (trx) => {
      const changed = await trx
        .updateTable('custom_webhooks')
        .set({ ...columns, ...(secret !== undefined && { sealed_secret: sealSecret(seal, id, secret) }), updated_at: now() })
        .where('id', '=', id)
        .where('deleted_at', 'is', null)
        .returningAll()
        .executeTakeFirst();
      if (!changed) throw new ApiError('not_found', { resource: 'webhook' });
      const details = { events: columns.events, active: columns.active, new_address: body.url !== before };
      await recordAudit(trx, context, teamId, { action: 'webhook.changed', target: auditTarget(id, body), details });
      return changed;
    });
    return { ...toWebhook(seal, row), ...(secret !== undefined && { secret }) };
  },

  async deleteWebhook({ params }, context) {
    const { db, now } = context;
    const { id } = await webhookOf(context, params.custom_webhook_id);
    await inTransaction(db, async (trx) => {
      // The row stays for deliveries in progress. Portals attach under a share lock on it, so none comes in between.
      await trx.updateTable('custom_webhooks').set({ deleted_at: now() }).where('id', '=', id).where('deleted_at', 'is', null).execute();
      await trx.deleteFrom('portal_webhooks').where('webhook_id', '=', id).execute();
    });
  },

  async listWebhooks({ params }, context) {
    await teamAccess(context, params.team_id, 'integrations.manage');
    const rows = await context.db
      .selectFrom('custom_webhooks')
      .selectAll()
      .select(sql<string>`(select count(*) from portal_webhooks where webhook_id = custom_webhooks.id)`.as('connections'))
      .where('team_id', '=', params.team_id)
      .where('deleted_at', 'is', null)
      .orderBy('id')
      .execute();
    return rows.map((row) => ({ ...toWebhook(context.seal, row), connections: Number(row.connections) }));
  },
};
