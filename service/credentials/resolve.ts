import { isUtf8 } from 'node:buffer';
import { credentialSpecs } from '#protocol/credentials.ts';
import { ApiError } from '#protocol/errors.ts';
import type { CredentialKind, Route } from '#protocol/route.ts';
import type { PackagePermissions } from '../packages/package-permissions.ts';
import { type SessionSecret, secretMatches } from '../sessions/session-cookie.ts';
import { isIdle } from '../sessions/sessions.ts';
import type { Credential, CredentialOf } from './credential.ts';
import type { ApiKeyFacts, CredentialCache } from './credential-cache.ts';
import type { CredentialUsage } from './credential-usage.ts';
import type { Tokens } from './tokens.ts';

/** The credentials in a request. Header names in lower case. */
export interface PresentedCredentials {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly params: Readonly<Record<string, unknown>>;
  /** The cookie of a browser's session, if a page of the service sends it (sessions/own-page.ts). */
  readonly session: SessionSecret | null;
}

interface ResolverParts {
  readonly tokens: Tokens;
  readonly credentials: CredentialCache;
  readonly now: () => Date;
  /** Called with the key or session that was used, for the time of its last request. */
  readonly usage: Pick<CredentialUsage, 'keyUsed' | 'sessionUsed'>;
}

/**
 * Resolves a request's headers into the one credential that its route accepts. If there are several, the one that the
 * route names first is used. Errors: `credential_missing`, `credential_invalid` (401), `key_suspended` (402),
 * `not_allowed` for a package token of another variant, or whose user has lost the permission (403), `not_found` for
 * one of another package (404), `team_inactive` for tokens of a suspended Team's packages, except those of recipients
 * (402).
 */
export async function resolveCredential(route: Route, presented: PresentedCredentials, parts: ResolverParts): Promise<Credential> {
  for (const kind of route.credentials) {
    const credential = await resolvers[resolverNameOf(kind)](route, presented, parts);
    if (credential) return credential;
  }
  throw new ApiError('credential_missing', { accepted: acceptedBy(route) });
}

type ResolverName = 'user' | 'api_key' | 'package' | 'transfer' | 'access_code' | 'link' | 'gateway' | 'none';

/** Variants of a token share a header: `package:read` is resolved as `package`. */
const resolverNameOf = (kind: CredentialKind): ResolverName => kind.split(':')[0] as ResolverName;

/** Null when the request has no credential of this kind; throws when it has an invalid one. */
type Resolver = (route: Route, presented: PresentedCredentials, parts: ResolverParts) => Promise<Credential | null>;

const resolvers: Readonly<Record<ResolverName, Resolver>> = {
  async user(_route, presented, parts) {
    const { tokens, credentials, now, usage } = parts;
    const token = header(presented, 'user');
    if (token === null) return await browserSession(presented, parts);
    const claims = await tokens.verify('user', token);
    if (!claims || (await credentials.tokenVersion(claims.userId, claims.version)) !== claims.version) throw invalid('user');
    const { userId, sessionId } = claims;
    // A token that was signed by an earlier version of the service has no session.
    if (sessionId === undefined) return { kind: 'user', userId, sessionId: null, version: claims.version, ssoTeamId: null };
    const session = await credentials.session(sessionId);
    if (session?.userId !== userId) throw invalid('user');
    usage.sessionUsed(sessionId, now());
    return { kind: 'user', userId, sessionId, ssoTeamId: session.ssoTeamId };
  },

  async api_key(_route, presented, { credentials, now, usage }) {
    const secret = header(presented, 'api_key');
    if (secret === null) return null;
    const key = secret.length <= 256 ? await credentials.key(secret) : null;
    const credential = keyCredential(key, now());
    usage.keyUsed(credential.keyId, now());
    return credential;
  },

  async package(route, presented, { tokens, credentials }) {
    const token = header(presented, 'package:manage');
    if (token === null) return null;
    const claims = await tokens.verify('package', token);
    if (!claims) throw invalid('package:manage');
    const packageId = presented.params['package_id'];
    if (packageId !== undefined && packageId !== claims.packageId) throw new ApiError('not_found', { resource: 'package' });
    const kind = `package:${claims.variant}` as const;
    if (!route.credentials.includes(kind)) throw wrongVariant(route, kind);
    const { packageId: id, tokenId, linkId, userId } = claims;
    // A recipient's token is valid only as long as its link; the handlers check that (packages/access.ts,
    // files/offer-download.ts).
    if (linkId === null) requirePackagePermissions(await credentials.packagePermissions(id, userId), claims.variant, userId);
    const task = claims.task ? await credentials.task(claims.task) : null;
    if (claims.task && !task) throw invalid('package:manage');
    return { kind, packageId: id, tokenId, linkId, userId, verified: claims.verified === true, task, token };
  },

  async transfer(route, presented, { tokens, credentials }) {
    const token = header(presented, 'transfer');
    if (token === null) return null;
    const claims = await tokens.verify('transfer', token);
    if (!claims) throw invalid('transfer');
    const kind = claims.taskId === undefined ? 'transfer' : 'transfer:report';
    if (!route.credentials.includes(kind)) throw wrongVariant(route, kind);
    const transferId = presented.params['transfer_id'];
    if (transferId !== undefined && transferId !== claims.transferId) throw new ApiError('not_found', { resource: 'transfer' });
    const permissions = await credentials.packagePermissions(claims.packageId, null);
    if (!permissions) throw new ApiError('not_found', { resource: 'transfer' });
    if (!claims.recipient && permissions.teamState !== 'active') throw new ApiError('team_inactive');
    const { transferId: id, packageId, taskId } = claims;
    if (taskId !== undefined) return { kind: 'transfer:report', transferId: id, packageId, taskId };
    return { kind: 'transfer', transferId: id, packageId, token };
  },

  async gateway(_route, presented, { tokens, credentials }) {
    const token = header(presented, 'gateway');
    if (token === null) return null;
    const claims = await tokens.verify('gateway', token);
    const facts = claims && (await credentials.gateway(claims.gatewayId));
    if (!facts) throw invalid('gateway');
    if (facts.teamState !== 'active') throw new ApiError('team_inactive');
    const gatewayId = presented.params['storage_gateway_id'];
    if (gatewayId !== undefined && gatewayId !== claims.gatewayId) throw new ApiError('not_found', { resource: 'storage gateway' });
    return { kind: 'gateway', gatewayId: claims.gatewayId, teamId: facts.teamId };
  },

  async access_code(_route, presented) {
    const code = header(presented, 'access_code');
    return code === null ? null : { kind: 'access_code', codes: possibleDecodings(code) };
  },

  async link(_route, presented) {
    const secret = presented.query['secret'];
    if (typeof secret !== 'string' || secret === '') return null;
    const password = presented.headers['x-link-password'];
    const code = presented.headers['x-link-code'];
    return {
      kind: 'link',
      secret,
      passwords: typeof password === 'string' && password !== '' ? possibleDecodings(password) : [],
      code: typeof code === 'string' ? code : '',
    };
  },

  async none() {
    return { kind: 'none' };
  },
};

