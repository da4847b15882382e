import { sql } from 'kysely';
import { inTransaction } from '../database/transaction.ts';
import { newId } from '../ids.ts';
import type { JobHandler } from '../jobs/jobs.ts';

/**
 * Makes the messages of a finalized package: one for each recipient, with the link that finalizing made, and the
 * sender's receipt. Done again it makes none that is there already, so each is sent once.
 */
export const announcePackage: JobHandler<'mail.announce'> = async ({ package_id: packageId }, { db, jobs, now }) => {
  await inTransaction(db, async (trx) => {
    const row = await trx.selectFrom('packages').select(['sender', 'state', 'recipients']).where('id', '=', packageId).executeTakeFirst();
    if (row?.state !== 'finalized') return;
    // Of several links for one address the newest: that of finalizing, unless its sender has made a later one.
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
    const { rows } = await sql<{ id: string }>`
      insert into messages (id, package_id, kind, recipient, link_id, created_at, updated_at)
      select asked.id, ${packageId}::uuid, asked.kind, asked.recipient, asked.link_id, ${now()}::timestamptz, ${now()}::timestamptz
      from json_to_recordset(${JSON.stringify(wanted)}::json) as asked (id uuid, kind text, recipient text, link_id uuid)
      on conflict (package_id, kind, recipient) do nothing
      returning id`.execute(trx);
    for (const { id } of rows) await jobs.add(trx, 'mail.send', { message_id: id });
  });
};
