import { createHash, timingSafeEqual } from 'node:crypto';
import { ApiError } from '#protocol/errors.ts';
import type { SsoApp } from '#protocol/hosted/sso-sign-in.ts';
import { limits } from '#protocol/limits.ts';
import { signedInProfile } from '../accounts/sign-in.ts';
import type { TokenClaims } from '../credentials/tokens.ts';
import { inTransaction } from '../database/transaction.ts';
import type { Context, HandlersOf, Services } from '../handler.ts';
import { newId } from '../ids.ts';
import { startProgramSession } from '../sessions/sessions.ts';
import { lockTeam } from '../teams/team-lock.ts';
import { requireSameConnection } from './connection-row.ts';
import { useOnce } from './flow.ts';
import { recordSignIn } from './record-sign-in.ts';

/** Where a program waits, with a one-time code that is worth nothing without the program's own PKCE verifier. */
export async function appRedirect(
  { tokens }: Pick<Services, 'tokens'>,
  { redirect_uri: uri, code_challenge: challenge, state }: SsoApp,
  user: Pick<TokenClaims['sso_code'], 'userId' | 'version' | 'teamId' | 'revision'>,
): Promise<string> {
  const url = new URL(uri);
  url.searchParams.set('code', await tokens.sign('sso_code', { nonce: newId(), challenge, ...user }));
  url.searchParams.set('state', state);
  return url.href;
}

/** Programs on a person's own machine, after their browser has signed in (contract/sso.md §6). */
export const appHandlers: HandlersOf<'exchangeSsoCode'> = {
  async exchangeSsoCode({ body }, context) {
    await context.countSignIn(context.peer);
    const claims = await context.tokens.verify('sso_code', body.code);
    // Compared before the code is used up: who has only the code cannot use it up either.
    if (!claims || !isChallengeOf(body.code_verifier, claims.challenge) || !(await useOnce(context, claims.nonce, limits.ssoCodeSeconds))) {
      throw new ApiError('sso_refused', { detail: 'This code is wrong, was used already, or came too late. Begin the sign-in again.' });
    }
    return await signedIn(context, claims);
  },
};

const isChallengeOf = (verifier: string, challenge: string): boolean =>
  timingSafeEqual(createHash('sha256').update(verifier).digest(), Buffer.from(challenge, 'base64url'));

async function signedIn(context: Context, { userId, version, teamId, revision }: TokenClaims['sso_code']) {
  const { db, tokens, source, now } = context;
  const { sessionId } = await inTransaction(db, async (trx) => {
    await lockTeam(trx, teamId);
    await requireSameConnection(trx, teamId, revision);
    await recordSignIn(trx, context, { teamId, userId, kind: 'program' });
    return await startProgramSession(trx, { userId, version, source, byPasswordAlone: false, ssoTeamId: teamId, at: now() });
  });
  return { token: await tokens.sign('user', { userId, version, sessionId }), ...(await signedInProfile(db, userId, teamId)) };
}
