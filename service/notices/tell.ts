import { type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import type { Database } from '../database/schema/database.ts';
import { inTransaction } from '../database/transaction.ts';
import { newId } from '../ids.ts';
import type { JobContext, JobHandler } from '../jobs/context.ts';
import { packageObject } from '../packages/lifecycle-events.ts';
import { formatDateTime } from '../wire-times.ts';
import { noteExpiries } from './expiries.ts';

type Notice = Selectable<Database['notices']>;

/**
 * Tells what was noted: mails to whoever chose it, and webhooks. A notice and its messages are one transaction, and
 * other processes skip its row meanwhile: it is told once, and found again after a crash by the run of the next minute.
 */
export const tellNotices: JobHandler<'notices.tell'> = async (_, context) => {
  const { db, now, signal } = context;
  await noteExpiries(db, now(), signal);
  for (;;) {
    signal.throwIfAborted();
    const told = await inTransaction(db, async (trx) => {
      const notice = await trx
        .selectFrom('notices')
        .selectAll()
        .where('told_at', 'is', null)
        .orderBy('created_at')
        .limit(1)
        .forNoKeyUpdate()
        .skipLocked()
        .executeTakeFirst();
      if (!notice) return false;
      await trx.updateTable('notices').set({ told_at: now() }).where('id', '=', notice.id).execute();
      await tell(trx, notice, context);
      return true;
    });
    if (!told) return;
  }
};

async function tell(trx: Transaction<Database>, notice: Notice, { jobs, now }: JobContext): Promise<void> {
  const row = await trx.selectFrom('packages').selectAll().where('id', '=', notice.package_id).executeTakeFirstOrThrow();
  // Of a package that was deleted meanwhile nothing is told.
  if (row.state !== 'finalized' && row.state !== 'new') return;
  const link =
    notice.link_id === null
      ? undefined
      : await trx.selectFrom('links').select(['id', 'email', 'verify_recipient']).where('id', '=', notice.link_id).executeTakeFirst();
  await jobs.add(trx, 'webhooks.announce', {
    event_id: newId(),
    event_time: notice.created_at.toISOString(),
    event_type: `package.${notice.kind}`,
    object: {
      ...packageObject(row),
      expiry: formatDateTime(row.expiry),
      // A link that asks for a code is downloaded through by nobody else.
      ...(link && { link: { id: link.id, email: link.email, ...(notice.kind === 'downloaded' && { verified: link.verify_recipient }) } }),
      ...(notice.kind === 'failed' && {
        failure: { reason: notice.reason, ...(notice.transfer_id !== null && { transfer_id: notice.transfer_id }) },
      }),
    },
  });
  if (!row.notify.includes(notice.kind)) return;
  for (const recipient of await recipientsOf(trx, notice)) {
    const id = newId();
    const times = { created_at: now(), updated_at: now() };
    await trx
      .insertInto('messages')
      .values({ id, package_id: null, link_id: null, kind: 'notice', notice_id: notice.id, recipient, ...times })
      .execute();
    await jobs.add(trx, 'mail.send', { message_id: id });
  }
}

/**
 * Who sent the package, while they are a member; of one through a Portal those whom the Portal mails. The address that a
 * Portal's visitor gave is nobody's proven one, so it is told nothing. Whoever downloaded, or is told already by the
 * transfer itself, is left out.
 */
async function recipientsOf(db: Kysely<Database>, notice: Notice): Promise<readonly string[]> {
  const { rows } = await sql<{ readonly address: string }>`
    with wanted as (
      select users.email as address from packages
      join users on users.id = packages.created_by
      join memberships on memberships.user_id = users.id and memberships.team_id = packages.team_id
      where packages.id = ${notice.package_id}
      union all
      select unnest(portals.recipients) from packages join portals on portals.id = packages.portal_id
      where packages.id = ${notice.package_id} and packages.through_portal
    )
    select distinct on (lower(address)) address from wanted
    where lower(address) not in (
      select lower(links.email) from links where links.id = ${notice.link_id} and ${notice.kind} = 'downloaded'
      union all select lower(notify_email) from cloud_transfers where cloud_transfers.id = ${notice.transfer_id}
      union all select lower(email) from notice_refusals where notice_refusals.package_id = ${notice.package_id}
    )
    order by lower(address)`.execute(db);
  return rows.map(({ address }) => address);
}
