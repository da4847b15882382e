import type { CloudHttp } from '../http/client.ts';
import { type AccessToken, accessTokenIn } from '../http/token-cache.ts';
import type { FrameioConfig } from './config.ts';
import { signInError } from './errors.ts';

/** Adobe's Identity Management Service. */
export const adobeTokenUrl = 'https://ims-na1.adobelogin.com/ims/token/v3';
/** What Frame.io's own SDK asks for when servers sign in. */
const scope = 'openid,AdobeID,frame.s2s.all';

export interface SignInOptions {
  readonly config: FrameioConfig;
  readonly http: CloudHttp;
  readonly tokenUrl: string;
  readonly now: () => Date;
}

/** Signs in as the service account of a server-to-server credential (RFC 6749 §4.4). No clock takes part in it. */
export function createSignIn({ config, http, tokenUrl, now }: SignInOptions): (signal: AbortSignal) => Promise<AccessToken> {
  const { clientId: client_id, clientSecret: client_secret } = config;
  return async (signal) => {
    const body = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret, scope }).toString();
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const answer = await http.send({ method: 'POST', url: tokenUrl, headers, body }, signal);
    if (answer.status !== 200) throw signInError(answer, now());
    return accessTokenIn(answer.bytes, 'Adobe');
  };
}
