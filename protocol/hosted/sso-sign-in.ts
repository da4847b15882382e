import { type Static, Type } from 'typebox';
import { limits } from '../limits.ts';
import { defineRoutes } from '../route.ts';
import { Id, Literals } from '../schema.ts';
import { AuthResult } from './accounts.ts';
import { SignedInSession } from './sessions.ts';
import { ssoRoles } from './sso.ts';

/** Signing in through a company: contract/sso.md §4 to §6. */

const base64Url = (length: number) => Type.String({ pattern: `^[A-Za-z0-9_-]{${length}}$` });

/** A program on the person's own machine that is to be signed in (RFC 8252). */
export const SsoApp = Type.Object(
  {
    redirect_uri: Type.String({
      pattern: '^http://(127\\.0\\.0\\.1|\\[::1\\]):[0-9]{1,5}/[A-Za-z0-9/_-]*$',
      maxLength: 255,
      description: "An address of the machine's own where the program waits.",
      examples: ['http://127.0.0.1:49152/signed-in'],
    }),
    code_challenge: { ...base64Url(43), description: 'PKCE, S256.', examples: ['E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'] },
    state: Type.String({ pattern: '^[A-Za-z0-9_-]{16,128}$', description: 'Comes back as it was.', examples: ['af0ifjsldkj-Xk2b9'] }),
  },
  { title: 'SsoApp' },
);
export type SsoApp = Static<typeof SsoApp>;

export const SsoTrial = Type.Object(
  {
    subject: Type.String(),
    email: Type.String({ description: 'Empty if the provider says none.' }),
    email_verified: Type.Boolean(),
    name: Type.String(),
    groups: Type.Array(Type.String()),
    role: { ...Literals([...ssoRoles, 'none']), description: 'What the groups, and the default role, give somebody new.' },
    problem: Type.String({ description: 'Why this person would not get in. Empty: they would.' }),
  },
  { title: 'SsoTrial' },
);
export type SsoTrial = Static<typeof SsoTrial>;

export const SsoFinished = Type.Object(
  {
    next: Type.String({ description: 'Where the page goes on: a path of this service.' }),
    session: Type.Optional(SignedInSession),
    app_redirect: Type.Optional(Type.String({ description: 'Where a program waits, with its one-time `code` and its `state`.' })),
    trial: Type.Optional(SsoTrial),
  },
  { title: 'SsoFinished' },
);
export type SsoFinished = Static<typeof SsoFinished>;

const common = { tag: 'Single sign-on', credentials: ['none'], method: 'POST' } as const;

export const ssoSignInRoutes = defineRoutes({
  startSso: {
    ...common,
    path: '/v1/sso/start',
    summary: 'Begins a sign-in through a company, on a page of this service: the answer sets a cookie and says where the browser goes on.',
    body: Type.Object({
      company: Type.String({ minLength: 1, maxLength: limits.emailLength, description: 'An e-mail address, or its domain.' }),
      next: Type.Optional(Type.String({ maxLength: 1_024, description: 'Where the person wanted to go: a path of this service.' })),
      app: Type.Optional(SsoApp),
    }),
    reply: { status: 200, body: Type.Object({ url: Type.String() }) },
    errors: ['sso_refused', 'sso_provider_failed'],
    example: { company: 'mia@example.com' },
  },
  finishSso: {
    ...common,
    path: '/v1/sso/finish',
    summary: 'Ends a sign-in through a company with what its provider has answered. Good once, and only in the browser that began it.',
    body: Type.Object({
      team_id: Id,
      answer: Type.String({
        maxLength: 8_192,
        description: "The query of the callback's address, as it came.",
        examples: ['code=…&state=…&iss=…'],
      }),
    }),
    reply: { status: 200, body: SsoFinished },
    errors: ['sso_refused', 'sso_provider_failed', 'team_inactive'],
  },
  exchangeSsoCode: {
    ...common,
    path: '/v1/sso/token',
    summary: 'Exchanges the one-time code of a program for a user token, which counts in one Team only. Good for a minute and once.',
    body: Type.Object({
      code: Type.String({ minLength: 1, maxLength: 4_096 }),
      code_verifier: Type.String({
        pattern: '^[A-Za-z0-9._~-]{43,128}$',
        description: 'PKCE: what the challenge was made of.',
        examples: ['dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'],
      }),
    }),
    reply: { status: 200, body: AuthResult },
    errors: ['sso_refused'],
  },
});
