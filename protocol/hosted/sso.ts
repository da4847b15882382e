import { type Static, Type } from 'typebox';
import { limits } from '../limits.ts';
import { defineRoutes } from '../route.ts';
import { DateTime, Id, Literals } from '../schema.ts';
import { TeamParams } from './common.ts';

/** A Team's single sign-on by OpenID Connect, as its owners set it: contract/sso.md §1 to §3. */

/** Nobody becomes an owner by what a company's sign-in says. */
export const ssoRoles = ['admin', 'integration_manager', 'member', 'guest'] as const;
export type SsoRole = (typeof ssoRoles)[number];

const Issuer = Type.String({
  minLength: 1,
  maxLength: 2_048,
  description: 'The address of the provider, as its discovery document says it.',
  examples: ['https://login.example.com'],
});
const GroupName = Type.String({ minLength: 1, maxLength: 255, examples: ['production'] });

const SsoGroupRole = Type.Object({ group: GroupName, role: Literals(ssoRoles) }, { title: 'SsoGroupRole' });
export type SsoGroupRole = Static<typeof SsoGroupRole>;

const settings = {
  issuer: Issuer,
  client_id: Type.String({ minLength: 1, maxLength: 255, examples: ['longshore'] }),
  scopes: Type.Array(Type.String({ pattern: '^[\\x21\\x23-\\x5B\\x5D-\\x7E]{1,100}$', examples: ['email'] }), {
    maxItems: 20,
    description: '`openid` is always among them.',
    examples: [['openid', 'email', 'profile', 'groups']],
  }),
  group_claim: Type.String({ maxLength: 100, description: 'The claim with the names of groups. Empty: none.', examples: ['groups'] }),
  group_roles: Type.Array(SsoGroupRole, {
    maxItems: limits.ssoGroups,
    description: 'The role that a group gives. Of several the highest counts. Empty: groups decide nothing.',
  }),
  default_role: {
    ...Literals([...ssoRoles, 'none']),
    description: 'Of whom no group says anything. `none`: they are not let in.',
    examples: ['member'],
  },
  enabled: Type.Boolean({ description: 'Whether members may sign in through the company.' }),
  sso_only: Type.Boolean({ description: 'Whether everybody but owners has to. Takes a sign-in that has worked before.' }),
} as const;

export const SsoConnection = Type.Object(
  {
    ...settings,
    has_client_secret: Type.Boolean(),
    proven_at: { ...DateTime, description: 'When a sign-in has worked last, with this issuer and client.' },
    updated_at: DateTime,
  },
  { title: 'SsoConnection' },
);
export type SsoConnection = Static<typeof SsoConnection>;

export const SsoDomain = Type.Object(
  {
    id: Id,
    domain: Type.String({ examples: ['example.com'] }),
    state: {
      ...Literals(['pending', 'verified', 'missing']),
      description: '`missing`: it was verified, and its record is gone. It counts for three more days.',
    },
    record: Type.Object({
      name: Type.String({ description: 'Where the TXT record belongs.', examples: ['example.com'] }),
      value: Type.String({ examples: ['longshore-verification=3kTM…'] }),
    }),
    verified_at: DateTime,
    checked_at: DateTime,
  },
  { title: 'SsoDomain' },
);
export type SsoDomain = Static<typeof SsoDomain>;

export const Sso = Type.Object(
  {
    connection: Type.Optional(SsoConnection),
    domains: Type.Array(SsoDomain),
    callback_url: Type.String({
      description: 'What the provider is to be told as redirect URI.',
      examples: ['https://files.example.com/sso/callback/0192f0c1-7a3e-7b52-9d6f-3f1f6f1d2c11'],
    }),
  },
  { title: 'Sso' },
);
export type Sso = Static<typeof Sso>;

export const SetSso = Type.Object({
  ...settings,
  client_secret: Type.Optional(
    Type.String({ maxLength: 1_024, description: 'Never answered. Left out: as it is. Empty: none, for a public client.' }),
  ),
  expected_updated_at: Type.Optional({
    ...DateTime,
    description:
      'The `updated_at` of what was read, or `0001-01-01T00:00:00.000Z` where nothing was set. Where it has changed since, nothing is changed.',
  }),
});
export type SetSso = Static<typeof SetSso>;

