import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { NoticeKind } from '#protocol/notices.ts';
import type { Database } from '../database/schema/database.ts';
import type { Services } from '../handler.ts';
import { newId } from '../ids.ts';

/**
 * Whether anybody wants to hear this of the package of the current row: its own choice is about mails, and a webhook
 * hears of every package if it names the event.
 */
export const isWanted = (kind: NoticeKind): RawBuilder<SqlBool> => sql<SqlBool>`(${kind} = any(packages.notify) or exists (
  select from custom_webhooks
  where custom_webhooks.team_id = packages.team_id and active and deleted_at is null and ${`package.${kind}`} = any(events)))`;

interface Failure {
  readonly packageId: string;
  /** What failed, so that it is told once. */
  readonly subject: string;
  readonly transferId?: string;
  readonly linkId?: string | null;
  /** In English. */
  readonly reason: string;
}

/** Notes that something about a package failed, in the transaction of what notes the failure itself. */
export async function noteFailure(
  trx: Kysely<Database>,
  { jobs, now }: Pick<Services, 'jobs' | 'now'>,
  { packageId, subject, transferId, linkId, reason }: Failure,
): Promise<void> {
  const { rows } = await sql`
    insert into notices (id, package_id, kind, subject, transfer_id, link_id, reason, created_at)
    select ${newId()}::uuid, packages.id, 'failed', ${subject}, ${transferId ?? null}::uuid, ${linkId ?? null}::uuid, ${reason},
      ${now()}::timestamptz
    from packages where packages.id = ${packageId} and ${isWanted('failed')}
    on conflict do nothing returning 1`.execute(trx);
  if (rows.length > 0) await jobs.add(trx, 'notices.tell', {});
}