/** What a key stands for. Errors: `credential_invalid` for one that is over, `key_suspended` (402). */
export function keyCredential(key: ApiKeyFacts | null, now: Date): CredentialOf<'api_key'> {
  if (!key) throw invalid('api_key');
  if (key.teamState !== 'active') throw new ApiError('key_suspended');
  if (key.state !== 'active' || (key.expiry && key.expiry <= now)) throw invalid('api_key');
  return { kind: 'api_key', keyId: key.keyId, teamId: key.teamId, userId: key.userId, role: key.role };
}

/** The user of a browser's session; null without a cookie. Errors: `credential_invalid` for one that is over. */
async function browserSession({ session }: PresentedCredentials, { credentials, now, usage }: ResolverParts): Promise<Credential | null> {
  if (session === null) return null;
  const facts = await credentials.session(session.sessionId);
  const isOver = !facts?.secretHash || facts.expiresAt <= now() || isIdle(facts.kind, facts.lastSeenAt, now());
  if (isOver || !secretMatches(session.secret, facts.secretHash)) throw new ApiError('credential_invalid', { header: 'Cookie' });
  usage.sessionUsed(session.sessionId, now());
  return { kind: 'user', userId: facts.userId, sessionId: session.sessionId, ssoTeamId: facts.ssoTeamId };
}

/**
 * A token outlives a change of role, the end of a membership and a suspension, so each call checks the current
 * permissions of its user. Errors: `not_found`, `not_allowed`, `team_inactive` (402).
 */
function requirePackagePermissions(
  permissions: PackagePermissions | null,
  variant: 'write' | 'read' | 'manage',
  userId: string | null,
): void {
  // Management requires a user: without one there are no permissions to check.
  if (!permissions || (variant === 'manage' && userId === null)) throw new ApiError('not_found', { resource: 'package' });
  if (userId !== null && !(variant === 'read' ? permissions.maySee : permissions.mayManage)) {
    const action = variant === 'read' ? 'see' : 'manage';
    throw new ApiError('not_allowed', { detail: `The user who got this package token may not ${action} the package any more.` });
  }
  if (permissions.teamState !== 'active') throw new ApiError('team_inactive');
}

function header(presented: PresentedCredentials, kind: CredentialKind): string | null {
  const value = presented.headers[credentialSpecs[kind].header?.toLowerCase() ?? ''];
  return typeof value === 'string' && value !== '' ? value : null;
}

const invalid = (kind: CredentialKind) => new ApiError('credential_invalid', { header: credentialSpecs[kind].header ?? '' });

const wrongVariant = (route: Route, kind: CredentialKind): ApiError =>
  new ApiError('not_allowed', { detail: `This call does not take a ${credentialSpecs[kind].label}: it needs ${acceptedBy(route)}.` });

/** The credentials that a route accepts, for people: `a user token (X-User-Token) or an API key (X-API-KEY)`. */
function acceptedBy(route: Route): string {
  return route.credentials
    .filter((kind) => kind !== 'none')
    .map((kind) => (kind === 'link' ? 'the `secret` of a link' : `${credentialSpecs[kind].label} in ${credentialSpecs[kind].header}`))
    .join(', or ');
}

/**
 * The possible decodings of a text in a header, without duplicates: as sent, and URI-decoded. Clients should encode,
 * since a header cannot contain Unicode, but not all of them do: `100%41` may be the literal text that a person
 * chose, and raw UTF-8 is received here as one character per byte.
 */
function possibleDecodings(sent: string): readonly string[] {
  const bytes = Buffer.from(sent, 'latin1');
  const text = isUtf8(bytes) ? bytes.toString() : sent;
  return [...new Set([sent, text, decoded(text)])];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
