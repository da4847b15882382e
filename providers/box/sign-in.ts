import { randomUUID } from 'node:crypto';
import { SignJWT } from 'jose';
import { ProviderError } from '../errors.ts';
import type { CloudAnswer, CloudHttp } from '../http/client.ts';
import type { AccessToken } from '../http/token-cache.ts';
import type { BoxConfig } from './config.ts';
import { isClockSkew, signInError } from './errors.ts';

/** Box's token endpoint; also the audience of what is sent there. */
export const boxTokenUrl = 'https://api.box.com/oauth2/token';
/** Seconds; Box allows at most 60. */
const assertionLife = 45;

export interface SignInOptions {
  readonly config: BoxConfig;
  readonly http: CloudHttp;
  readonly tokenUrl: string;
  readonly now: () => Date;
}

/** Signs in as the app's service account. If our clock is refused, it signs once more by the clock of Box's answer. */
export function createSignIn({ config, http, tokenUrl, now }: SignInOptions): (signal: AbortSignal) => Promise<AccessToken> {
  const exchange = async (at: number, signal: AbortSignal): Promise<CloudAnswer> => {
    const assertion = await new SignJWT({ box_sub_type: 'enterprise' })
      .setProtectedHeader({ alg: 'RS512', typ: 'JWT', kid: config.publicKeyId })
      .setIssuer(config.clientId)
      .setSubject(config.enterpriseId)
      .setAudience(boxTokenUrl)
      .setJti(randomUUID())
      .setExpirationTime(Math.floor(at / 1000) + assertionLife)
      .sign(config.privateKey);
    const body = new URLSearchParams({
      grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
      client_id: config.clientId,
      client_secret: config.clientSecret,
      assertion,
    }).toString();
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
  throw new ProviderError('bad_answer', "Box's sign-in answered without a token. It is tried again; if that goes on, tell the operator.");
}
