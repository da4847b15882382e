import { ApiError } from '#protocol/errors.ts';
import { limits } from '#protocol/limits.ts';
import type { TokenClaims } from '../credentials/tokens.ts';
import type { Services } from '../handler.ts';
import { newId } from '../ids.ts';

type Parts = Pick<Services, 'db' | 'tokens' | 'now'>;

/**
 * What a browser signs with a passkey. It is a signed token, so that a stranger who asks for many takes no room here; only
 * those that were used are stored, until they expire.
 */
export function newChallenge({ tokens }: Parts, claims: Omit<TokenClaims['challenge'], 'nonce'>): Promise<string> {
  return tokens.sign('challenge', { nonce: newId(), ...claims });
}

/** The claims of a challenge as WebAuthn gives it back, in base64url; null for one that was not made here, or is too old. */
export function readChallenge({ tokens }: Parts, challenge: string): Promise<TokenClaims['challenge'] | null> {
  return tokens.verify('challenge', Buffer.from(challenge, 'base64url').toString());
}

/** Marks a challenge as used. Errors: `mfa_wrong` for one that was used before. */
export async function useChallenge({ db, now }: Parts, { nonce }: TokenClaims['challenge']): Promise<void> {
  const expires = new Date(now().getTime() + limits.passkeyChallengeSeconds * 1_000);
  const inserted = await db
    .insertInto('used_challenges')
    .values({ nonce, expires_at: expires })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  if (inserted.numInsertedOrUpdatedRows === 0n) throw new ApiError('mfa_wrong');
}
