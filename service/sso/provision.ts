import { sql, type Transaction } from 'kysely';
import { ApiError } from '#protocol/errors.ts';
import type { SsoRole } from '#protocol/hosted/sso.ts';
import type { Role } from '#protocol/roles.ts';
import { addUser } from '../accounts/add-user.ts';
import { isEmail } from '../accounts/email.ts';
import { appendEntries } from '../audit/record.ts';
import type { Database } from '../database/schema/database.ts';
import type { Context } from '../handler.ts';
import { newId } from '../ids.ts';
import { endInvitationsOf, openInvitations } from '../invitations/open.ts';
import { lockTeam, requireMemberSlot } from '../teams/team-lock.ts';
import { type ConnectionRow, readRules } from './connection-row.ts';
import { domainOf, teamOfDomain } from './domain-rows.ts';
import type { SsoPerson } from './provider.ts';
import { admittedRole, type NotAdmitted } from './roles.ts';

type Parts = Pick<Context, 'now' | 'source'>;

const reasons: Readonly<Record<NotAdmitted, string>> = {
  groups: 'None of your groups has a role in this Team. Ask whoever manages your company’s sign-in.',
  no_role: 'You are no member of this Team. Ask one of its owners to invite you.',
  removed: 'You were removed from this Team. Ask one of its owners to invite you again.',
};

const refused = (detail: string): ApiError => new ApiError('sso_refused', { detail });

/**
 * The user that a company's person is, as a member of the Team with the role that they arrive with: known by an earlier
 * sign-in, else by an address that the provider and the Team's DNS vouch for, else made now (contract/sso.md §5). Errors:
 * `sso_refused`, `over_limit`.
 */
export async function provision(
  trx: Transaction<Database>,
  parts: Parts,
  connection: ConnectionRow,
  person: SsoPerson,
): Promise<{ readonly userId: string }> {
  const { team_id: teamId } = connection;
  const at = parts.now();
  await lockTeam(trx, teamId);
  const identity = await trx
    .selectFrom('sso_identities')
    .select('user_id')
    .where('team_id', '=', teamId)
    .where('issuer', '=', person.issuer)
    .where('subject', '=', person.subject)
    .executeTakeFirst();
  const known = identity?.user_id ?? null;
  const email = known === null ? await provenAddress(trx, teamId, person) : null;
  const present = await presentUser(trx, teamId, known, email);
  const invitation = await openInvitation(trx, teamId, present?.email ?? email!, at);
  const role = admittedRole(await readRules(trx, connection), {
    present: present?.role ?? null,
    groups: person.groups,
    invited: invitation === null || invitation.role === 'owner' ? null : (invitation.role as SsoRole),
    former: present?.former ?? false,
  });
  if (typeof role === 'object') throw refused(reasons[role.refused]);
  if (present?.role == null) await requireMemberSlot(trx, teamId);
  const name = person.name === '' ? undefined : person.name.slice(0, 255);
  const userId = present?.id ?? (await addUser(trx, { email: email!, name, password: undefined, teamId }, at)).id;
  if (known === null) await addIdentity(trx, connection, person, userId, at);
  await setRole(trx, parts, { teamId, userId, before: present?.role ?? null, role, invitationId: invitation?.id });
  return { userId };
}

/** Whose address it is, both the provider and the Team's DNS say. Errors: `sso_refused`. */
async function provenAddress(trx: Transaction<Database>, teamId: string, { email, emailVerified }: SsoPerson): Promise<string> {
  if (!isEmail(email))
    throw refused("Your company's sign-in says no e-mail address of yours, so you cannot be found here. It has to send the claim email.");
  if (!emailVerified) {
    throw refused(`Your company's sign-in does not say that ${email} was verified. It has to send the claim email_verified.`);
  }
  const domain = domainOf(email);
  if (domain === null || (await teamOfDomain(trx, domain)) !== teamId) {
    throw refused(`Addresses of ${domain ?? email} are not verified for this Team. Ask one of its owners to add the domain.`);
  }
  return email;
}

