import { randomBytes } from 'node:crypto';
import { decodeJwt, decodeProtectedHeader, errors, jwtVerify } from 'jose';
import type { World } from './world.ts';

const audience = 'https://api.box.com/oauth2/token';
const longestLife = 60;

export interface TokenAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

const refused = (error: string, error_description: string): TokenAnswer => ({ status: 400, body: { error, error_description } });

/** Exchanges an app's JWT for an access token. */
export async function exchangeToken(world: World, contentType: string, body: string): Promise<TokenAnswer> {
  if (!contentType.startsWith('application/x-www-form-urlencoded')) return refused('invalid_request', 'Invalid content type');
  const form = new URLSearchParams(body);
  if (form.get('grant_type') !== 'urn:ietf:params:oauth:grant-type:jwt-bearer')
    return refused('unsupported_grant_type', 'Invalid grant_type');
  if (form.get('client_id') !== world.clientId || form.get('client_secret') !== world.clientSecret) {
    return refused('invalid_client', 'The client credentials are invalid');
  }
  const assertion = form.get('assertion') ?? '';
  const now = Math.floor(world.now().getTime() / 1000);
  try {
    const { alg = '', kid } = decodeProtectedHeader(assertion);
    if (!/^RS(256|384|512)$/.test(alg) || kid !== world.publicKeyId || world.publicKey === null) {
      return refused('invalid_grant', "Please check the 'kid' and 'alg' header.");
    }
    const { iss, sub, aud, exp = 0, jti = '', box_sub_type } = decodeJwt(assertion);
    // Time is judged below, in Box's words.
    await jwtVerify(assertion, world.publicKey, { currentDate: new Date((exp - 1) * 1000) });
    if (iss !== world.clientId) return refused('invalid_grant', "Please check the 'iss' claim.");
    if (sub !== world.enterpriseId || box_sub_type !== 'enterprise') return refused('invalid_grant', "Please check the 'sub' claim.");
    if (aud !== audience) return refused('invalid_grant', "Please check the 'aud' claim.");
    if (exp <= now || exp > now + longestLife) return refused('invalid_grant', "Please check the 'exp' claim.");
    if (jti.length < 16 || jti.length > 128 || world.usedIds.has(jti)) return refused('invalid_grant', "Please check the 'jti' claim.");
    world.usedIds.add(jti);
  } catch (error) {
    if (error instanceof errors.JOSEError || error instanceof TypeError)
      return refused('invalid_grant', 'OAuth JWT signature verification failed');
    throw error;
  }
  const token = randomBytes(16).toString('hex');
  const life = 3600;
  world.tokens.set(token, world.now().getTime() + life * 1000);
  return { status: 200, body: { access_token: token, expires_in: life, restricted_to: [], token_type: 'bearer' } };
}
