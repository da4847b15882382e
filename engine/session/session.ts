import { v7 as uuid } from 'uuid';
import { createHostedClient, type HostedClient } from '#client/hosted.ts';
import type { Fetcher } from '#client/ports.ts';
import type { AgentSession, AgentTeam } from '#protocol/agent/session.ts';
import type { CreateSession, SignedIn } from '#protocol/agent/sessions.ts';
import { ApiError } from '#protocol/errors.ts';
import type { Account } from '#protocol/hosted/accounts.ts';
import { credentialOf, type Entry, isRefusal, sameAccount, sessionFor, viewOf, type WantedSession } from './entry.ts';
import { dropSecret, type Keeping, keepSecret, readKept, writeKept } from './kept.ts';
import { sameService, serviceUrlOf } from './service-url.ts';

/**
 * Who the agent works for: interface §4.11 and §5.7. There may be several sessions, with several services. One of them,
 * with the agent's own service, is the login: it is what `current`, `signIn`, `signOut` and `teams` speak of.
 */
export interface Session {
  /** What is known of the login; `session_is_nil` when there is none, or the service refuses its credential. */
  current(): Promise<AgentSession>;
  /** Signs in to the agent's own service, in place of the login there was. */
  signIn(email: string, password: string): Promise<AgentSession>;
  signOut(): Promise<void>;
  /** Asks the service anew. `session_expired` when the token has just turned out to be over. */
  teams(): Promise<AgentTeam[]>;
  /** All sessions, the login first. */
  all(): SignedIn[];
  /** `all`, and asks their services anew behind it, each at most once a minute. */
  list(): SignedIn[];
  /** One more session; it becomes the login where there is none and it is with the agent's own service. */
  add(request: CreateSession): Promise<SignedIn>;
  remove(id: string): Promise<void>;
  readonly signedIn: boolean;
  /** The session that can send to a Team. `session_is_nil` when nobody is signed in, `not_found` for a Team of nobody's. */
  findFor(teamId: string, sessionId?: string): Promise<{ readonly id: string; readonly serviceUrl: string }>;
  /** The service with the credential of a session that can send to this Team; `session_is_nil` without one. */
  hosted(wanted: WantedSession): SessionClient;
  readonly warnings: readonly string[];
}

export interface SessionClient {
  readonly client: HostedClient;
  /** A call was answered 401: this session is over. Gives the error to show. */
  refused(cause: unknown): Promise<ApiError>;
}

export interface SessionPorts extends Keeping {
  readonly serviceUrl: string;
  readonly apiKey?: string | undefined;
  readonly fetcher: Fetcher;
  readonly now: () => number;
  /** All sessions, whenever one of them has changed; and the login, where it has. */
  readonly changed: (all: SignedIn[], login: { readonly account: AgentSession | null } | null) => void;
}

/** Milliseconds between two looks at a service behind a list. */
const lookAgainAfter = 60_000;

