import { sql, type Transaction } from 'kysely';
import { ApiError } from '#protocol/errors.ts';
import { limits } from '#protocol/limits.ts';
import type { Database } from '../database/schema/database.ts';

const daySeconds = 24 * 3600;

interface Counted {
  readonly mails: number;
  /** Seconds until the first of them no longer counts. */
  readonly seconds: number;
}

/**
 * Refuses an invitation over the limit, so that nobody can flood other people's mailboxes through a Team. The Team's
 * lock is already held. Errors: `rate_limited`.
 */
export async function requireMailsLeft(trx: Transaction<Database>, teamId: string, email: string, at: Date): Promise<void> {
  const since = new Date(at.getTime() - daySeconds * 1_000);
  const recent = trx
    .selectFrom('messages')
    .innerJoin('invitations', 'invitations.id', 'messages.invitation_id')
    .select([
      (select) => select.fn.countAll<number>().as('mails'),
      sql<number>`coalesce(${daySeconds}::float8 - extract(epoch from ${at}::timestamptz - min(messages.created_at)), 0)::float8`.as(
        'seconds',
      ),
    ])
    .where('messages.created_at', '>', since)
    .where('messages.package_id', 'is', null);
  const toAddress = recent.where(sql`lower(messages.recipient)`, '=', email.toLowerCase());
  const { fromOneTeam, fromAll } = limits.invitationsPerAddressAndDay;
  refuseBeyond(fromOneTeam, await toAddress.where('invitations.team_id', '=', teamId).executeTakeFirstOrThrow());
  refuseBeyond(fromAll, await toAddress.executeTakeFirstOrThrow());
  refuseBeyond(limits.invitationsPerTeamAndDay, await recent.where('invitations.team_id', '=', teamId).executeTakeFirstOrThrow());
}

function refuseBeyond(most: number, { mails, seconds }: Counted): void {
  if (mails >= most) throw new ApiError('rate_limited', { seconds: Math.max(1, Math.ceil(seconds)) });
}
