import type { Kysely, Transaction } from 'kysely';
import type { Membership } from '#protocol/hosted/members.ts';
import { type Role, roles } from '#protocol/roles.ts';
import type { Database } from '../database/schema/database.ts';
import { may } from '../permissions.ts';
import { formatDateTime } from '../wire-times.ts';

/** Invitations that are neither accepted nor revoked. Includes expired ones, because they can be sent again. */
export const openInvitations = (db: Kysely<Database>) =>
  db
    .selectFrom('invitations')
    .select([
      'invitations.id',
      'invitations.team_id',
      'invitations.name',
      'invitations.email',
      'invitations.role',
      'invitations.expires_at',
    ])
    .where('invitations.accepted_at', 'is', null)
    .where('invitations.revoked_at', 'is', null);

export interface OpenInvitation {
  readonly id: string;
  readonly team_id: string;
  readonly name: string;
  readonly email: string;
  readonly role: Role;
  readonly expires_at: Date;
}

/**
 * An invitation as the list of members shows it. It contains only data from the Team itself, so it reveals nothing
 * about the address.
 */
export function invited({ id, name, email, role, expires_at }: OpenInvitation): Membership {
  return { id, name, email, role, state: 'invited', expires_at: formatDateTime(expires_at) };
}

/** Whether a user with this role, or none, may invite to that role. */
export const mayInvite = (inviter: Role | null, role: Role): boolean =>
  inviter !== null && may(inviter, 'members.manage') && (role !== 'owner' || may(inviter, 'owners.manage'));

/**
 * Revokes the invitations whose responsible user has lost the right to send them. A user who leaves a Team, or loses
 * the role that can invite, must not return through an invitation that they sent before. `role` is their new role.
 */
export async function endInvitationsOf(
  trx: Transaction<Database>,
  who: { readonly teamId: string; readonly userId: string; readonly role: Role | null },
  at: Date,
): Promise<void> {
  const over = roles.filter((role) => !mayInvite(who.role, role));
  if (over.length === 0) return;
  await trx
    .updateTable('invitations')
    .set({ revoked_at: at })
    .where('team_id', '=', who.teamId)
    .where('invited_by', '=', who.userId)
    .where('accepted_at', 'is', null)
    .where('revoked_at', 'is', null)
    .where('role', 'in', over)
    .execute();
}
