import { type Static, Type } from 'typebox';
import { Code } from '../hosted/mfa.ts';
import { limits } from '../limits.ts';
import { defineRoutes } from '../route.ts';
import { Email, Id, Literals, Secret } from '../schema.ts';
import { AgentTeam } from './session.ts';

/**
 * All sessions of the agent; it can use several services and accounts at the same time. `/login` covers only the
 * session with the agent's own service: docs/decisions/0025.
 */

export const SignedIn = Type.Object(
  {
    id: Id,
    service_url: Type.String({ examples: ['https://share.example.com'] }),
    kind: Literals(['user', 'api_key'], { description: 'What it began with: e-mail and password, or an API key.' }),
    state: Literals(['active', 'ended'], { description: '`ended`: the service no longer accepts it. Sign in again, or remove it.' }),
    login: Type.Boolean({ description: 'Whether `/login` speaks of this one.' }),
    user: Type.Union([Type.Object({ email: Type.String(), id: Id, name: Type.String() }), Type.Null()], {
      description: 'Null until the service has been asked.',
    }),
    teams: Type.Array(AgentTeam),
  },
  { title: 'SignedIn' },
);
export type SignedIn = Static<typeof SignedIn>;

export const CreateSession = Type.Object({
  service_url: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 2_048,
      description: "The service's address; the agent's own unless given.",
      examples: ['https://share.example.com'],
    }),
  ),
  email: Type.Optional(Email),
  password: Type.Optional({ ...Secret, description: 'With `email`.' }),
  code: Type.Optional(Code),
  sso_code: Type.Optional(
    Type.String({ minLength: 1, maxLength: 4_096, description: 'In their place: the one-time code of a sign-in through a company.' }),
  ),
  sso_verifier: Type.Optional({ ...Secret, description: 'With `sso_code`: the PKCE verifier.' }),
  api_key: Type.Optional(Type.String({ minLength: 1, maxLength: limits.textLength, description: 'Instead of both.', examples: ['…'] })),
});
export type CreateSession = Static<typeof CreateSession>;

const common = { tag: 'Session', credentials: ['none'] } as const;

export const sessionsRoutes = defineRoutes({
  listSessions: {
    ...common,
    method: 'GET',
    path: '/api/v1/sessions',
    summary:
      'Lists the sessions, that of `/login` first. Their services are asked anew behind it, at most once a minute; news comes as an event.',
    reply: { status: 200, body: Type.Array(SignedIn) },
  },
  createSession: {
    ...common,
    method: 'POST',
    path: '/api/v1/sessions',
    summary:
      'Signs in to a service beside the sessions there are, by e-mail and password or by an API key. The same account again takes the place of its former session.',
    body: CreateSession,
    reply: { status: 201, body: SignedIn },
    errors: ['invalid_request', 'wrong_password', 'mfa_required', 'mfa_wrong', 'credential_invalid', 'sso_refused', 'service_unreachable'],
    example: { service_url: 'https://share.example.com', email: 'mia@example.com', password: 'correct horse battery staple' },
  },
  deleteSession: {
    ...common,
    method: 'DELETE',
    path: '/api/v1/sessions/{id}',
    summary: 'Signs out of one session. Uploads that need it wait until somebody signs in again.',
    params: Type.Object({ id: Id }),
    reply: { status: 204 },
    errors: ['not_found'],
  },
});
