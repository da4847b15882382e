import { sql, type Transaction } from 'kysely';
import { ApiError } from '#protocol/errors.ts';
import type { AddMember, Membership } from '#protocol/hosted/members.ts';
import { limits } from '#protocol/limits.ts';
import type { Database } from '../database/schema/database.ts';
import type { Context } from '../handler.ts';
import { newId } from '../ids.ts';
import { mailLanguageOf } from '../mail/language.ts';
import { newMessageIdentity, queueAccountMail } from '../mail/queue-account-mail.ts';
import { requireMemberSlot } from '../teams/team-lock.ts';
import { invited, type OpenInvitation, openInvitations } from './open.ts';

type Parts = Pick<Context, 'jobs' | 'now' | 'mailedTokens' | 'languages'>;

/**
 * Invites a person to a Team by mail. Takes the Team's lock. Reads only what the Team can see anyway: its members and
 * invitations. So neither the response nor its time nor the mails reveal whether the address has a user. Errors:
 * `already_exists`, `over_limit`, `rate_limited`.
 */
export async function invite(
  trx: Transaction<Database>,
  team: { readonly teamId: string; readonly invitedBy: string },
  { email, role, name }: AddMember,
  parts: Parts,
): Promise<Membership> {
  const at = parts.now();
  await requireMemberSlot(trx, team.teamId);
  await requireNoMember(trx, team.teamId, email);
  const before = await openInvitations(trx)
    .where('team_id', '=', team.teamId)
    .where(sql`lower(email)`, '=', email.toLowerCase())
    .executeTakeFirst();
  if (before && before.expires_at > at) {
    throw new ApiError('already_exists', { detail: `${before.email} is invited already. That invitation can be sent again, or revoked.` });
  }
  // An expired invitation is replaced by the new one.
  if (before) await trx.updateTable('invitations').set({ revoked_at: at }).where('id', '=', before.id).execute();
  await requireMailsLeft(trx, team.teamId, email, at);
  const mailed = newMessageIdentity(parts.mailedTokens);
  const invitation = {
    id: newId(),
    team_id: team.teamId,
    email,
    name: name ?? email.split('@')[0]!,
    role,
    expires_at: endOf(at),
  };
  await trx
    .insertInto('invitations')
    .values({
      ...invitation,
      invited_by: team.invitedBy,
      token_hash: mailed.tokenHash,
      accepted_at: null,
      revoked_at: null,
      created_at: at,
    })
    .execute();
  await mailInvitation(trx, invitation, mailed.messageId, parts);
  return invited(invitation);
}

/**
 * Mails an invitation again, with a new token; the previous token becomes invalid. The Team's lock is already held.
 * Errors: `rate_limited`.
 */
export async function sendAgain(trx: Transaction<Database>, invitation: OpenInvitation, invitedBy: string, parts: Parts): Promise<void> {
  const at = parts.now();
  await requireMailsLeft(trx, invitation.team_id, invitation.email, at);
  const mailed = newMessageIdentity(parts.mailedTokens);
  await trx
    .updateTable('invitations')
    // The user who sends it again is responsible for it from now on.
    .set({ token_hash: mailed.tokenHash, expires_at: endOf(at), invited_by: invitedBy })
    .where('id', '=', invitation.id)
    .execute();
  await mailInvitation(trx, invitation, mailed.messageId, parts);
}

const endOf = (at: Date): Date => new Date(at.getTime() + limits.invitationSeconds * 1_000);

async function mailInvitation(
  trx: Transaction<Database>,
  { id, email }: { readonly id: string; readonly email: string },
  messageId: string,
  parts: Parts,
): Promise<void> {
  const language = mailLanguageOf(parts.languages);
  await queueAccountMail(trx, parts, { kind: 'invitation', messageId, invitationId: id, recipient: email, language });
}

async function requireNoMember(trx: Transaction<Database>, teamId: string, email: string): Promise<void> {
  const member = await trx
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select('users.email')
    .where('memberships.team_id', '=', teamId)
    .where(sql`lower(users.email)`, '=', email.toLowerCase())
    .executeTakeFirst();
  if (member) throw new ApiError('already_exists', { detail: `${member.email} is a member of this Team already.` });
}

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
async function requireMailsLeft(trx: Transaction<Database>, teamId: string, email: string, at: Date): Promise<void> {
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
