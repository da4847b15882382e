import { type Kysely, type Selectable, type SqlBool, sql } from 'kysely';
import type { WebhookPayload } from '#protocol/hosted/webhook-events.ts';
import type { Database } from '../database/schema/database.ts';
import type { Services } from '../handler.ts';
import { newId } from '../ids.ts';
import type { JobData } from '../jobs/kinds.ts';
import { formatDateTime } from '../wire-times.ts';

/** Events of a package that webhooks and mail tell of. */
type LifecycleEvent = Extract<WebhookPayload['event_type'], 'package.created' | 'package.finalized'>;

/** Whether a Team has webhooks that receive this event of every package. */
export const teamSubscribes = (teamId: string, event: WebhookPayload['event_type']) => sql<SqlBool>`exists (
  select from custom_webhooks
  where team_id = ${teamId} and scope = 'team' and active and deleted_at is null and ${event} = any(events))`;

/** A package as webhooks receive it. */
export const packageObject = (row: Selectable<Database['packages']>) =>
  ({
    type: 'package',
    id: row.id,
    name: row.name,
    ...(row.portal_id !== null && { portal_id: row.portal_id }),
    sender: row.sender,
    size: Number(row.size),
    state: row.state,
    total_files: row.total_files,
    created_at: formatDateTime(row.created_at),
    updated_at: formatDateTime(row.updated_at),
  }) as const;

/**
 * Records that a package was created or finalized, in the same transaction as the change. So webhooks and mail follow
 * as jobs exactly if the transaction is committed (contract/webhooks.md §1).
 */
export async function recordLifecycleEvent(
  db: Kysely<Database>,
  { jobs, now }: Pick<Services, 'jobs' | 'now'>,
  event: LifecycleEvent,
  packageId: string,
  mail: Omit<JobData['mail.announce'], 'package_id'> = {},
): Promise<void> {
  const row = await db.selectFrom('packages').selectAll().where('id', '=', packageId).executeTakeFirstOrThrow();
  // Most packages have no webhook: they were not received through a Portal, and their Team has no webhook for all
  // packages.
  const subscribed =
    row.portal_id !== null ||
    (await db.selectNoFrom(teamSubscribes(row.team_id, event).as('subscribed')).executeTakeFirstOrThrow()).subscribed;
  if (subscribed) {
    await jobs.add(db, 'webhooks.announce', {
      event_id: newId(),
      event_time: now().toISOString(),
      event_type: event,
      object: packageObject(row),
    });
  }
  // A package without files needs no message.
  if (event === 'package.finalized' && row.total_files > 0 && (row.recipients.length > 0 || row.through_portal)) {
    await jobs.add(db, 'mail.announce', { package_id: packageId, ...mail });
  }
}
