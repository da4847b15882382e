import { ApiError } from '#protocol/errors.ts';
import type { Context } from '../handler.ts';
import type { Actor } from './credential.ts';
import { keyCredential } from './resolve.ts';

/** The caller as it is now: an answer that waits outlives the check of its credential. Errors: those of a credential that is over. */
export async function callerNow(context: Context<Actor>): Promise<Context<Actor>> {
  const { credential, credentials, now } = context;
  if (credential.kind === 'api_key') {
    return { ...context, credential: keyCredential(await credentials.keyNow(credential.keyId), now()) };
  }
  if (credential.sessionId === null) {
    const { userId, version } = credential;
    if (version === undefined || (await credentials.tokenVersion(userId, version)) !== version) {
      throw new ApiError('credential_invalid', { header: 'X-User-Token' });
    }
    return context;
  }
  const session = await credentials.session(credential.sessionId);
  if (session?.userId !== credential.userId || session.expiresAt <= now()) throw new ApiError('credential_invalid', { header: 'Cookie' });
  return context;
}
