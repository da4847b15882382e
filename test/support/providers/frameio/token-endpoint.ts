import { randomBytes } from 'node:crypto';
import type { World } from './world.ts';

interface TokenAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

const refused = (status: number, error: string): TokenAnswer => ({ status, body: { error } });

/** Adobe's sign-in of servers. RULES.md says where each rule is documented. */
export function exchangeToken(world: World, contentType: string, body: string): TokenAnswer {
  if (contentType !== 'application/x-www-form-urlencoded') return refused(400, 'invalid_request');
  const form = new URLSearchParams(body);
  if (form.get('grant_type') !== 'client_credentials') return refused(400, 'unsupported_grant_type');
  if (form.get('client_id') !== world.clientId || form.get('client_secret') !== world.clientSecret) return refused(400, 'invalid_client');
  const scopes = new Set((form.get('scope') ?? '').split(','));
  if (!['openid', 'AdobeID', 'frame.s2s.all'].every((scope) => scopes.has(scope))) return refused(400, 'invalid_scope');
  const token = randomBytes(16).toString('hex');
  const life = 86_399;
  world.tokens.set(token, world.now().getTime() + life * 1000);
  return { status: 200, body: { access_token: token, token_type: 'bearer', expires_in: life } };
}
