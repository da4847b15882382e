import { type Static, Type } from 'typebox';
import { limits } from '../limits.ts';
import { defineRoutes } from '../route.ts';
import { DateTime, Email, Id, Literals } from '../schema.ts';
import { AuthResult } from './accounts.ts';
import { Code, PasskeyProof } from './mfa.ts';

/** Sessions of browsers and programs: contract/users-and-auth.md §6. */

export const Session = Type.Object(
  {
    id: Id,
    kind: {
      ...Literals(['browser', 'program']),
      description: '`browser`: signed in on a page of this service. `program`: by `POST /v1/auth`.',
    },
    user_agent: Type.String({ description: 'As the program calls itself.', examples: ['Mozilla/5.0 (X11; Linux x86_64) Chrome/140'] }),
    address: Type.String({ description: 'Where it signed in from.', examples: ['203.0.113.7'] }),
    created_at: DateTime,
    last_seen_at: { ...DateTime, description: 'Of a session in use at most some minutes ago.' },
    expires_at: DateTime,
    current: Type.Boolean({ description: 'Whether it is the one that asks.' }),
    sso_team_id: Type.Optional({ ...Id, description: 'The Team through whose company it signed in. It counts in that Team only.' }),
  },
  { title: 'Session' },
);
export type Session = Static<typeof Session>;

const { teams, user } = AuthResult.properties;
export const SignedInSession = Type.Object({ user, teams, session_id: Id }, { title: 'SignedInSession' });

const common = { tag: 'Accounts', credentials: ['user'] } as const;

export const sessionRoutes = defineRoutes({
  createSession: {
    tag: 'Accounts',
    credentials: ['none'],
    method: 'POST',
    path: '/v1/sessions',
    summary: 'Signs a browser in on a page of this service: the answer sets a cookie. For programs there is POST /v1/auth.',
    body: Type.Object({
      email: Email,
      password: Type.String({ minLength: 1, maxLength: limits.passwordLength.max }),
      code: Type.Optional(Code),
    }),
    reply: { status: 200, body: SignedInSession },
    errors: ['wrong_password', 'mfa_required', 'mfa_wrong'],
    example: { email: 'mia@example.com', password: 'correct horse battery staple' },
  },
  createPasskeySession: {
    tag: 'Accounts',
    credentials: ['none'],
    method: 'POST',
    path: '/v1/sessions/passkey',
    summary: 'Signs a browser in by a passkey alone, on a page of this service: the answer sets a cookie.',
    body: Type.Object({ passkey: PasskeyProof }),
    reply: { status: 200, body: SignedInSession },
    errors: ['mfa_wrong'],
  },
  listSessions: {
    ...common,
    method: 'GET',
    path: '/v1/sessions',
    summary: "A user's own sign-ins that stand today, the one that was used last first.",
    reply: { status: 200, body: Type.Object({ records: Type.Array(Session) }) },
  },
  endSession: {
    ...common,
    method: 'DELETE',
    path: '/v1/sessions/{session_id}',
    summary: 'Ends a sign-in of the user: its cookie or user token is not accepted any more. Of the one that asks, it signs out.',
    params: Type.Object({ session_id: Id }),
    reply: { status: 204 },
    errors: ['not_found'],
  },
  endOtherSessions: {
    ...common,
    method: 'DELETE',
    path: '/v1/sessions',
    summary: 'Ends every sign-in of the user but the one that asks.',
    reply: { status: 200, body: Type.Object({ ended: Type.Integer({ minimum: 0 }) }) },
  },
});