export const SsoDiscovery = Type.Object(
  {
    issuer: Issuer,
    authorization_endpoint: Type.String(),
    token_endpoint: Type.String(),
    scopes_supported: Type.Array(Type.String()),
    claims_supported: Type.Array(Type.String()),
  },
  { title: 'SsoDiscovery' },
);
export type SsoDiscovery = Static<typeof SsoDiscovery>;

const common = { tag: 'Single sign-on', credentials: ['user'] } as const;
const errors = ['not_found', 'not_allowed', 'team_inactive'] as const;
const DomainParams = Type.Object({ team_id: Id, domain_id: Id });

export const ssoRoutes = defineRoutes({
  getSso: {
    ...common,
    method: 'GET',
    path: '/v1/teams/{team_id}/sso',
    summary: "A Team's single sign-on, with its domains. Owners only, as all that follows.",
    params: TeamParams,
    reply: { status: 200, body: Sso },
    errors,
  },
  setSso: {
    ...common,
    method: 'PUT',
    path: '/v1/teams/{team_id}/sso',
    summary: 'Sets the provider and who gets in. Another issuer or client, and turning it off, end the sessions that came by it.',
    params: TeamParams,
    body: SetSso,
    reply: { status: 200, body: Sso },
    errors: [...errors, 'state_conflict'],
    example: {
      issuer: 'https://login.example.com',
      client_id: 'longshore',
      client_secret: 'x8Vq…',
      scopes: ['openid', 'email', 'profile'],
      group_claim: 'groups',
      group_roles: [{ group: 'production', role: 'admin' }],
      default_role: 'member',
      enabled: true,
      sso_only: false,
    },
  },
  deleteSso: {
    ...common,
    method: 'DELETE',
    path: '/v1/teams/{team_id}/sso',
    summary: 'Removes the provider. The sessions that came by it end; members and domains stay.',
    params: TeamParams,
    reply: { status: 204 },
    errors,
  },
  testSso: {
    ...common,
    method: 'POST',
    path: '/v1/teams/{team_id}/sso/discovery',
    summary: 'Reads the discovery document of an issuer, and stores nothing.',
    params: TeamParams,
    body: Type.Object({ issuer: Issuer }),
    reply: { status: 200, body: SsoDiscovery },
    errors: [...errors, 'sso_provider_failed'],
    example: { issuer: 'https://login.example.com' },
  },
  startSsoTrial: {
    ...common,
    method: 'POST',
    path: '/v1/teams/{team_id}/sso/trial',
    summary: 'Begins a sign-in that signs nobody in, and says at its end who it would have been. Works before single sign-on is enabled.',
    params: TeamParams,
    reply: { status: 200, body: Type.Object({ url: Type.String({ description: 'Where the browser goes on.' }) }) },
    errors: [...errors, 'state_conflict', 'sso_provider_failed'],
  },
  addSsoDomain: {
    ...common,
    method: 'POST',
    path: '/v1/teams/{team_id}/sso/domains',
    summary: 'Adds a domain of e-mail addresses. It counts once its TXT record was found.',
    params: TeamParams,
    body: Type.Object({ domain: Type.String({ minLength: 1, maxLength: 253, examples: ['example.com'] }) }),
    reply: { status: 201, body: SsoDomain },
    errors: [...errors, 'already_exists', 'over_limit'],
    example: { domain: 'example.com' },
  },
  checkSsoDomain: {
    ...common,
    method: 'POST',
    path: '/v1/teams/{team_id}/sso/domains/{domain_id}/check',
    summary: 'Looks for the TXT record of a domain now.',
    params: DomainParams,
    reply: { status: 200, body: SsoDomain },
    errors: [...errors, 'already_exists', 'state_conflict'],
  },
  removeSsoDomain: {
    ...common,
    method: 'DELETE',
    path: '/v1/teams/{team_id}/sso/domains/{domain_id}',
    summary: 'Removes a domain. Who has signed in through the company before goes on doing so.',
    params: DomainParams,
    reply: { status: 204 },
    errors,
  },
});
