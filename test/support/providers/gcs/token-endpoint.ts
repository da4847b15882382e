import { randomBytes } from 'node:crypto';
import { decodeJwt, decodeProtectedHeader, errors, jwtVerify } from 'jose';
import type { World } from './world.ts';

const audience = 'https://oauth2.googleapis.com/token';
const longestLife = 3600;
/** Seconds by which clocks may differ. */
const tolerance = 300;
const scopes = new Set([
  'https://www.googleapis.com/auth/devstorage.read_write',
  'https://www.googleapis.com/auth/devstorage.full_control',
  'https://www.googleapis.com/auth/cloud-platform',
]);

export interface TokenAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

const refused = (error: string, error_description: string): TokenAnswer => ({ status: 400, body: { error, error_description } });

/** Exchanges a service account's JWT for an access token. */
export async function exchangeToken(world: World, contentType: string, body: string): Promise<TokenAnswer> {
  if (!contentType.startsWith('application/x-www-form-urlencoded')) return refused('invalid_request', 'Bad Request');
  const form = new URLSearchParams(body);
  if (form.get('grant_type') !== 'urn:ietf:params:oauth:grant-type:jwt-bearer') {
    return refused('unsupported_grant_type', 'Invalid grant_type');
  }
  const assertion = form.get('assertion') ?? '';
  const now = Math.floor(world.now().getTime() / 1000);
  try {
    if (decodeProtectedHeader(assertion).alg !== 'RS256') return refused('invalid_grant', 'Invalid JWT Signature.');
    const { iss, aud, iat = 0, exp = 0, scope } = decodeJwt(assertion);
    if (iss !== world.account.email) return refused('invalid_grant', 'Invalid grant: account not found');
    if (world.account.publicKey === null) return refused('invalid_grant', 'Invalid JWT Signature.');
    // Time is judged below, in Google's words.
    await jwtVerify(assertion, world.account.publicKey, { algorithms: ['RS256'], currentDate: new Date(iat * 1000) });
    if (aud !== audience) return refused('invalid_grant', 'Invalid JWT: Failed audience check.');
    if (iat > now + tolerance || exp <= now - tolerance || iat < now - longestLife || exp - iat > longestLife) {
      return refused(
        'invalid_grant',
        'Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. Check your iat and exp values in the JWT claim.',
      );
    }
    if (
      !String(scope ?? '')
        .split(' ')
        .some((one) => scopes.has(one))
    )
      return refused('invalid_scope', 'Invalid OAuth scope or ID token audience provided.');
  } catch (error) {
    if (error instanceof errors.JOSEError || error instanceof TypeError) return refused('invalid_grant', 'Invalid JWT Signature.');
    throw error;
  }
  const token = `ya29.${randomBytes(24).toString('base64url')}`;
  const life = 3599;
  world.tokens.set(token, world.now().getTime() + life * 1000);
  return { status: 200, body: { access_token: token, expires_in: life, token_type: 'Bearer' } };
}
