import { sql } from 'kysely';
import { ApiError } from '#protocol/errors.ts';
import type { UserCredential } from '../credentials/credential.ts';
import { violates } from '../database/violations.ts';
import type { Context, HandlersOf } from '../handler.ts';
import { isId } from '../ids.ts';
import { hashPassword, passwordMatches } from './passwords.ts';
import { readProfile } from './profile.ts';
import { guessSubjects } from './sign-in.ts';

/** A user's own account (interface §4.1; decisions, "Accounts"). */
export const userHandlers: HandlersOf<'updateUser' | 'changePassword' | 'changeEmail'> = {
  async updateUser({ params, body }, context) {
    const { db, now } = context;
    await requireSelf(context, params.user_id);
    if (body.time_zone !== undefined && !isTimeZone(body.time_zone)) {
      throw new ApiError('invalid_request', { detail: 'The field time_zone must be a name of the IANA database, like Europe/Berlin.' });
    }
    if (body.preferred_team_id !== undefined) await requireOwnTeam(context, body.preferred_team_id);
    // Named one by one: what else the body holds is not ours to store.
    const changed = { name: body.name, time_zone: body.time_zone, preferred_team_id: body.preferred_team_id };
    if (Object.values(changed).some((value) => value !== undefined)) {
      await db
        .updateTable('users')
        .set({ ...changed, updated_at: now() })
        .where('id', '=', params.user_id)
        .execute();
    }
    return await ownProfile(context);
  },

  async changePassword({ params, body }, context) {
    const { db, credentials, now } = context;
    await requireSelf(context, params.user_id);
    const proven = await provePassword(context, body.current_password);
    const changed = await db
      .updateTable('users')
      .set({ password_hash: await hashPassword(body.password), token_version: sql`token_version + 1`, updated_at: now() })
      .where('id', '=', params.user_id)
      // Of two changes at once, the second gave a password that is no longer the current one.
      .where('password_hash', '=', proven)
      .executeTakeFirst();
    credentials.forgetUser(params.user_id);
    if (changed.numUpdatedRows === 0n) throw new ApiError('wrong_password');
  },

  async changeEmail({ params, body }, context) {
    const { db, credentials, now } = context;
    await requireSelf(context, params.user_id);
    const proven = await provePassword(context, body.password);
    try {
      const changed = await db
        .updateTable('users')
        .set({ email: body.email, token_version: sql`token_version + 1`, updated_at: now() })
        .where('id', '=', params.user_id)
        .where('password_hash', '=', proven)
        .executeTakeFirst();
      if (changed.numUpdatedRows === 0n) throw new ApiError('wrong_password');
    } catch (error) {
      throw violates(error, 'users_email') ? new ApiError('already_exists', { detail: 'Another user has this e-mail address.' }) : error;
    } finally {
      credentials.forgetUser(params.user_id);
    }
    return await ownProfile(context);
  },
};

/**
 * Everyone changes their own account only. `not_allowed` for somebody with whom the caller shares a Team,
 * `not_found` for strangers and nobody.
 */
async function requireSelf({ db, credential }: Context<UserCredential>, userId: string): Promise<void> {
  if (credential.userId === userId) return;
  const colleague = await db
    .selectFrom('memberships as theirs')
    .innerJoin('memberships as mine', 'mine.team_id', 'theirs.team_id')
    .select('theirs.id')
    .where('theirs.user_id', '=', userId)
    .where('mine.user_id', '=', credential.userId)
    .limit(1)
    .executeTakeFirst();
  if (!colleague) throw new ApiError('not_found', { resource: 'user' });
  throw new ApiError('not_allowed', { detail: 'Only a person themselves can change their account.' });
}

async function requireOwnTeam({ db, credential }: Context<UserCredential>, teamId: string): Promise<void> {
  const membership = isId(teamId)
    ? await db
        .selectFrom('memberships')
        .select('id')
        .where('user_id', '=', credential.userId)
        .where('team_id', '=', teamId)
        .executeTakeFirst()
    : undefined;
  if (!membership) throw new ApiError('not_found', { resource: 'Team (preferred_team_id)' });
}

/** Checks the caller's password, counting guesses together with those at sign-in; returns the hash it was checked against. */
async function provePassword({ db, credential, guesses, ip }: Context<UserCredential>, password: string): Promise<string> {
  const user = await db.selectFrom('users').select(['email', 'password_hash']).where('id', '=', credential.userId).executeTakeFirst();
  if (!user) throw new ApiError('not_found', { resource: 'user' });
  const right = await guesses.judge(guessSubjects(user.email, ip), () => passwordMatches(user.password_hash, password));
  if (!right) throw new ApiError('wrong_password');
  return user.password_hash;
}

async function ownProfile({ db, credential }: Context<UserCredential>) {
  const profile = await readProfile(db, credential.userId);
  if (!profile) throw new ApiError('not_found', { resource: 'user' });
  return profile.user;
}

/** Names only: what `Intl` takes besides, offsets like +01:00, is no place. */
function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
