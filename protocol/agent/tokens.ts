import { type Static, Type } from 'typebox';
import { defineRoutes } from '../route.ts';
import { DateTime, Id, Literals, Name } from '../schema.ts';

/** Tokens for applications that call the agent, each with its scopes and a log of its actions: docs/decisions/0027. */

export const tokenScopes = ['read', 'transfer', 'settings', 'all'] as const;
export type TokenScope = (typeof tokenScopes)[number];

const Scopes = Type.Array(Literals(tokenScopes), {
  minItems: 1,
  maxItems: tokenScopes.length,
  uniqueItems: true,
  description:
    '`read`: sees transfers (with the links of what was sent), events, settings and metrics. `transfer`: sends, receives, changes transfers, lists folders. `settings`: changes settings, limits, automations and mounts. `all`: these, signing in and out, and the support bundle. `transfer` and `settings` may read too. No token may make or delete tokens.',
  examples: [['transfer']],
});

const Never = { ...DateTime, examples: ['0001-01-01T00:00:00.000Z'] };

const ofToken = {
  id: Id,
  name: Type.String({ description: 'What people know it by.', examples: ['Render farm'] }),
  scopes: Scopes,
  created_at: DateTime,
  expires_at: { ...Never, description: 'When it ends by itself; unset for never.' },
  last_used_at: { ...Never, description: 'To some seconds; unset until it is used.' },
  revoked_at: { ...Never, description: 'When it was deleted; unset while it is good.' },
};

export const ApplicationToken = Type.Object(ofToken, { title: 'ApplicationToken' });
export type ApplicationToken = Static<typeof ApplicationToken>;

export const NewToken = Type.Object(
  { ...ofToken, token: Type.String({ description: 'Shown this once, and kept nowhere.', examples: ['lst_3q2-7wEr…'] }) },
  { title: 'NewToken' },
);
export type NewToken = Static<typeof NewToken>;

export const CreateToken = Type.Object({ name: Name, scopes: Scopes, expires_at: Type.Optional(DateTime) });
export type CreateToken = Static<typeof CreateToken>;

export const TokenCall = Type.Object(
  {
    method: Type.String({ examples: ['POST'] }),
    path: Type.String({ description: 'Without its query.', examples: ['/api/v1/uploads'] }),
    status: Type.Integer({ description: 'What it was answered.', examples: [201] }),
    address: Type.String({ description: 'Where it came from.', examples: ['192.168.1.20'] }),
    count: Type.Integer({ minimum: 1, description: 'Reading calls that are alike stand together for an hour.', examples: [1] }),
    first_at: DateTime,
    last_at: DateTime,
  },
  { title: 'TokenCall' },
);
export type TokenCall = Static<typeof TokenCall>;

const common = { tag: 'Tokens', credentials: ['none'] } as const;
const params = Type.Object({ id: Id });

export const tokenRoutes = defineRoutes({
  createToken: {
    ...common,
    method: 'POST',
    path: '/api/v1/tokens',
    summary: 'Makes a token for one application, good as `Authorization: Bearer …` on this machine and beyond.',
    body: CreateToken,
    reply: { status: 201, body: NewToken },
    errors: ['over_limit', 'not_allowed'],
    example: { name: 'Render farm', scopes: ['transfer'] },
  },
  listTokens: {
    ...common,
    method: 'GET',
    path: '/api/v1/tokens',
    summary: 'Lists the tokens of applications, the newest first. Deleted ones stay listed for a while.',
    reply: { status: 200, body: Type.Array(ApplicationToken) },
    errors: ['not_allowed'],
  },
  deleteToken: {
    ...common,
    method: 'DELETE',
    path: '/api/v1/tokens/{id}',
    summary: 'Ends a token: its calls are refused from now on, and its event streams end.',
    params,
    reply: { status: 204 },
    errors: ['not_found', 'not_allowed'],
  },
  listTokenCalls: {
    ...common,
    method: 'GET',
    path: '/api/v1/tokens/{id}/calls',
    summary: 'What was done with a token: its last 1,000 calls, the newest first, refused ones too.',
    params,
    reply: { status: 200, body: Type.Array(TokenCall) },
    errors: ['not_found', 'not_allowed'],
  },
});
