import { type Static, Type } from 'typebox';
import { limits } from '../limits.ts';
import { mailLanguages } from '../mail-languages.ts';
import { noticeKinds } from '../notices.ts';
import { roles } from '../roles.ts';
import { defineRoutes } from '../route.ts';
import { DateTime, Email, Id, Literals, Name, Secret, Text } from '../schema.ts';
import { Code } from './mfa.ts';

/** Sign-in and API keys: contract/users-and-auth.md §1, contract/api-keys.md §1. */

const ApiKeyState = Literals(['active', 'inactive', 'suspended']);

const apiKeyFields = {
  id: Id,
  name: Type.String({ examples: ['Nightly dailies'] }),
  description: Type.String({ examples: ['The render farm'] }),
  expiry: DateTime,
  state: ApiKeyState,
  created_at: DateTime,
  updated_at: DateTime,
  last_request_at: DateTime,
};
export const ApiKey = Type.Object(apiKeyFields, { title: 'ApiKey' });
export type ApiKey = Static<typeof ApiKey>;

const ListedApiKey = Type.Object(
  {
    ...apiKeyFields,
    created_by: Type.Object(
      { user_id: Id, name: Type.String({ examples: ['Mia Sandberg'] }) },
      { description: 'As whom it acts. Who has left the Team stands here, too.' },
    ),
  },
  { title: 'ListedApiKey' },
);
export type ListedApiKey = Static<typeof ListedApiKey>;

/** Returned only by the create call: the key with its secret. */
export const CreatedApiKey = Type.Object({ ...apiKeyFields, key: { ...Secret, examples: ['ls_…'] } }, { title: 'CreatedApiKey' });
export type CreatedApiKey = Static<typeof CreatedApiKey>;

export const ApiKeyRequest = Type.Object({
  name: Name,
  description: Type.Optional(Text),
  expiry: Type.Optional(DateTime),
  state: Literals(['active', 'inactive']),
});

/** A password that a user chooses. */
export const Password = Type.String({ minLength: limits.passwordLength.min, maxLength: limits.passwordLength.max });

/** A token from a mail; it is part of the path of the calls that accept it. */
export const MailedToken = Type.String({ minLength: 1, maxLength: limits.mailedTokenLength, description: 'As it was mailed.' });

const TeamName = Type.String({ examples: ['Harbour Films'] });
const TeamSubdomain = Type.String({ examples: ['harbour'] });

const AuthTeam = Type.Object({ id: Id, name: TeamName, subdomain: TeamSubdomain });
export const User = Type.Object(
  {
    id: Id,
    email: Type.String(),
    name: Type.String({ examples: ['Mia Sandberg'] }),
    level: Literals(roles),
    preferred_team_id: Type.String(),
    primary_team_id: Type.String(),
    time_zone: Type.String(),
    language: Type.Optional(Literals(mailLanguages, { description: 'Of mail to this user. Absent: not chosen.', examples: ['en'] })),
    operator: Type.Optional(
      Type.Boolean({ description: 'Operates the service (contract/operator.md §1). Absent: does not.', examples: [false] }),
    ),
  },
  { title: 'User' },
);
export const AuthResult = Type.Object({ token: Secret, teams: Type.Array(AuthTeam), user: User }, { title: 'AuthResult' });
export type AuthResult = Static<typeof AuthResult>;

/** A Team as its members see it, with the default values of a sender's options. */
export const TeamOfUser = Type.Object(
  {
    id: Id,
    name: TeamName,
    subdomain: TeamSubdomain,
    custom_expiry_default: Type.Integer({ description: 'Days.', examples: [10] }),
    custom_expiry_enabled: Type.Boolean(),
    download_limit_default: Type.Integer(),
    download_limit_enabled: Type.Boolean(),
    max_email_recipients: Type.Integer({ examples: [500] }),
    chunk_size_default: Type.Optional(Type.Integer({ description: 'Bytes; 0: none.', examples: [0] })),
    max_expiry_days: Type.Optional(Type.Integer({ description: 'The most days that a package can be kept. 0: no limit.', examples: [0] })),
    password_required: Type.Optional(Type.Boolean({ description: 'No link without a password.' })),
    public_links_allowed: Type.Optional(Type.Boolean({ description: 'Whether links may be for nobody in particular.', examples: [true] })),
    verify_recipient_default: Type.Optional(
      Type.Boolean({ description: 'Whether recipients are asked for a mailed code, where a sender says nothing.', examples: [false] }),
    ),
    verify_recipient_required: Type.Optional(Type.Boolean({ description: 'Whether they always are.', examples: [false] })),
    notify_default: Type.Optional(
      Type.Array(Literals(noticeKinds), { description: 'What a sender is told of by mail.', examples: [['downloaded']] }),
    ),
    recipient_domains: Type.Optional(Type.Array(Type.String(), { description: 'Domains of allowed recipients. Empty: any.' })),
  },
  { title: 'Team' },
);
export type TeamOfUser = Static<typeof TeamOfUser>;

/** A Team of whoever asks, with what they may do there. */
const OwnTeam = Type.Object(
  {
    ...TeamOfUser.properties,
    role: { ...Literals(roles), description: 'Of the user in this Team.' },
    branding: Type.Object(
      { primary_color: Type.String({ examples: ['#1f6feb'] }), logo_url: Type.String(), background_url: Type.String() },
      { description: "The Team's, which its Portals have where they have none of their own. Empty: the default." },
    ),
    permissions: Type.Array(Type.String(), {
      description: 'What this role may do in the Team, by the names of contract/conventions.md §10.',
      examples: [['packages.create', 'packages.read']],
    }),
  },
  { title: 'OwnTeam' },
);
export type OwnTeam = Static<typeof OwnTeam>;

