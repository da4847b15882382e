import { type Kysely, sql } from 'kysely';
import { ApiError } from '#protocol/errors.ts';
import { limits } from '#protocol/limits.ts';
import type { Database } from '../database/schema/database.ts';
import { inTransaction } from '../database/transaction.ts';
import type { Context, HandlersOf } from '../handler.ts';
import type { Bucket } from '../http/leaky-bucket.ts';
import { newId } from '../ids.ts';
import { mailLanguageOf } from '../mail/language.ts';
import { maskAddress } from './mask-address.ts';
import { requireLink } from './open.ts';

const minute = 60_000;

/**
 * A mailbox is not to be flooded by whoever has a link, and each code is some guesses more: of one link there are 154 on
 * the first day, and 720 guesses at 100,000,000 codes on each that follows.
 */
const bucketsOf = ({ peer }: Pick<Context, 'peer'>, linkId: string, email: string): readonly Bucket[] => [
  { name: `codes of link ${linkId} from ${peer}`, max: 5, millisecondsEach: 12 * minute, slotKind: 'codes of link from' },
  { name: `codes of link ${linkId}`, max: 10, millisecondsEach: 10 * minute },
  { name: `codes to ${email.toLowerCase()}`, max: 30, millisecondsEach: 5 * minute },
  { name: `codes from ${peer}`, max: 60, millisecondsEach: minute, slotKind: 'codes from' },
];

/** Codes that prove a link's recipient (contract/links.md §8). */
export const codeHandlers: HandlersOf<'createLinkCode'> = {
  async createLinkCode({ params }, context) {
    const { db, now, jobs, buckets } = context;
    const link = await requireLink(context, params.link_id);
    if (!link.verify_recipient) throw new ApiError('state_conflict', { detail: 'This link asks for no code.' });
    const at = now();
    await inTransaction(db, async (trx) => {
      const id = newId();
      await trx
        .insertInto('messages')
        .values({
          id,
          package_id: null,
          kind: 'link_code',
          recipient: link.email,
          link_id: link.id,
          language: mailLanguageOf(context.languages),
          created_at: at,
          updated_at: at,
        })
        .execute();
      // Two calls at once make one code.
      const { rows } = await sql`
        insert into link_codes as code (link_id, message_id, created_at, expires_at)
        values (${link.id}::uuid, ${id}::uuid, ${at}::timestamptz, ${new Date(at.getTime() + limits.linkCodeSeconds * 1_000)}::timestamptz)
        on conflict (link_id) do update
        set message_id = excluded.message_id, guesses = 0, created_at = excluded.created_at, expires_at = excluded.expires_at
        where code.created_at <= ${new Date(at.getTime() - limits.linkCodePauseSeconds * 1_000)}::timestamptz
        returning 1`.execute(trx);
      if (rows.length === 0) throw await tooSoon(trx, link.id, at);
      await buckets.takeAll(bucketsOf(context, link.id, link.email));
      await jobs.add(trx, 'mail.send', { message_id: id });
    });
    return { recipient: maskAddress(link.email), valid_seconds: limits.linkCodeSeconds, pause_seconds: limits.linkCodePauseSeconds };
  },
};

async function tooSoon(db: Kysely<Database>, linkId: string, at: Date): Promise<ApiError> {
  const before = await db.selectFrom('link_codes').select('created_at').where('link_id', '=', linkId).executeTakeFirst();
  const passed = before ? (at.getTime() - before.created_at.getTime()) / 1_000 : 0;
  return new ApiError('rate_limited', { seconds: Math.max(1, Math.ceil(limits.linkCodePauseSeconds - passed)) });
}
