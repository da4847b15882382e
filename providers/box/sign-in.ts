import { randomUUID } from 'node:crypto';
import { SignJWT } from 'jose';
import type { CloudHttp } from '../http/client.ts';
import { createJwtSignIn } from '../http/jwt-sign-in.ts';
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

/** Signs in as the app's service account. */
export function createSignIn({ config, http, tokenUrl, now }: SignInOptions): (signal: AbortSignal) => Promise<AccessToken> {
  return createJwtSignIn({
    service: 'Box',
    http,
    tokenUrl,
    now,
    fields: { client_id: config.clientId, client_secret: config.clientSecret },
    sign: (issued) =>
      new SignJWT({ box_sub_type: 'enterprise' })
        .setProtectedHeader({ alg: 'RS512', typ: 'JWT', kid: config.publicKeyId })
        .setIssuer(config.clientId)
        .setSubject(config.enterpriseId)
        .setAudience(boxTokenUrl)
        .setJti(randomUUID())
        .setExpirationTime(issued + assertionLife)
        .sign(config.privateKey),
    isClockSkew,
    errorOf: signInError,
  });
}
