import type { AuthResult } from '#protocol/hosted/accounts.ts';
import type { Membership } from '#protocol/hosted/members.ts';
import type { Role } from '#protocol/roles.ts';
import { hashMailedToken } from '#service/accounts/mailed-tokens.ts';
import { newId } from '#service/ids.ts';
import { runJob } from '#test/support/service/jobs.ts';
import { lightHash } from '#test/support/service/light-hash.ts';
import type { TestService } from '#test/support/service/start-service.ts';

export interface TestUser {
  readonly userId: string;
  readonly email: string;
  /** A user token, as sign-in gives it. */
  readonly token: string;
}

/** One for all. */
const hashOfAnUnknown = lightHash(newId());

/** Adds somebody with a role to a Team (the service's first one unless another is named), whose password nobody knows, with a user token. */
export async function addUser({ service, teamId }: TestService, role: Role, team = teamId): Promise<TestUser> {
  const { db, tokens, now } = service.services;
  const userId = newId();
  const email = `${role}-${userId}@example.com`;
  const times = { created_at: now(), updated_at: now() };
  await db
    .insertInto('users')
    .values({ id: userId, email, name: role, password_hash: await hashOfAnUnknown, primary_team_id: team, ...times })
    .execute();
  await db.insertInto('memberships').values({ id: newId(), team_id: team, user_id: userId, role, created_at: now() }).execute();
  return { userId, email, token: await tokens.sign('user', { userId, version: 1 }) };
}

/** The token of the invitation as it was mailed last. */
export async function invitationToken({ service }: TestService, invitationId: string): Promise<string> {
  const { db, mailedTokens } = service.services;
  const { id } = await db
    .selectFrom('messages')
    .select('id')
    .where('invitation_id', '=', invitationId)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow();
  return mailedTokens.of(id);
}

/** The token that is mailed to whoever forgot their password. */
export async function passwordResetToken({ service }: TestService, email: string): Promise<string> {
  const { db, mailedTokens } = service.services;
  await runJob(service.services, 'accounts.password_reset', { email, language: 'en' });
  const { id } = await db
    .selectFrom('messages')
    .select('id')
    .where('recipient', '=', email)
    .where('kind', '=', 'password_reset')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow();
  return mailedTokens.of(id);
}

/** Has a user wish for another address, as if it had been mailed long ago. Returns the token of that mail. */
export async function putEmailChange({ service }: TestService, userId: string, email = `new-${newId()}@example.com`): Promise<string> {
  const { db, mailedTokens, now } = service.services;
  const token = mailedTokens.of(newId());
  const at = now();
  const times = { created_at: new Date(at.getTime() - 2 * 3_600_000), expires_at: new Date(at.getTime() + 3_600_000) };
  await db.updateTable('email_changes').set({ state: 'ended' }).where('user_id', '=', userId).where('state', '=', 'open').execute();
  await db
    .insertInto('email_changes')
    .values({ id: newId(), user_id: userId, email, token_hash: hashMailedToken(token), ...times })
    .execute();
  return token;
}

/** The token of the confirmation that was mailed to an address last. */
export async function emailConfirmationToken({ service }: TestService, email: string): Promise<string> {
  const { db, mailedTokens } = service.services;
  const { id } = await db
    .selectFrom('messages')
    .select('id')
    .where('recipient', '=', email)
    .where('kind', '=', 'email_confirmation')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow();
  return mailedTokens.of(id);
}

/** Accepts an invitation: signed in where a user token is given, else by a name and a password. */
export async function accept(
  t: TestService,
  invitationId: string,
  by: { readonly token: string } | { readonly name: string; readonly password: string },
) {
  const token = await invitationToken(t, invitationId);
  return await t.call<AuthResult>('POST', `/v1/invitations/${token}/accept`, {
    headers: 'token' in by ? { 'x-user-token': by.token } : {},
    body: 'token' in by ? {} : by,
  });
}

/** Invites a person as somebody who may, and accepts for them. Gives the membership's id with the answer to accepting. */
export async function join(
  t: TestService,
  team: { readonly id: string; readonly by: string },
  person: { readonly email: string; readonly role: Role },
  by: Parameters<typeof accept>[2],
): Promise<{ readonly memberId: string; readonly auth: AuthResult }> {
  const invited = await t.call<Membership>('POST', `/v1/teams/${team.id}/members`, { headers: { 'x-user-token': team.by }, body: person });
  if (invited.status !== 201) throw new Error(`inviting: ${invited.status} ${JSON.stringify(invited.body)}`);
  const accepted = await accept(t, invited.body.id, by);
  if (accepted.status !== 200) throw new Error(`accepting: ${accepted.status} ${JSON.stringify(accepted.body)}`);
  return { memberId: invited.body.id, auth: accepted.body };
}

/** Adds a Team without members. */
export async function addTeam({ service }: TestService, name: string): Promise<string> {
  const { db, now } = service.services;
  const id = newId();
  await db
    .insertInto('teams')
    .values({ id, name, subdomain: `t-${id}`, created_at: now(), updated_at: now() })
    .execute();
  return id;
}
