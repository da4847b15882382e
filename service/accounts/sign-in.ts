import { sql } from 'kysely';
import { ApiError } from '#protocol/errors.ts';
import type { HandlersOf } from '../handler.ts';
import type { GuessSubject } from '../http/guesses.ts';
import { passwordMatches } from './passwords.ts';
import { readProfile } from './profile.ts';

/** Guesses from one address, and, more generously, from all: nobody can lock an owner out with a few calls. */
export function guessSubjects(email: string, ip: string): readonly GuessSubject[] {
  const account = `account ${email.toLowerCase()}`;
  return [{ name: `${account} from ${ip}` }, { name: account, allowance: 5 }];
}

/** Sign-in and "who am I" (interface §4.1). */
export const signInHandlers: HandlersOf<'auth' | 'currentUser'> = {
  async auth({ body }, { db, tokens, guesses, ip }) {
    const email = body.email.toLowerCase();
    const user = await db
      .selectFrom('users')
      .select(['id', 'password_hash', 'token_version'])
      .where(sql`lower(email)`, '=', email)
      .executeTakeFirst();
    const right = await guesses.judge(guessSubjects(email, ip), () => passwordMatches(user?.password_hash, body.password));
    if (!user || !right) throw new ApiError('wrong_password');
    const profile = await readProfile(db, user.id);
    if (!profile) throw new ApiError('wrong_password');
    return {
      token: await tokens.sign('user', { userId: user.id, version: user.token_version }),
      teams: profile.teams.map(({ id, name, subdomain }) => ({ id, name, subdomain })),
      user: profile.user,
    };
  },

  async currentUser(_input, { db, credential }) {
    const profile = await readProfile(db, credential.userId, credential.kind === 'api_key' ? credential.teamId : undefined);
    if (!profile) throw new ApiError('not_found', { resource: 'user' });
    return { user: profile.user, teams: [...profile.teams] };
  },
};
