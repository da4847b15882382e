import { createHmac, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import { jwtVerify } from 'jose';
import { LRUCache } from 'lru-cache';
import { maxEntries } from '#net/lru-size.ts';
import { limits } from '#protocol/limits.ts';
import type { SsoFlow } from '../sso/flow.ts';
import type { ZipFlavour } from '../zips/names.ts';

/** A task of a storage gateway: the lease of a transfer. */
export interface TaskClaim {
  readonly taskId: string;
  readonly transferId: string;
}

/** The content of a token of each kind. Ids only; times are in the token itself. */
export interface TokenClaims {
  user: {
    readonly userId: string;
    readonly version: number;
    /** The session that it belongs to, and ends with. Tokens of earlier versions of the service have none. */
    readonly sessionId?: string;
  };
  package: {
    readonly packageId: string;
    readonly variant: 'write' | 'read' | 'manage';
    /** The token's own id: a link's downloads are counted by it. */
    readonly tokenId: string;
    /** Read tokens: the link that was opened. */
    readonly linkId: string | null;
    /** Management tokens: the user it was issued to. */
    readonly userId: string | null;
    /** Of a link that asks for a code: whoever got it proved that the link's address is theirs. */
    readonly verified?: true;
    /** The token of a storage gateway's task, which it ends with. */
    readonly task?: TaskClaim;
  };
  transfer: {
    readonly transferId: string;
    readonly packageId: string;
    /** The task of a storage gateway, which it ends with; a person's token has none. */
    readonly taskId?: string;
    /** Of whoever started it through a link, with credentials of their own: it goes on while the Team is inactive. */
    readonly recipient?: true;
  };
  gateway: { readonly gatewayId: string };
  /** Opens a link again without another code: its holder gave one before. */
  link_proof: { readonly linkId: string };
  /** What a browser signs with a passkey: good for one new passkey of a user, or for one proof of any. */
  challenge: { readonly nonce: string; readonly purpose: 'add' | 'prove'; readonly userId: string | null };
  /** A sign-in through a company that has begun, in the cookie of the browser that began it. */
  sso: SsoFlow;
  /** What a program exchanges for a user token once its person has signed in through their company. */
  sso_code: {
    readonly nonce: string;
    readonly userId: string;
    readonly version: number;
    readonly teamId: string;
    /** Of the connection that they came by (schema/sso.ts). */
    readonly revision: string;
    /** PKCE, S256. */
    readonly challenge: string;
  };
  /** One zip of a package, for the visitor of a link. */
  zip: {
    readonly packageId: string;
    readonly flavour: ZipFlavour;
    readonly linkId: string;
    /** Of a choice: which records (zips/selection.ts). */
    readonly chosen?: string;
    /** Of the zip, where it is not the package's. */
    readonly name?: string;
  };
}

export type TokenKind = keyof TokenClaims;

/** Signs and verifies the service's JSON Web Tokens (contract/signing.md §1). */
export interface Tokens {
  /** Signs a token that expires at `expiresAt`, by default after the kind's usual lifetime. */
  sign<K extends TokenKind>(kind: K, claims: TokenClaims[K], expiresAt?: Date): Promise<string>;
  /** The claims, or null for a token that is malformed, expired, or of another kind or service. */
  verify<K extends TokenKind>(kind: K, token: string): Promise<TokenClaims[K] | null>;
}

const day = 24 * 3600;
/** Lifetime of each kind of token, in seconds. */
const lifetimes: Readonly<Record<TokenKind, number>> = {
  user: limits.userTokenSeconds,
  package: 30 * day,
  transfer: 30 * day,
  gateway: 10 * 365 * day,
  link_proof: limits.linkProofSeconds,
  zip: limits.downloadUrlDefaultSeconds,
  challenge: limits.passkeyChallengeSeconds,
  sso: limits.ssoFlowSeconds,
  sso_code: limits.ssoCodeSeconds,
};

const maxTokenLength = 4_096;

const encoded = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');

/** When a token ends. It must have been verified before: this only reads it. */
export function tokenExpiry(token: string): Date {
  const { exp } = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as { readonly exp: number };
  return new Date(exp * 1000);
}

interface Verified {
  readonly claims: unknown;
  /** Milliseconds since 1970. */
  readonly until: number;
}

/**
 * Tokens signed with keys derived from the service's secret. Each kind has its own key, `typ` and audience, so that
 * one can never be used as another. Verified tokens are cached (bounded), since an upload sends the same one with
 * every call; their expiry is still checked each time.
 */
export function createTokens(secret: Uint8Array, now: () => Date): Tokens {
  const keyOf = (kind: TokenKind) => createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', `longshore token ${kind}`, 32)));
  const keys: Record<TokenKind, KeyObject> = {
    user: keyOf('user'),
    package: keyOf('package'),
    transfer: keyOf('transfer'),
    gateway: keyOf('gateway'),
    link_proof: keyOf('link_proof'),
    zip: keyOf('zip'),
    challenge: keyOf('challenge'),
    sso: keyOf('sso'),
    sso_code: keyOf('sso_code'),
  };
  const headerOf = (kind: TokenKind) => encoded({ alg: 'HS256', typ: `${kind}+jwt` });
  const headers: Record<TokenKind, string> = {
    user: headerOf('user'),
    package: headerOf('package'),
    transfer: headerOf('transfer'),
    gateway: headerOf('gateway'),
    link_proof: headerOf('link_proof'),
    zip: headerOf('zip'),
    challenge: headerOf('challenge'),
    sso: headerOf('sso'),
    sso_code: headerOf('sso_code'),
  };
  const verified: Record<TokenKind, LRUCache<string, Verified>> = {
    user: new LRUCache({ max: 1_000 }),
    package: new LRUCache(maxEntries(10_000)),
    transfer: new LRUCache({ max: 1_000 }),
    gateway: new LRUCache(maxEntries(10_000)),
    link_proof: new LRUCache({ max: 1_000 }),
    zip: new LRUCache({ max: 1_000 }),
    challenge: new LRUCache({ max: 100 }),
    sso: new LRUCache({ max: 100 }),
    sso_code: new LRUCache({ max: 100 }),
  };
  return {
    async sign(kind, claims, expiresAt) {
      const issued = Math.floor(now().getTime() / 1000);
      const until = expiresAt ? Math.floor(expiresAt.getTime() / 1000) : issued + lifetimes[kind];
      // jose signs on WebCrypto's threads, which takes six times as long: a page of a list has 50 tokens.
      const signed = `${headers[kind]}.${encoded({ claims, aud: `longshore:${kind}`, iat: issued, exp: until })}`;
      return `${signed}.${createHmac('sha256', keys[kind]).update(signed).digest('base64url')}`;
    },
    async verify<K extends TokenKind>(kind: K, token: string): Promise<TokenClaims[K] | null> {
      if (token.length > maxTokenLength) return null;
      const known = verified[kind].get(token);
      if (known) return known.until > now().getTime() ? (known.claims as TokenClaims[K]) : null;
      try {
        const { payload } = await jwtVerify(token, keys[kind], {
          algorithms: ['HS256'],
          typ: `${kind}+jwt`,
          audience: `longshore:${kind}`,
          currentDate: now(),
          requiredClaims: ['exp', 'claims'],
        });
        verified[kind].set(token, { claims: payload['claims'], until: payload.exp! * 1000 });
        return payload['claims'] as TokenClaims[K];
      } catch {
        // All failures give the same result: a token that cannot be verified proves nothing.
        return null;
      }
    },
  };
}
