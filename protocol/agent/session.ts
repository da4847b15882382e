import { type Static, Type } from 'typebox';
import { TeamOfUser } from '../hosted/accounts.ts';
import { Code } from '../hosted/mfa.ts';
import { defineRoutes } from '../route.ts';
import { Email, Id, Secret } from '../schema.ts';

/** Session and Teams of the agent: contract/agent.md §2. */

export const AgentTeam = TeamOfUser;
export type AgentTeam = TeamOfUser;

export const AgentSession = Type.Object(
  {
    user: Type.Object({ email: Type.String(), id: Id, name: Type.String() }),
    teams: Type.Array(AgentTeam),
  },
  { title: 'Session' },
);
export type AgentSession = Static<typeof AgentSession>;

export const sessionRoutes = defineRoutes({
  login: {
    method: 'POST',
    path: '/api/v1/login',
    summary: 'Signs in to the service with e-mail and password.',
    tag: 'Session',
    credentials: ['none'],
    body: Type.Object({ email: Email, password: Secret, code: Type.Optional(Code) }),
    reply: { status: 200, body: AgentSession },
    errors: ['wrong_password', 'mfa_required', 'mfa_wrong', 'service_unreachable'],
    example: { email: 'mia@example.com', password: 'correct horse battery staple' },
  },
  getLogin: {
    method: 'GET',
    path: '/api/v1/login',
    summary: 'The signed-in user and the Teams.',
    tag: 'Session',
    credentials: ['none'],
    reply: { status: 200, body: AgentSession },
    errors: ['session_is_nil'],
  },
  logout: {
    method: 'DELETE',
    path: '/api/v1/login',
    summary: 'Signs out.',
    tag: 'Session',
    credentials: ['none'],
    reply: { status: 204 },
    errors: ['session_is_nil'],
  },
  listTeams: {
    method: 'GET',
    path: '/api/v1/teams',
    summary: 'The Teams of the signed-in user.',
    tag: 'Session',
    credentials: ['none'],
    reply: { status: 200, body: Type.Array(AgentTeam) },
    errors: ['session_is_nil', 'service_unreachable'],
  },
});