export const Account = Type.Object(
  {
    user: User,
    teams: Type.Array(OwnTeam),
    sends_mail: Type.Optional(
      Type.Boolean({ description: 'False: the service has no mail server, and its mails lie in a folder of it.', examples: [true] }),
    ),
    position: Type.Optional(
      Type.String({
        description:
          'To `watch`: what is read after this answer is old only by what the stream of events tells first that is asked for `since` it. Absent where that is not certain.',
        examples: ['019aa1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b.1764237600000'],
      }),
    ),
  },
  { title: 'Account' },
);
export type Account = Static<typeof Account>;

const TeamParams = Type.Object({ team_id: Id });
const KeyParams = Type.Object({ api_key_id: Id });

export const accountRoutes = defineRoutes({
  auth: {
    method: 'POST',
    path: '/v1/auth',
    summary: 'Signs a user in and returns a user token, valid for 30 days.',
    tag: 'Accounts',
    credentials: ['none'],
    body: Type.Object({
      email: Email,
      password: Type.String({ minLength: 1, maxLength: limits.passwordLength.max }),
      code: Type.Optional(Code),
    }),
    reply: { status: 200, body: AuthResult },
    errors: ['wrong_password', 'mfa_required', 'mfa_wrong'],
    example: { email: 'mia@example.com', password: 'correct horse battery staple' },
  },
  requestPasswordReset: {
    method: 'POST',
    path: '/v1/auth/password_reset',
    summary:
      'Mails a way to a new password, good for an hour and once, if the address has a user. The answer is the same, and as fast, whether it has one or not.',
    tag: 'Accounts',
    credentials: ['none'],
    body: Type.Object({ email: Email }),
    reply: { status: 202, body: Type.Object({}) },
    example: { email: 'mia@example.com' },
  },
  resetPassword: {
    method: 'POST',
    path: '/v1/auth/password_reset/{token}',
    summary: 'Chooses a new password by a mailed token. Every token issued to the user before ends. API keys stay.',
    tag: 'Accounts',
    credentials: ['none'],
    params: Type.Object({ token: MailedToken }),
    body: Type.Object({ password: Password }),
    reply: { status: 204 },
    errors: ['not_found', 'token_expired', 'token_used'],
    example: { password: 'four words are easy to keep' },
  },
  currentUser: {
    method: 'GET',
    path: '/v1/users/me',
    summary: 'Who a credential stands for, and the Teams it can use.',
    tag: 'Accounts',
    credentials: ['user', 'api_key'],
    query: Type.Object({
      watch: Type.Optional(
        Type.String({
          maxLength: 64,
          description: 'Id of the Team that is shown next; empty for the preferred one. Asks for `position`.',
        }),
      ),
    }),
    reply: { status: 200, body: Account },
    errors: ['key_suspended'],
  },
  createApiKey: {
    method: 'POST',
    path: '/v1/teams/{team_id}/api_keys',
    summary: 'Makes an API key. Its secret, `key`, is shown in this answer only.',
    tag: 'API keys',
    credentials: ['user'],
    params: TeamParams,
    body: ApiKeyRequest,
    reply: { status: 201, body: CreatedApiKey },
    errors: ['not_found', 'not_allowed', 'team_inactive'],
    example: { name: 'Nightly dailies', description: 'The render farm', state: 'active' },
  },
  updateApiKey: {
    method: 'PUT',
    path: '/v1/api_keys/{api_key_id}',
    summary: 'Changes an API key. The id in the path is the `id`, never the `key`.',
    tag: 'API keys',
    credentials: ['user'],
    params: KeyParams,
    body: ApiKeyRequest,
    reply: { status: 200, body: ApiKey },
    errors: ['not_found', 'not_allowed', 'key_not_changeable'],
    example: { name: 'Nightly dailies', description: 'Paused over the holidays', state: 'inactive' },
  },
  setApiKeyState: {
    method: 'PUT',
    path: '/v1/api_keys/{api_key_id}/{action}',
    summary: 'Activates or deactivates an API key.',
    tag: 'API keys',
    credentials: ['user'],
    params: Type.Object({ api_key_id: Id, action: Literals(['active', 'inactive']) }),
    reply: { status: 204 },
    errors: ['not_found', 'not_allowed', 'key_not_changeable'],
  },
  deleteApiKey: {
    method: 'DELETE',
    path: '/v1/api_keys/{api_key_id}',
    summary: 'Deletes an API key. Requests with it fail from then on.',
    tag: 'API keys',
    credentials: ['user'],
    params: KeyParams,
    reply: { status: 204 },
    errors: ['not_found', 'not_allowed'],
  },
  listApiKeys: {
    method: 'GET',
    path: '/v1/teams/{team_id}/api_keys',
    summary: 'Lists all API keys of a Team, without their secrets, for owners; those that the caller made, for whoever makes some.',
    tag: 'API keys',
    credentials: ['user'],
    params: TeamParams,
    query: Type.Object({ own: Type.Boolean({ default: false, description: 'Only those that the caller made.' }) }),
    reply: { status: 200, body: Type.Array(ListedApiKey) },
    errors: ['not_found', 'not_allowed'],
  },
});