/** Restores the sessions of the last run. An API key that is given is the login as long as the agent runs. */
export async function openSession(ports: SessionPorts): Promise<Session> {
  const { serviceUrl, fetcher, writer } = ports;
  const restored = await readKept(ports);
  let entries: readonly Entry[] = restored.entries;
  let loginId = restored.login;
  if (ports.apiKey) {
    const standing = { state: 'active', secret: ports.apiKey } as const;
    const given: Entry = { id: uuid(), serviceUrl, kind: 'api_key', kept: false, standing, account: null };
    entries = [given, ...entries];
    loginId = given.id;
  }
  const looked = new Map<string, number>();

  const anonymous = (url: string): HostedClient => createHostedClient({ baseUrl: url, fetcher });
  const byId = (id: string | null): Entry | null => entries.find((entry) => entry.id === id) ?? null;
  /** A token is for the service that gave it: with another one as the agent's own, its session is one of several. */
  const login = (): Entry | null => {
    const entry = byId(loginId);
    return entry && sameService(entry.serviceUrl, serviceUrl) ? entry : null;
  };
  const activeLogin = (): Entry => {
    const entry = login();
    if (entry?.standing.state === 'active') return entry;
    const reason = entry?.standing.state === 'ended' ? new Error(entry.standing.reason) : null;
    throw new ApiError('session_is_nil', {}, reason ? { cause: reason } : undefined);
  };
  const refusedKey = (): Entry | null => {
    const entry = login();
    return entry?.standing.state === 'ended' && credentialOf(entry) ? entry : null;
  };

  const all = (): SignedIn[] => {
    const first = login();
    return [...entries].sort((a, b) => Number(b === first) - Number(a === first)).map((entry) => viewOf(entry, entry === first));
  };
  const loginAccount = (): AgentSession | null => {
    const entry = login();
    return entry?.standing.state === 'active' ? entry.account : null;
  };
  let told = JSON.stringify(loginAccount());
  const tell = (): void => {
    const account = loginAccount();
    const news = JSON.stringify(account) !== told;
    told = JSON.stringify(account);
    ports.changed(all(), news ? { account } : null);
  };
  const put = (entry: Entry): void => {
    const known = entries.some(({ id }) => id === entry.id);
    entries = known ? entries.map((one) => (one.id === entry.id ? entry : one)) : [...entries, entry];
    writeKept(ports, { login: loginId, entries });
  };
  const drop = async (id: string): Promise<void> => {
    entries = entries.filter((entry) => entry.id !== id);
    if (loginId === id) loginId = null;
    writeKept(ports, { login: loginId, entries });
    await dropSecret(ports, id);
  };

  const end = async (id: string, cause: unknown): Promise<ApiError> => {
    const reason = cause instanceof Error ? cause : new Error(String(cause));
    const entry = byId(id);
    const user = entry?.kind === 'user';
    if (entry && entry.standing.state === 'active') {
      put({ ...entry, standing: { state: 'ended', secret: user ? null : entry.standing.secret, reason: reason.message } });
      if (user) await dropSecret(ports, id);
      tell();
    }
    return new ApiError(user ? 'session_expired' : 'session_is_nil', {}, { cause: reason });
  };

  /** Asks whose it is. A refused key is asked with too: it may have been activated again. */
  const ask = async (asked: Entry): Promise<AgentSession> => {
    const credential = credentialOf(asked);
    if (!credential) throw new ApiError('session_is_nil');
    looked.set(asked.id, ports.now());
    try {
      const account = sessionOf(await anonymous(asked.serviceUrl).as(credential).call('currentUser', {}));
      const entry = byId(asked.id);
      if (entry?.standing.secret && entry.standing.secret === asked.standing.secret) {
        const news = entry.standing.state === 'ended' || JSON.stringify(account) !== JSON.stringify(entry.account);
        if (news) {
          put({ ...entry, account, standing: { state: 'active', secret: entry.standing.secret } });
          tell();
        }
      }
      return account;
    } catch (cause) {
      throw isRefusal(cause) ? await end(asked.id, cause) : cause;
    }
  };

  /** A session for what was typed in; it is nowhere yet. */
  const begin = async (url: string, request: CreateSession): Promise<Entry> => {
    const { email, password, api_key: key } = request;
    if ((key === undefined) === (email === undefined || password === undefined)) {
      throw new ApiError('invalid_request', { detail: 'Give e-mail and password, or an API key.' });
    }
    const secret = key ?? (await anonymous(url).call('auth', { body: { email: email!, password: password! } })).token;
    const kind = key === undefined ? 'user' : 'api_key';
    const entry: Entry = { id: uuid(), serviceUrl: url, kind, kept: true, standing: { state: 'active', secret }, account: null };
    return { ...entry, account: sessionOf(await anonymous(url).as(credentialOf(entry)!).call('currentUser', {})) };
  };

  /** Puts a session beside the others, in the place of an earlier one of the same account and of those that are named. */
  const settle = async (begun: Entry, asLogin: boolean, instead: Entry | null = null): Promise<Entry> => {
    const former = entries.find((entry) => entry.kept && sameAccount(entry, begun));
    const entry = former ? { ...begun, id: former.id } : begun;
    await keepSecret(ports, entry.id, entry.standing.secret!);
    if (asLogin) loginId = entry.id;
    put(entry);
    looked.set(entry.id, ports.now());
    if (instead && instead.id !== entry.id) await drop(instead.id);
    await writer.committed();
    tell();
    return entry;
  };

  return {
    async current() {
      // A key that was refused is asked with again: it may have been activated since.
      const refused = refusedKey();
      const entry = refused ?? activeLogin();
      if (entry.account && !refused) return entry.account;
      try {
        return await ask(entry);
      } catch (cause) {
        throw cause instanceof ApiError && cause.error === 'session_expired' ? new ApiError('session_is_nil', {}, { cause }) : cause;
      }
    },
    async signIn(email, password) {
      const begun = await begin(serviceUrl, { email, password });
      await settle(begun, true, login());
      return begun.account!;
    },
    async signOut() {
      await drop(activeLogin().id);
      await writer.committed();
      tell();
    },
    async teams() {
      const entry = login();
      if (!entry) throw new ApiError('session_is_nil');
      return (await ask(entry)).teams;
    },
    all,
    list() {
      for (const entry of entries) {
        if (ports.now() - (looked.get(entry.id) ?? Number.NEGATIVE_INFINITY) < lookAgainAfter || !credentialOf(entry)) continue;
        // Whether the service can be reached now is not what was asked.
        ask(entry).catch(() => undefined);
      }
      return all();
    },
    async add(request) {
      const own = request.service_url === undefined || sameService(request.service_url, serviceUrl);
      const url = own ? serviceUrl : serviceUrlOf(request.service_url!);
      if (url === null) {
        throw new ApiError('invalid_request', {
          detail: 'The field service_url is not the address of a service, as https://share.example.com.',
        });
      }
      const entry = await settle(await begin(url, request), own && login()?.standing.state !== 'active');
      return viewOf(entry, entry.id === login()?.id);
    },
    async remove(id) {
      if (!byId(id)) throw new ApiError('not_found', { resource: 'session' });
      await drop(id);
      await writer.committed();
      tell();
    },
    get signedIn() {
      return login()?.standing.state === 'active';
    },
    async findFor(teamId, sessionId) {
      const active = entries.filter(({ standing }) => standing.state === 'active');
      if (sessionId !== undefined && !active.some(({ id }) => id === sessionId)) throw new ApiError('not_found', { resource: 'session' });
      const first = login();
      const asked = active
        .filter(({ id }) => sessionId === undefined || id === sessionId)
        .sort((a, b) => Number(b === first) - Number(a === first));
      if (asked.length === 0) throw new ApiError('session_is_nil');
      let failure: unknown = null;
      for (const entry of asked) {
        try {
          const { teams } = entry.account ?? (await ask(entry));
          if (teams.some(({ id }) => id === teamId)) return { id: entry.id, serviceUrl: entry.serviceUrl };
        } catch (cause) {
          failure ??= cause;
        }
      }
      throw failure ?? new ApiError('not_found', { resource: 'Team' });
    },
    hosted(wanted) {
      const entry = sessionFor(entries, wanted);
      if (!entry) throw new ApiError('session_is_nil');
      return {
        client: anonymous(entry.serviceUrl).as(credentialOf(entry)!),
        refused: (cause) => end(entry.id, cause),
      };
    },
    get warnings() {
      return entries
        .filter(({ kind, standing }) => kind === 'api_key' && standing.state === 'ended')
        .map(({ serviceUrl: url, standing }) => {
          const reason = standing.state === 'ended' ? standing.reason : '';
          return `The service at ${url} does not accept the API key: ${reason}`;
        });
    },
  };
}

function sessionOf({ user, teams }: Account): AgentSession {
  return { user: { email: user.email, id: user.id, name: user.name }, teams };
}
