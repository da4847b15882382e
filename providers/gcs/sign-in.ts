import { SignJWT } from 'jose';
import { ProviderError } from '../errors.ts';
import type { CloudAnswer, CloudHttp } from '../http/client.ts';
import type { AccessToken } from '../http/token-cache.ts';
import type { GcsConfig } from './config.ts';
import { isClockSkew, signInError } from './errors.ts';

/** Google's token endpoint; also the audience of what is sent there. */
export const googleTokenUrl = 'https://oauth2.googleapis.com/token';
const scope = 'https://www.googleapis.com/auth/devstorage.read_write';
/** The longest that Google allows, in seconds. */
const assertionLife = 3600;

export interface SignInOptions {
  readonly config: GcsConfig;
  readonly http: CloudHttp;
  readonly tokenUrl: string;
  readonly now: () => Date;
}

/**
 * Signs in as the service account: a JWT signed with its key is exchanged for an access token. If our clock is refused,
 * it signs once more by the clock of Google's answer, since nobody but the operator could mend it.
 */
export function createSignIn({ config, http, tokenUrl, now }: SignInOptions): (signal: AbortSignal) => Promise<AccessToken> {
  const exchange = async (at: number, signal: AbortSignal): Promise<CloudAnswer> => {
    const issued = Math.floor(at / 1000);
    const assertion = await new SignJWT({ scope })
      .setProtectedHeader({ alg: 'RS256', typ: 'JWT' })
      .setIssuer(config.clientEmail)
      .setAudience(googleTokenUrl)
      .setIssuedAt(issued)
      .setExpirationTime(issued + assertionLife)
      .sign(config.privateKey);
    const body = new URLSearchParams({ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion }).toString();
    return await http.send(
      { method: 'POST', url: tokenUrl, headers: { 'content-type': 'application/x-www-form-urlencoded' }, body },
      signal,
    );
  };

  return async (signal) => {
    let answer = await exchange(now().getTime(), signal);
    const theirs = Date.parse(answer.headers['date'] ?? '');
    if (answer.status === 400 && isClockSkew(answer.bytes) && Number.isFinite(theirs)) answer = await exchange(theirs, signal);
    if (answer.status !== 200) throw signInError(answer, now());
    return tokenIn(answer.bytes);
  };
}

function tokenIn(bytes: Buffer): AccessToken {
  try {
    const { access_token, expires_in } = JSON.parse(bytes.toString()) as { access_token?: unknown; expires_in?: unknown };
    if (typeof access_token === 'string' && access_token !== '') return { value: access_token, life: Number(expires_in ?? 0) * 1000 || 0 };
  } catch {
    // Told below: the body may hold a token.
  }
  throw new ProviderError(
    'bad_answer',
    "Google's sign-in answered without a token. It is tried again; if that goes on, tell the operator.",
  );
}
