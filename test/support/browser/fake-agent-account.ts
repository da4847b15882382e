import type { AgentSession } from '#protocol/agent/session.ts';
import type { CreateSession, SignedIn } from '#protocol/agent/sessions.ts';
import type { RateLimit, Settings, UpdateSettings } from '#protocol/agent/settings.ts';
import type { ApplicationToken, CreateToken, TokenCall } from '#protocol/agent/tokens.ts';

/** What the fake agent's answers about who uses it, and how, need of it. */
export interface FakeAccount {
  session: AgentSession | null;
  otherSessions: readonly SignedIn[];
  readonly sessions: readonly SignedIn[];
  signIn: (email: string, password: string, request: CreateSession) => AgentSession;
  tellSessions(): void;
  settings: Settings;
  tellSettings(): void;
  readonly rateLimits: { upload: RateLimit; download: RateLimit };
  tokens: readonly ApplicationToken[];
  readonly tokenCalls: readonly TokenCall[];
}

const ownService = 'https://share.example.com';
const never = '0001-01-01T00:00:00.000Z';

/** Answers the calls about sessions, settings and tokens; `undefined` where the call is none of these. */
export function answerAccount(agent: FakeAccount, call: string, body: unknown): { readonly answer: unknown } | undefined {
  switch (call) {
    case 'GET /api/v1/sessions':
      return { answer: agent.sessions };
    case 'POST /api/v1/sessions':
      return { answer: signedIn(agent, body as CreateSession) };
    case 'DELETE /api/v1/sessions/session-1':
      agent.session = null;
      agent.tellSessions();
      return { answer: undefined };
    case 'GET /api/v1/settings':
      return { answer: agent.settings };
    case 'PUT /api/v1/settings':
      agent.settings = { ...agent.settings, ...(body as UpdateSettings) };
      agent.tellSettings();
      return { answer: agent.settings };
    case 'GET /api/v1/settings/upload_rate_limit':
      return { answer: agent.rateLimits.upload };
    case 'GET /api/v1/settings/download_rate_limit':
      return { answer: agent.rateLimits.download };
    case 'PUT /api/v1/settings/upload_rate_limit':
      agent.rateLimits.upload = body as RateLimit;
      return { answer: body };
    case 'PUT /api/v1/settings/download_rate_limit':
      agent.rateLimits.download = body as RateLimit;
      return { answer: body };
    case 'GET /api/v1/tokens':
      return { answer: agent.tokens };
    case 'POST /api/v1/tokens': {
      const made = { id: `token-${agent.tokens.length + 1}`, created_at: '2026-11-20T08:00:00.000Z', expires_at: never };
      const token = { ...made, last_used_at: never, revoked_at: never, ...(body as CreateToken) };
      agent.tokens = [token, ...agent.tokens];
      return { answer: { ...token, token: 'lst_shown-this-once' } };
    }
  }
  const [, sessionId] = /^DELETE \/api\/v1\/sessions\/([^/]+)$/.exec(call) ?? [];
  if (sessionId !== undefined) {
    agent.otherSessions = agent.otherSessions.filter(({ id }) => id !== sessionId);
    agent.tellSessions();
    return { answer: undefined };
  }
  const [, verb, tokenId, calls] = /^(GET|DELETE) \/api\/v1\/tokens\/([^/]+)(\/calls)?$/.exec(call) ?? [];
  if (calls) return { answer: agent.tokenCalls };
  if (verb !== 'DELETE') return undefined;
  agent.tokens = agent.tokens.map((one) => (one.id === tokenId ? { ...one, revoked_at: '2026-11-20T09:00:00.000Z' } : one));
  return { answer: undefined };
}

/** The first one at its own service is the agent's; any other stands beside it. */
function signedIn(agent: FakeAccount, request: CreateSession): SignedIn | undefined {
  const begun = agent.signIn(request.email ?? '', request.password ?? '', request);
  const service_url = request.service_url ?? ownService;
  if (service_url === ownService && !agent.session) agent.session = begun;
  else {
    const kind = request.api_key === undefined ? 'user' : 'api_key';
    const others = agent.otherSessions.filter(({ user }) => user?.id !== begun.user.id);
    agent.otherSessions = [...others, { id: `session-${begun.user.id}`, service_url, kind, state: 'active', login: false, ...begun }];
  }
  agent.tellSessions();
  return agent.sessions.find(({ user }) => user?.id === begun.user.id);
}
