import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';
import { percentEncode } from '#protocol/storage/percent.ts';

/**
 * Signed addresses of local storage, except those of single parts (part-address.ts). The signature is HMAC-SHA256 over the
 * method, the key and every field of the query (begin of an upload, expiry, file name), so that no field can be
 * changed, added or removed. It does not cover host and path prefix, since a proxy may be in front.
 */
export type SignedMethod = 'GET' | 'POST' | 'PUT';

type QueryFact = readonly [name: string, value: string];

const signatureName = 'signature';
const expiresName = 'expires';

/**
 * A secret for signatures. Convert it to a key once (`signingKey`) for many signatures: with plain bytes each costs
 * five times as much.
 */
export type SigningSecret = Uint8Array | KeyObject;

export const signingKey = (secret: Uint8Array): KeyObject => createSecretKey(secret);

function sign(secret: SigningSecret, method: SignedMethod, key: string, query: string): string {
  return createHmac('sha256', secret).update(`longshore-storage-1\n${method}\n${key}\n${query}`).digest('base64url');
}

/** Query of a signed address, without `?`. `expiresAt` is rounded down to whole seconds. */
export function signedQuery(
  secret: SigningSecret,
  method: SignedMethod,
  key: string,
  facts: readonly QueryFact[],
  expiresAt: Date,
): string {
  let query = '';
  for (const [name, value] of facts) query += `${name}=${percentEncode(value)}&`;
  query += `${expiresName}=${Math.floor(expiresAt.getTime() / 1000)}`;
  return `${query}&${signatureName}=${sign(secret, method, key, query)}`;
}

type Verdict =
  | { readonly kind: 'valid'; readonly facts: ReadonlyMap<string, string> }
  | { readonly kind: 'invalid' }
  | { readonly kind: 'expired' };

/**
 * Verifies the query of a received request. The signature covers the exact text before it, so reordering counts as
 * tampering. `now` is in milliseconds.
 */
export function verifyQuery(secret: SigningSecret, method: SignedMethod, key: string, query: string, now: number): Verdict {
  const cut = query.lastIndexOf(`&${signatureName}=`);
  if (cut < 0) return { kind: 'invalid' };
  const signed = query.slice(0, cut);
  const given = Buffer.from(query.slice(cut + signatureName.length + 2));
  const expected = Buffer.from(sign(secret, method, key, signed));
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return { kind: 'invalid' };
  const facts = new Map(new URLSearchParams(signed));
  if (!(Number(facts.get(expiresName)) * 1000 > now)) return { kind: 'expired' };
  return { kind: 'valid', facts };
}
