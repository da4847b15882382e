import { sql } from 'kysely';
import { inTransaction } from '../database/transaction.ts';
import { newId } from '../ids.ts';
import type { JobHandler } from '../jobs/context.ts';
import { type MailToSend, takeMailAllowance } from '../portals/sender-limits.ts';
import { heldBackReason } from './held-back.ts';

/**
 * Creates the messages of a finalized package: one for each recipient, with the link that finalizing created, and the
 * sender's receipt. Idempotent: existing messages are not created again, so each is sent once. Messages over the
 * limit of a Portal's senders are recorded as withdrawn: the package is created, but the mail is not sent.
 */
export const fanOutPackageMail: JobHandler<'mail.announce'> = async (
  { package_id: packageId, held_back: heldBack = false },
  { db, jobs, now, buckets, senderLimits },
) => {
  await inTransaction(db, async (trx) => {
    const row = await trx
      .selectFrom('packages')
      .select(['sender', 'state', 'recipients', 'portal_id', 'through_portal'])
      .where('id', '=', packageId)
      .executeTakeFirst();
    if (row?.state !== 'finalized') return;
    // If an address has several links, the newest is used: the one from finalizing, unless the sender has created a
    // later one.
    const links = await trx
      .selectFrom('links')
      .select(['id', 'email'])
      .distinctOn('email')
      .where('package_id', '=', packageId)
      .where('email', '=', sql<string>`any(${row.recipients}::text[])`)
      .where('disabled_at', 'is', null)
      .orderBy('email')
      .orderBy('id', 'desc')
      .execute();
    const wanted = [
      ...links.map((link) => ({ kind: 'link' as const, recipient: link.email, link_id: link.id })),
      ...(row.sender === '' ? [] : [{ kind: 'receipt' as const, recipient: row.sender, link_id: null }]),
    ].map((message) => ({ id: newId(), ...message }));
    if (wanted.length === 0) return;
    // As JSON, so that the statement's text is the same for any number of messages.
    const { rows } = await sql<MailToSend>`
      insert into messages (id, package_id, kind, recipient, link_id, created_at, updated_at)
      select asked.id, ${packageId}::uuid, asked.kind, asked.recipient, asked.link_id, ${now()}::timestamptz, ${now()}::timestamptz
      from json_to_recordset(${JSON.stringify(wanted)}::json) as asked (id uuid, kind text, recipient text, link_id uuid)
      on conflict (package_id, kind, recipient) do nothing
      returning id, kind, recipient`.execute(trx);
    const portalId = row.through_portal ? row.portal_id : null;
    const allowed = heldBack ? new Set() : portalId === null ? null : await takeMailAllowance({ buckets, senderLimits }, portalId, rows);
    const withdrawn = rows.filter(({ id }) => allowed !== null && !allowed.has(id)).map(({ id }) => id);
    if (withdrawn.length > 0) {
      await trx.updateTable('messages').set({ state: 'withdrawn', last_error: heldBackReason }).where('id', 'in', withdrawn).execute();
    }
    for (const { id } of rows) if (!withdrawn.includes(id)) await jobs.add(trx, 'mail.send', { message_id: id });
  });
};