async function presentUser(trx: Transaction<Database>, teamId: string, userId: string | null, email: string | null) {
  const row = await trx
    .selectFrom('users')
    .leftJoin('memberships', (join) => join.onRef('memberships.user_id', '=', 'users.id').on('memberships.team_id', '=', teamId))
    .leftJoin('former_members', (join) => join.onRef('former_members.user_id', '=', 'users.id').on('former_members.team_id', '=', teamId))
    .select(['users.id', 'users.email', 'memberships.role', 'former_members.left_at'])
    .where((where) => (userId === null ? where(sql`lower(users.email)`, '=', email!.toLowerCase()) : where('users.id', '=', userId)))
    .executeTakeFirst();
  return row && { id: row.id, email: row.email, role: row.role, former: row.left_at !== null };
}

async function openInvitation(trx: Transaction<Database>, teamId: string, email: string, at: Date) {
  const row = await openInvitations(trx)
    .where('team_id', '=', teamId)
    .where(sql`lower(email)`, '=', email.toLowerCase())
    .where('expires_at', '>', at)
    .executeTakeFirst();
  return row ?? null;
}

/** An address that went to somebody else in the company does not take the account along. Errors: `sso_refused`. */
async function addIdentity(trx: Transaction<Database>, { team_id: teamId }: ConnectionRow, person: SsoPerson, userId: string, at: Date) {
  const added = await trx
    .insertInto('sso_identities')
    .values({ team_id: teamId, issuer: person.issuer, subject: person.subject, user_id: userId, created_at: at })
    .onConflict((conflict) => conflict.columns(['team_id', 'issuer', 'user_id']).doNothing())
    .executeTakeFirst();
  if (added.numInsertedOrUpdatedRows === 1n) return;
  throw refused(
    `${person.email} belongs to another account of your company's sign-in here. An owner can remove that member first, and invite you.`,
  );
}

interface RoleChange {
  readonly teamId: string;
  readonly userId: string;
  readonly before: Role | null;
  readonly role: Role;
  readonly invitationId: string | undefined;
}

async function setRole(trx: Transaction<Database>, { now, source }: Parts, { teamId, userId, before, role, invitationId }: RoleChange) {
  const at = now();
  const origin = { actor: { kind: 'user', userId }, at, address: source.address, userAgent: source.userAgent } as const;
  const { id, email } = await trx.selectFrom('users').select(['id', 'email']).where('id', '=', userId).executeTakeFirstOrThrow();
  if (before === null) {
    const memberId = invitationId ?? newId();
    await trx.insertInto('memberships').values({ id: memberId, team_id: teamId, user_id: id, role, created_at: at }).execute();
    await trx
      .updateTable('users')
      .set((to) => ({
        primary_team_id: to.fn.coalesce('primary_team_id', to.val(teamId)),
        preferred_team_id: to.fn.coalesce('preferred_team_id', to.val(teamId)),
      }))
      .where('id', '=', userId)
      .execute();
    if (invitationId !== undefined) await trx.updateTable('invitations').set({ accepted_at: at }).where('id', '=', invitationId).execute();
    const target = { kind: 'member', id: memberId, name: email };
    await appendEntries(trx, [teamId], origin, { action: 'member.joined', target, details: { role, sso: true } });
  } else if (before !== role) {
    const member = await trx
      .updateTable('memberships')
      .set({ role })
      .where('team_id', '=', teamId)
      .where('user_id', '=', userId)
      .returning('id')
      .executeTakeFirstOrThrow();
    await endInvitationsOf(trx, { teamId, userId, role }, at);
    const target = { kind: 'member', id: member.id, name: email };
    await appendEntries(trx, [teamId], origin, { action: 'member.role_changed', target, details: { before, role, sso: true } });
  }
}
