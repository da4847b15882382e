import { SignJWT } from 'jose';
import type { CloudHttp } from '../http/client.ts';
import { createJwtSignIn } from '../http/jwt-sign-in.ts';
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

/** Signs in as the service account, with its key. */
export function createSignIn({ config, http, tokenUrl, now }: SignInOptions): (signal: AbortSignal) => Promise<AccessToken> {
  return createJwtSignIn({
    service: 'Google',
    http,
    tokenUrl,
    now,
    sign: (issued) =>
      new SignJWT({ scope })
        .setProtectedHeader({ alg: 'RS256', typ: 'JWT' })
        .setIssuer(config.clientEmail)
        .setAudience(googleTokenUrl)
        .setIssuedAt(issued)
        .setExpirationTime(issued + assertionLife)
        .sign(config.privateKey),
    isClockSkew,
    errorOf: signInError,
  });
}
