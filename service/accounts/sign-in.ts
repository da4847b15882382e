import { sql } from 'kysely';
import { ApiError } from '#protocol/errors.ts';
import type { AuthResult, OwnTeam } from '#protocol/hosted/accounts.ts';
import type { PasskeyProof } from '#protocol/hosted/mfa.ts';
import { recordUserAudit } from '../audit/record.ts';
import { inTransaction } from '../database/transaction.ts';
import type { Context, HandlersOf } from '../handler.ts';
import { addKnownSource, checkAttempt, knownSourceOf } from '../http/guarded-secret.ts';
import { provePasskey } from '../mfa/passkeys.ts';
import { proveSecondFactor, type SecondFactor } from '../mfa/second-factor.ts';
import { startProgramSession } from '../sessions/sessions.ts';
import { guardedAccount } from './guarded-account.ts';
import { passwordMatches } from './passwords.ts';
import { type Profile, readProfile } from './profile.ts';

/** Sign-in and "who am I" (contract/users-and-auth.md §1). */
export const signInHandlers: HandlersOf<'auth' | 'currentUser'> = {
  async auth({ body }, context) {
    return await signedIn(context, await proveSignIn(context, body));
  },

  async currentUser({ query }, { db, credential, facts, events }) {
    const onlyTeamId = credential.kind === 'api_key' ? credential.teamId : (credential.ssoTeamId ?? undefined);
    const read = async (): Promise<Profile> => {
      const profile = await readProfile(db, credential.userId, onlyTeamId);
      if (!profile) throw new ApiError('not_found', { resource: 'user' });
      return profile;
    };
    let profile = await read();
    const watched = query.watch === undefined ? undefined : watchedTeam(profile, query.watch);
    const position = watched ? await events.watchTeam(watched.id) : null;
    // What is in the answer is read after the position, too.
    if (position !== null) profile = await read();
    return { user: profile.user, teams: [...profile.teams], sends_mail: facts.mailServer, ...(position !== null && { position }) };
  },
};

/** The Team that is named, if it is one of theirs; the one that a console begins with where none is. */
const watchedTeam = ({ user, teams }: Profile, named: string): OwnTeam | undefined =>
  named === '' ? (teams.find(({ id }) => id === user.preferred_team_id) ?? teams[0]) : teams.find(({ id }) => id === named);

export interface ProvenUser {
  readonly id: string;
  readonly token_version: number;
  /** Whether a password was all that was asked for (sessions.ts). */
  readonly byPasswordAlone: boolean;
}

interface SignIn extends SecondFactor {
  readonly email: string;
  readonly password: string;
}

/**
 * The user of an address, a password and, where they have one, a second factor. Errors: `wrong_password`, `mfa_required`,
 * `mfa_wrong`; `rate_limited` after many attempts, right or wrong.
 */
export async function proveSignIn(context: Context, body: SignIn): Promise<ProvenUser> {
  const { db } = context;
  const email = body.email.toLowerCase();
  const account = guardedAccount(email);
  const known = await knownSourceOf(context, account);
  // On a known device, sign-ins are counted separately, so that other people behind the same address cannot block
  // them.
  await context.countSignIn(known === 'device' ? `${email} ${context.device}` : context.peer);
  const user = await db
    .selectFrom('users')
    .select(['id', 'password_hash', 'token_version', 'mfa_since'])
    .where(sql`lower(email)`, '=', email)
    .executeTakeFirst();
  const right = await checkAttempt(context, { ...account, version: user?.token_version ?? 0 }, known, () =>
    passwordMatches(user?.password_hash, body.password),
  );
  if (!user || !right) {
    await recordRefusal(context, email, 'password');
    throw new ApiError('wrong_password');
  }
  // Before the source is known: whoever has the password alone must not get limits of their own.
  if (user.mfa_since !== null) {
    try {
      await proveSecondFactor(context, { id: user.id, mfaSince: user.mfa_since }, body);
    } catch (error) {
      if (error instanceof ApiError && error.error === 'mfa_wrong') await recordRefusal(context, email, 'second_factor');
      throw error;
    }
  }
  // Stored again at each sign-in, so that the least recently used source is evicted first.
  await addKnownSource(context, account, null);
  return { id: user.id, token_version: user.token_version, byPasswordAlone: user.mfa_since === null };
}

/** The user of a passkey, which is both factors: the authenticator has asked for its owner. Errors: `mfa_wrong`, `rate_limited`. */
export async function provePasskeySignIn(context: Context, proof: PasskeyProof): Promise<ProvenUser> {
  await context.countSignIn(context.peer);
  const { userId } = await provePasskey(context, proof);
  return await provenOtherwise(context, userId);
}

/** The response of a sign-in, for a user whose identity was proved in another way. */
export async function authResult(context: SignInParts, userId: string): Promise<AuthResult> {
  return await signedIn(context, await provenOtherwise(context, userId));
}

async function provenOtherwise({ db }: Pick<Context, 'db'>, userId: string): Promise<ProvenUser> {
  const user = await db.selectFrom('users').select(['id', 'token_version']).where('id', '=', userId).executeTakeFirstOrThrow();
  return { ...user, byPasswordAlone: false };
}

/** By a job, whether the user exists or not, so that neither the answer nor its time tells. */
async function recordRefusal(
  { db, jobs, source, now }: Pick<Context, 'db' | 'jobs' | 'source' | 'now'>,
  email: string,
  reason: 'password' | 'second_factor',
): Promise<void> {
  const from = { address: source.address, user_agent: (source.userAgent ?? '').slice(0, 200) };
  await jobs.add(db, 'audit.sign_in_refused', { email, ...from, at: now().toISOString(), reason });
}

type SignInParts = Pick<Context, 'db' | 'tokens' | 'source' | 'now'>;

async function signedIn(
  { db, tokens, source, now }: SignInParts,
  { id, token_version: version, byPasswordAlone }: ProvenUser,
): Promise<AuthResult> {
  const profile = await signedInProfile(db, id);
  const { sessionId } = await inTransaction(db, async (trx) => {
    await recordUserAudit(trx, { source, now }, id, { action: 'session.started', details: { kind: 'program' } });
    return await startProgramSession(trx, { userId: id, version, source, byPasswordAlone, ssoTeamId: null, at: now() });
  });
  return { token: await tokens.sign('user', { userId: id, version, sessionId }), ...profile };
}

/** What a sign-in answers about its user, besides the credential. */
export async function signedInProfile(db: Context['db'], userId: string, onlyTeamId?: string): Promise<Omit<AuthResult, 'token'>> {
  const profile = await readProfile(db, userId, onlyTeamId);
  if (!profile) throw new ApiError('wrong_password');
  return { teams: profile.teams.map(({ id, name, subdomain }) => ({ id, name, subdomain })), user: profile.user };
}
