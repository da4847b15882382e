import { type Static, Type } from 'typebox';
import { limits } from '../limits.ts';
import { defineRoutes } from '../route.ts';
import { DateTime, Id, Literals } from '../schema.ts';
import { SignedIn } from './sessions.ts';

/** Signing the agent in through a company, in a browser of the agent's own machine: contract/sso.md §6. */

export const StartSsoSignIn = Type.Object({
  service_url: Type.Optional(
    Type.String({ minLength: 1, maxLength: 2_048, description: "The service's address; the agent's own unless given." }),
  ),
  address: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: limits.emailLength,
      description: 'An e-mail address or its domain, which the browser then need not ask for.',
    }),
  ),
});
export type StartSsoSignIn = Static<typeof StartSsoSignIn>;

export const SsoSignIn = Type.Object(
  {
    id: Id,
    state: Literals(['waiting', 'done', 'failed']),
    url: Type.String({ description: "What a browser of the agent's own machine opens: a page of the service." }),
    expires_at: DateTime,
    session: Type.Optional(SignedIn),
    error: Type.Optional(Type.Object({ code: Type.Integer(), message: Type.String() }, { description: 'Why it failed, as an error is.' })),
  },
  { title: 'SsoSignIn' },
);
export type SsoSignIn = Static<typeof SsoSignIn>;

const common = { tag: 'Session', credentials: ['none'] } as const;

export const ssoSignInsRoutes = defineRoutes({
  startSsoSignIn: {
    ...common,
    method: 'POST',
    path: '/api/v1/sso_sign_ins',
    summary:
      'Begins a sign-in through a company: the agent waits for the browser that opens the address of the answer. The session is added by itself.',
    body: StartSsoSignIn,
    reply: { status: 201, body: SsoSignIn },
    errors: ['invalid_request'],
    example: { address: 'mia@example.com' },
  },
  getSsoSignIn: {
    ...common,
    method: 'GET',
    path: '/api/v1/sso_sign_ins/{id}',
    summary: 'What has become of it.',
    params: Type.Object({ id: Id }),
    reply: { status: 200, body: SsoSignIn },
    errors: ['not_found'],
  },
  cancelSsoSignIn: {
    ...common,
    method: 'DELETE',
    path: '/api/v1/sso_sign_ins/{id}',
    summary: 'Stops waiting for it.',
    params: Type.Object({ id: Id }),
    reply: { status: 204 },
  },
});
