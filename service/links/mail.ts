import { ApiError } from '#protocol/errors.ts';
import { inTransaction } from '../database/transaction.ts';
import type { HandlersOf } from '../handler.ts';
import { newId } from '../ids.ts';
import { managePackage } from '../packages/access.ts';

/** Seconds between two mails of one link. */
const pauseSeconds = 60;

export const mailHandlers: HandlersOf<'mailLink'> = {
  async mailLink({ params }, context) {
    const { db, now, jobs } = context;
    const row = await managePackage(context, params.package_id);
    await inTransaction(db, async (trx) => {
      // Two calls at once make one mail.
      const link = await trx
        .selectFrom('links')
        .select(['email', 'disabled_at', 'expiry'])
        .where('id', '=', params.link_id)
        .where('package_id', '=', row.id)
        .forNoKeyUpdate()
        .executeTakeFirst();
      if (!link) throw new ApiError('not_found', { resource: 'link' });
      if (link.email === '')
        throw new ApiError('state_conflict', { detail: 'This link is for nobody in particular, so there is nobody to mail it to.' });
      if (row.state === 'new')
        throw new ApiError('state_conflict', { detail: 'The package is not finalized yet. Its links are mailed when it is.' });
      if (row.state !== 'finalized') throw new ApiError('package_expired');
      if (link.disabled_at !== null) throw new ApiError('link_inactive');
      const of = { package_id: row.id, kind: 'link', recipient: link.email } as const;
      const before = await trx
        .selectFrom('messages')
        .select('created_at')
        .where('package_id', '=', of.package_id)
        .where('kind', '=', of.kind)
        .where('recipient', '=', of.recipient)
        .executeTakeFirst();
      const since = before === undefined ? pauseSeconds : (now().getTime() - before.created_at.getTime()) / 1_000;
      if (since < pauseSeconds) throw new ApiError('rate_limited', { seconds: Math.ceil(pauseSeconds - since) });
      // Another message, not the same once more: mailboxes show one with a known Message-ID once.
      await trx
        .deleteFrom('messages')
        .where('package_id', '=', of.package_id)
        .where('kind', '=', of.kind)
        .where('recipient', '=', of.recipient)
        .execute();
      const id = newId();
      await trx
        .insertInto('messages')
        .values({ id, ...of, link_id: params.link_id, created_at: now(), updated_at: now() })
        .execute();
      await jobs.add(trx, 'mail.send', { message_id: id });
    });
    return {};
  },
};
