import type { Kysely, Transaction } from 'kysely';
import { ApiError } from '#protocol/errors.ts';
import type { AcceptInvitation } from '#protocol/hosted/invitations.ts';
import type { Role } from '#protocol/roles.ts';
import { addUser } from '../accounts/add-user.ts';
import { guardedAccount } from '../accounts/guarded-account.ts';
import { hashMailedToken } from '../accounts/mailed-tokens.ts';
import { authResult } from '../accounts/sign-in.ts';
import { appendEntries, originOf } from '../audit/record.ts';
import type { Credential } from '../credentials/credential.ts';
import type { Database } from '../database/schema/database.ts';
import { inTransaction } from '../database/transaction.ts';
import type { HandlersOf } from '../handler.ts';
import { addKnownSource } from '../http/guarded-secret.ts';
import { lockTeam } from '../teams/team-lock.ts';
import { formatDateTime } from '../wire-times.ts';
import { mayInvite } from './open.ts';

/**
 * The calls of a mailed token's holder (contract/teams-and-members.md §4). The token proves access to the mailbox,
 * and can be used once.
 */
export const invitationHandlers: HandlersOf<'getInvitation' | 'acceptInvitation'> = {
  async getInvitation({ params }, { db, now }) {
    const { team: name, imprint_url, privacy_url, inviter, email, role, expires_at } = await validInvitation(db, params.token, now());
    const team = { name, ...(imprint_url !== '' && { imprint_url }), ...(privacy_url !== '' && { privacy_url }) };
    return { team, inviter: { name: inviter }, email, role, expires_at: formatDateTime(expires_at) };
  },

  async acceptInvitation({ params, body }, context) {
    const { db, credential, now, credentials } = context;
    // Their company has proved them to its own Team, and to no other.
    if (credential.kind === 'user' && credential.ssoTeamId !== null) {
      throw new ApiError('not_allowed', {
        detail: 'A sign-in through a company counts in its own Team only. Sign in by your password, then accept.',
      });
    }
    const found = await validInvitation(db, params.token, now());
    // Before the Team's lock is taken: a wrong body must not delay other calls.
    const chosen = credential.kind === 'user' ? null : requireIdentity(body);
    const userId = await inTransaction(db, async (trx) => {
      await lockTeam(trx, found.team_id);
      // Read again under the lock: it may have been accepted, revoked or changed meanwhile.
      const invitation = await validInvitation(trx, params.token, now());
      const user = chosen === null ? await signedInInvitee(trx, invitation, credential) : await newInvitee(trx, invitation, chosen, now());
      await trx
        .insertInto('memberships')
        .values({ id: invitation.id, team_id: invitation.team_id, user_id: user, role: invitation.role, created_at: now() })
        // A person whom the operator has added meanwhile keeps their role.
        .onConflict((conflict) => conflict.columns(['user_id', 'team_id']).doNothing())
        .execute();
      await trx
        .updateTable('users')
        .set((to) => ({
          primary_team_id: to.fn.coalesce('primary_team_id', to.val(invitation.team_id)),
          preferred_team_id: to.fn.coalesce('preferred_team_id', to.val(invitation.team_id)),
        }))
        .where('id', '=', user)
        .execute();
      await appendEntries(
        trx,
        [invitation.team_id],
        { ...originOf(context), actor: { kind: 'user', userId: user } },
        {
          action: 'member.joined',
          target: { kind: 'member', id: invitation.id, name: invitation.email },
          details: { role: invitation.role },
        },
      );
      await trx.updateTable('invitations').set({ accepted_at: now() }).where('id', '=', invitation.id).execute();
      return user;
    });
    credentials.invalidateUser(userId);
    // This is a sign-in: its source is known from now on.
    await addKnownSource(context, guardedAccount(found.email), null);
    return await authResult(context, userId);
  },
};

interface ValidInvitation {
  readonly id: string;
  readonly team_id: string;
  readonly team: string;
  readonly imprint_url: string;
  readonly privacy_url: string;
  readonly inviter: string;
  readonly email: string;
  readonly role: Role;
  readonly expires_at: Date;
}

/** The invitation of a token, if it can be accepted now. Errors: `not_found`, `token_used`, `token_expired`, `team_inactive`. */
async function validInvitation(db: Kysely<Database>, token: string, at: Date): Promise<ValidInvitation> {
  const row = await db
    .selectFrom('invitations')
    .innerJoin('teams', 'teams.id', 'invitations.team_id')
    .innerJoin('users', 'users.id', 'invitations.invited_by')
    .leftJoin('memberships', (join) =>
      join.onRef('memberships.team_id', '=', 'invitations.team_id').onRef('memberships.user_id', '=', 'invitations.invited_by'),
    )
    .select(['teams.imprint_url', 'teams.privacy_url'])
    .select(['teams.name as team', 'teams.state as teamState', 'users.name as inviter', 'memberships.role as inviterRole'])
    .select([
      'invitations.id',
      'invitations.team_id',
      'invitations.email',
      'invitations.role',
      'invitations.expires_at',
      'invitations.accepted_at',
      'invitations.revoked_at',
    ])
    .where('token_hash', '=', hashMailedToken(token))
    .executeTakeFirst();
  if (!row) throw new ApiError('not_found', { resource: 'invitation' });
  const { teamState, inviterRole, accepted_at: acceptedAt, revoked_at: revokedAt, ...invitation } = row;
  if (acceptedAt !== null) throw new ApiError('token_used', { thing: 'invitation' });
  // The inviter's current role is checked again: nobody can give a role that they may not give.
  if (revokedAt !== null || !mayInvite(inviterRole, invitation.role)) throw new ApiError('not_found', { resource: 'invitation' });
  if (invitation.expires_at <= at) throw new ApiError('token_expired', { thing: 'invitation' });
  if (teamState !== 'active') throw new ApiError('team_inactive');
  return invitation;
}

interface ChosenIdentity {
  readonly name: string;
  readonly password: string;
}

function requireIdentity({ name, password }: AcceptInvitation): ChosenIdentity {
  const missing = name === undefined ? 'name' : password === undefined ? 'password' : null;
  if (name === undefined || password === undefined) {
    throw new ApiError('invalid_request', {
      detail: `The field ${missing} is missing. Choose a name and a password, or accept signed in, with X-User-Token.`,
    });
  }
  return { name, password };
}

/** The signed-in user, if they are the invited person. */
async function signedInInvitee(trx: Transaction<Database>, { email }: ValidInvitation, credential: Credential): Promise<string> {
  const userId = credential.kind === 'user' ? credential.userId : '';
  const user = await trx
    .selectFrom('users')
    .select(['id', 'email', 'password_given'])
    .where('id', '=', userId)
    // The lock prevents a change of the address or the password meanwhile.
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (user?.email.toLowerCase() !== email.toLowerCase()) {
    throw new ApiError('not_allowed', { detail: 'This invitation is for another e-mail address than that of who is signed in.' });
  }
  if (user.password_given) {
    throw new ApiError('state_conflict', {
      detail: 'The password of this user was chosen by somebody else. Choose one of your own first, then accept.',
    });
  }
  return user.id;
}

/** A new user, with the name and password that they chose. An existing user is not changed: they must sign in. */
async function newInvitee(
  trx: Transaction<Database>,
  { email, team_id: teamId }: ValidInvitation,
  chosen: ChosenIdentity,
  at: Date,
): Promise<string> {
  const { id, made } = await addUser(trx, { email, ...chosen, teamId }, at);
  if (!made) {
    throw new ApiError('already_exists', { detail: 'There is a user with this e-mail address already. Sign in, then accept.' });
  }
  return id;
}
