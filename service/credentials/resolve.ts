import { credentialSpecs } from '#protocol/credentials.ts';
import { ApiError } from '#protocol/errors.ts';
import type { CredentialKind, Route } from '#protocol/route.ts';
import type { Credential } from './credential.ts';
import type { CredentialFacts } from './facts.ts';
import type { Tokens } from './tokens.ts';

/** What a request shows. Header names in lower case. */
export interface Shown {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly params: Readonly<Record<string, unknown>>;
}

export interface ResolverParts {
  readonly tokens: Tokens;
  readonly credentials: CredentialFacts;
  readonly now: () => Date;
  /** Told which key was used, for its `last_request_at`. */
  readonly keyUsed: (keyId: string, at: Date) => void;
}

/**
 * Turns what a request shows into the one credential that its route takes; where several stand, the one that
 * the route names first. Errors: `credential_missing`, `credential_invalid` (401), `key_suspended` (402),
 * `not_allowed` for a package token of another variant (403), `not_found` for one of another package (404).
 */
export async function resolveCredential(route: Route, shown: Shown, parts: ResolverParts): Promise<Credential> {
  for (const kind of route.credentials) {
    const credential = await resolvers[groupOf(kind)](route, shown, parts);
    if (credential) return credential;
  }
  throw new ApiError('credential_missing', { accepted: acceptedBy(route) });
}

type Group = 'user' | 'api_key' | 'package' | 'transfer' | 'access_code' | 'link' | 'gateway' | 'none';

const groupOf = (kind: CredentialKind): Group => (kind.startsWith('package:') ? 'package' : (kind as Exclude<Group, 'package'>));

/** Null when the request shows nothing of the kind; throws when what it shows does not hold. */
type Resolver = (route: Route, shown: Shown, parts: ResolverParts) => Promise<Credential | null>;

const resolvers: Readonly<Record<Group, Resolver>> = {
  async user(_route, shown, { tokens, credentials }) {
    const token = header(shown, 'user');
    if (token === null) return null;
    const claims = await tokens.verify('user', token);
    if (!claims || (await credentials.tokenVersion(claims.userId, claims.version)) !== claims.version) throw invalid('user');
    return { kind: 'user', userId: claims.userId };
  },

  async api_key(_route, shown, { credentials, now, keyUsed }) {
    const secret = header(shown, 'api_key');
    if (secret === null) return null;
    const key = secret.length <= 256 ? await credentials.key(secret) : null;
    if (!key) throw invalid('api_key');
    if (key.teamState !== 'active') throw new ApiError('key_suspended');
    if (key.state !== 'active' || (key.expiry && key.expiry <= now())) throw invalid('api_key');
    keyUsed(key.keyId, now());
    return { kind: 'api_key', keyId: key.keyId, teamId: key.teamId, userId: key.userId, role: key.role };
  },

  async package(route, shown, { tokens }) {
    const token = header(shown, 'package:manage');
    if (token === null) return null;
    const claims = await tokens.verify('package', token);
    if (!claims) throw invalid('package:manage');
    const packageId = shown.params['package_id'];
    if (packageId !== undefined && packageId !== claims.packageId) throw new ApiError('not_found', { resource: 'package' });
    const kind = `package:${claims.variant}` as const;
    if (!route.credentials.includes(kind)) {
      throw new ApiError('not_allowed', {
        detail: `This call does not take a ${credentialSpecs[kind].label}: it needs ${acceptedBy(route)}.`,
      });
    }
    const { packageId: id, tokenId, linkId, userId } = claims;
    return { kind, packageId: id, tokenId, linkId, userId };
  },

  async transfer(_route, shown, { tokens }) {
    const token = header(shown, 'transfer');
    if (token === null) return null;
    const claims = await tokens.verify('transfer', token);
    if (!claims) throw invalid('transfer');
    const transferId = shown.params['transfer_id'];
    if (transferId !== undefined && transferId !== claims.transferId) throw new ApiError('not_found', { resource: 'transfer' });
    return { kind: 'transfer', ...claims };
  },

  async gateway(_route, shown, { tokens }) {
    const token = header(shown, 'gateway');
    if (token === null) return null;
    const claims = await tokens.verify('gateway', token);
    if (!claims) throw invalid('gateway');
    return { kind: 'gateway', ...claims };
  },

  async access_code(_route, shown) {
    const code = header(shown, 'access_code');
    if (code === null) return null;
    try {
      // It travels URI-encoded, since a header holds no Unicode (interface §4.2).
      return { kind: 'access_code', code: decodeURIComponent(code) };
    } catch {
      throw new ApiError('access_code_wrong');
    }
  },

  async link(_route, shown) {
    const secret = shown.query['secret'];
    if (typeof secret !== 'string' || secret === '') return null;
    const password = shown.headers['x-link-password'];
    return { kind: 'link', secret, password: typeof password === 'string' && password !== '' ? decodePassword(password) : null };
  },

  async none() {
    return { kind: 'none' };
  },
};

/** Passwords may be sent URI-encoded, since a header holds no Unicode; one with a stray `%` stands as it is. */
function decodePassword(sent: string): string {
  try {
    return decodeURIComponent(sent);
  } catch {
    return sent;
  }
}

function header(shown: Shown, kind: CredentialKind): string | null {
  const value = shown.headers[credentialSpecs[kind].header?.toLowerCase() ?? ''];
  return typeof value === 'string' && value !== '' ? value : null;
}

const invalid = (kind: CredentialKind) => new ApiError('credential_invalid', { header: credentialSpecs[kind].header ?? '' });

/** What a route takes, for people: `a user token (X-User-Token) or an API key (X-API-KEY)`. */
function acceptedBy(route: Route): string {
  return route.credentials
    .filter((kind) => kind !== 'none')
    .map((kind) => (kind === 'link' ? 'the `secret` of a link' : `${credentialSpecs[kind].label} in ${credentialSpecs[kind].header}`))
    .join(', or ');
}
