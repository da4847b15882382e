import { createHmac, randomBytes } from 'node:crypto';
import { v7 as uuid } from 'uuid';
import { refusesCredential } from '#client/faults.ts';
import { createHostedClient, type HostedClient } from '#client/hosted.ts';
import type { Fetcher } from '#client/ports.ts';
import type { CreateApiKey } from '#protocol/agent/api-keys.ts';
import type { AgentSession, AgentTeam } from '#protocol/agent/session.ts';
import type { CreateSession, SignedIn } from '#protocol/agent/sessions.ts';
import { AgentError, ApiError } from '#protocol/errors.ts';
import type { Account, CreatedApiKey } from '#protocol/hosted/accounts.ts';
import { createApiKey } from './create-api-key.ts';
import { deleteSecret, readSessions, type SessionStorage, saveSecret, writeSessions } from './saved-sessions.ts';
import { sameService, serviceUrlOf } from './service-url.ts';
import { credentialOf, type SessionEntry, sameAccount, sessionFor, viewOf, type WantedSession } from './session-entry.ts';

/**
 * Who the agent works for (contract/agent.md §2). There may be several sessions, with several services. One of them,
 * with the agent's own service, is the login: `current`, `signIn`, `signOut` and `teams` refer to it.
 */
export interface Session {
  /** The account of the login; `session_is_nil` when there is none, or the service refuses its credential. */
  current(): Promise<AgentSession>;
  /** Signs in to the agent's own service, and replaces the previous login. */
  signIn(email: string, password: string, code?: string): Promise<AgentSession>;
  signOut(): Promise<void>;
  /** Reads them from the service. `session_expired` if the service no longer accepts the token. */
  teams(): Promise<AgentTeam[]>;
  /** All sessions, the login first. */
  all(): SignedIn[];
  /** `all`; also refreshes from the services in the background, each at most once a minute. */
  list(): SignedIn[];
  /** Adds a session; it becomes the login if there is none and it is with the agent's own service. */
  add(request: CreateSession): Promise<SignedIn>;
  remove(id: string): Promise<void>;
  /** An API key of the user of a session by e-mail. `not_allowed` where there are sessions by API keys only. */
  createApiKey(request: CreateApiKey): Promise<CreatedApiKey>;
  readonly signedIn: boolean;
  /** The session that can send to a Team. `session_is_nil` when nobody is signed in, `not_found` if no session is in the Team. */
  findFor(teamId: string, sessionId?: string): Promise<{ readonly id: string; readonly serviceUrl: string }>;
  /**
   * The service with the credential of a session that can send to this Team; `session_is_nil` without one.
   *
   * @param fetcher in place of the usual one
   */
  hosted(wanted: WantedSession, fetcher?: Fetcher): SessionClient;
  readonly warnings: readonly string[];
  /** Whether this may become one of `warnings`: of a key that was given with the start, which its service was not asked about yet. */
  readonly mayWarn: (warning: string) => boolean;
}

interface SessionClient {
  readonly client: HostedClient;
  /** To be called after a 401: ends this session and returns the error to show. */
  refused(cause: unknown): Promise<ApiError>;
}

interface SessionPorts extends SessionStorage {
  readonly serviceUrl: string;
  readonly apiKey?: string | undefined;
  readonly fetcher: Fetcher;
  readonly now: () => number;
  /** Called after each change with all sessions, and with the login if it changed. */
  readonly changed: (all: SignedIn[], login: { readonly account: AgentSession | null } | null) => void;
}

/** Milliseconds between two background refreshes from a service. */
const refreshInterval = 60_000;

/** Restores the sessions of the last run. A given API key is the login as long as the agent runs. */
export async function openSession(ports: SessionPorts): Promise<Session> {
  const { serviceUrl, fetcher, writer } = ports;
  const restored = await readSessions(ports);
  let entries: readonly SessionEntry[] = restored.entries;
  let loginId = restored.login;
  if (ports.apiKey) {
    const status = { state: 'active', secret: ports.apiKey } as const;
    const given: SessionEntry = { id: uuid(), serviceUrl, kind: 'api_key', isSaved: false, status, account: null };
    entries = [given, ...entries];
    loginId = given.id;
  }
  const askedAt = new Map<string, number>();

  const anonymous = (url: string, by = fetcher): HostedClient => createHostedClient({ baseUrl: url, fetcher: by });
  const byId = (id: string | null): SessionEntry | null => entries.find((entry) => entry.id === id) ?? null;
  /** A token belongs to the service that issued it: if the agent's own service changes, its session is no longer the login. */
  const login = (): SessionEntry | null => {
    const entry = byId(loginId);
    return entry && sameService(entry.serviceUrl, serviceUrl) ? entry : null;
  };
  const activeLogin = (): SessionEntry => {
    const entry = login();
    if (entry?.status.state === 'active') return entry;
    const reason = entry?.status.state === 'ended' ? new Error(entry.status.reason) : null;
    throw new AgentError('session_is_nil', {}, reason ? { cause: reason } : undefined);
  };
  const refusedKey = (): SessionEntry | null => {
    const entry = login();
    return entry?.status.state === 'ended' && credentialOf(entry) ? entry : null;
  };

  const all = (): SignedIn[] => {
    const first = login();
    return [...entries].sort((a, b) => Number(b === first) - Number(a === first)).map((entry) => viewOf(entry, entry === first));
  };
  const loginAccount = (): AgentSession | null => {
    const entry = login();
    return entry?.status.state === 'active' ? entry.account : null;
  };
  let lastNotified = JSON.stringify(loginAccount());
  const notify = (): void => {
    const account = loginAccount();
    const hasChanged = JSON.stringify(account) !== lastNotified;
    lastNotified = JSON.stringify(account);
    ports.changed(all(), hasChanged ? { account } : null);
  };
  /** Counts changes, to detect that data being read meanwhile is stale. */
  let changes = 0;
  const save = (entry: SessionEntry): void => {
    changes++;
    const known = entries.some(({ id }) => id === entry.id);
    entries = known ? entries.map((one) => (one.id === entry.id ? entry : one)) : [...entries, entry];
    writeSessions(ports, { login: loginId, entries });
  };
  const removeSession = async (id: string): Promise<void> => {
    changes++;
    entries = entries.filter((entry) => entry.id !== id);
    if (loginId === id) loginId = null;
    writeSessions(ports, { login: loginId, entries });
    await deleteSecret(ports, id);
  };

  /** After a lost batch: reads the sessions again, as at the start. */
  const reload = async (): Promise<void> => {
    for (let before = -1; before !== changes; ) {
      before = changes;
      const saved = await readSessions(ports).catch(() => null);
      if (!saved || before !== changes) continue;
      const given = entries.filter((entry) => !entry.isSaved);
      if (!given.some(({ id }) => id === loginId)) loginId = saved.login;
      entries = [...given, ...saved.entries];
      notify();
    }
  };
  writer.onEnd((lost) => {
    if (lost) void reload();
  });

  const endSession = async (id: string, cause: unknown): Promise<ApiError> => {
    const reason = cause instanceof Error ? cause : new Error(String(cause));
    const entry = byId(id);
    const user = entry?.kind === 'user';
    if (entry && entry.status.state === 'active') {
      save({ ...entry, status: { state: 'ended', secret: user ? null : entry.status.secret, reason: reason.message } });
      if (user) await deleteSecret(ports, id);
      notify();
    }
    return new AgentError(user ? 'session_expired' : 'session_is_nil', {}, { cause: reason });
  };

  /** Asks for the account. A refused key is tried too: it may have been activated again. */
  const fetchAccount = async (asked: SessionEntry): Promise<AgentSession> => {
    const credential = credentialOf(asked);
    if (!credential) throw new AgentError('session_is_nil');
    askedAt.set(asked.id, ports.now());
    try {
      const account = sessionOf(await anonymous(asked.serviceUrl).as(credential).call('currentUser', {}));
      const entry = byId(asked.id);
      if (entry?.status.secret && entry.status.secret === asked.status.secret) {
        const hasChanged = entry.status.state === 'ended' || JSON.stringify(account) !== JSON.stringify(entry.account);
        if (hasChanged) {
          save({ ...entry, account, status: { state: 'active', secret: entry.status.secret } });
          notify();
        }
      }
      return account;
    } catch (cause) {
      throw refusesCredential(cause) ? await endSession(asked.id, cause) : cause;
    }
  };

  /** Creates a session from a person's input; it is not stored yet. */
  const authenticate = async (url: string, request: CreateSession): Promise<SessionEntry> => {
    const { email, password, code, api_key: key, sso_code: ssoCode, sso_verifier: verifier } = request;
    const given = [key !== undefined, email !== undefined && password !== undefined, ssoCode !== undefined && verifier !== undefined];
    if (given.filter(Boolean).length !== 1) {
      throw new AgentError('invalid_request', {
        detail: 'Give e-mail and password, an API key, or the code of a sign-in through a company.',
      });
    }
    const bySso = async () => (await anonymous(url).call('exchangeSsoCode', { body: { code: ssoCode!, code_verifier: verifier! } })).token;
    const byPassword = async () => {
      const deviceSecret = await deviceSecretFor(ports, url);
      const body = { email: email!, password: password!, ...(code !== undefined && { code }) };
      return (await anonymous(url).call('auth', { body, deviceSecret })).token;
    };
    const secret = key ?? (await (ssoCode === undefined ? byPassword() : bySso()));
    const kind = key === undefined ? 'user' : 'api_key';
    const entry: SessionEntry = { id: uuid(), serviceUrl: url, kind, isSaved: true, status: { state: 'active', secret }, account: null };
    return { ...entry, account: sessionOf(await anonymous(url).as(credentialOf(entry)!).call('currentUser', {})) };
  };

  /** Adds a session, replacing an earlier one of the same account and the named one. */
  const addSession = async (added: SessionEntry, asLogin: boolean, instead: SessionEntry | null = null): Promise<SessionEntry> => {
    const former = entries.find((entry) => entry.isSaved && sameAccount(entry, added));
    const entry = former ? { ...added, id: former.id } : added;
    await saveSecret(ports, entry.id, entry.status.secret!);
    if (asLogin) loginId = entry.id;
    save(entry);
    askedAt.set(entry.id, ports.now());
    try {
      await writer.committed();
    } catch (cause) {
      if (!former) await deleteSecret(ports, entry.id);
      throw cause;
    }
    if (instead && instead.id !== entry.id) {
      await removeSession(instead.id);
      await writer.committed();
    }
    notify();
    return entry;
  };

  /** Active ones, the login first, or the one that is named. `session_is_nil`, `not_found`. */
  const activeSessions = (sessionId?: string): SessionEntry[] => {
    const active = entries.filter(({ status }) => status.state === 'active');
    if (sessionId !== undefined && !active.some(({ id }) => id === sessionId)) throw new AgentError('not_found', { resource: 'session' });
    if (active.length === 0) throw new AgentError('session_is_nil');
    const first = login();
    return active.filter(({ id }) => sessionId === undefined || id === sessionId).sort((a, b) => Number(b === first) - Number(a === first));
  };

  const clientOf = (entry: SessionEntry, by?: Fetcher): SessionClient => ({
    client: anonymous(entry.serviceUrl, by).as(credentialOf(entry)!),
    refused: (cause) => endSession(entry.id, cause),
  });

  return {
    async current() {
      // A refused key is tried again: it may have been activated since.
      const refused = refusedKey();
      const entry = refused ?? activeLogin();
      if (entry.account && !refused) return entry.account;
      try {
        return await fetchAccount(entry);
      } catch (cause) {
        throw cause instanceof ApiError && cause.error === 'session_expired' ? new AgentError('session_is_nil', {}, { cause }) : cause;
      }
    },
    async signIn(email, password, code) {
      const entry = await authenticate(serviceUrl, { email, password, ...(code !== undefined && { code }) });
      await addSession(entry, true, login());
      return entry.account!;
    },
    async signOut() {
      await removeSession(activeLogin().id);
      await writer.committed();
      notify();
    },
    async teams() {
      const entry = login();
      if (!entry) throw new AgentError('session_is_nil');
      return (await fetchAccount(entry)).teams;
    },
    all,
    list() {
      for (const entry of entries) {
        if (ports.now() - (askedAt.get(entry.id) ?? Number.NEGATIVE_INFINITY) < refreshInterval || !credentialOf(entry)) continue;
        // A failure must not fail the list.
        fetchAccount(entry).catch(() => undefined);
      }
      return all();
    },
    async add(request) {
      const own = request.service_url === undefined || sameService(request.service_url, serviceUrl);
      const url = own ? serviceUrl : serviceUrlOf(request.service_url!);
      if (url === null) {
        throw new AgentError('invalid_request', {
          detail: 'The field service_url is not the address of a service, as https://share.example.com.',
        });
      }
      const entry = await addSession(await authenticate(url, request), own && login()?.status.state !== 'active');
      return viewOf(entry, entry.id === login()?.id);
    },
    async remove(id) {
      if (!byId(id)) throw new AgentError('not_found', { resource: 'session' });
      await removeSession(id);
      await writer.committed();
      notify();
    },
    get signedIn() {
      return login()?.status.state === 'active';
    },
    createApiKey: async (request) => createApiKey(request, { sessions: activeSessions(request.session_id), fetchAccount, clientOf }),
    async findFor(teamId, sessionId) {
      const asked = activeSessions(sessionId);
      let failure: unknown = null;
      for (const entry of asked) {
        try {
          const { teams } = entry.account ?? (await fetchAccount(entry));
          if (teams.some(({ id }) => id === teamId)) return { id: entry.id, serviceUrl: entry.serviceUrl };
        } catch (cause) {
          failure ??= cause;
        }
      }
      throw failure ?? new AgentError('not_found', { resource: 'Team' });
    },
    hosted(wanted, by) {
      const entry = sessionFor(entries, wanted);
      if (!entry) throw new AgentError('session_is_nil');
      return clientOf(entry, by);
    },
    get warnings() {
      return entries
        .filter(({ kind, status }) => kind === 'api_key' && status.state === 'ended')
        .map(({ serviceUrl: url, status }) => {
          const reason = status.state === 'ended' ? status.reason : '';
          return `${refusalAt(url)}${reason}`;
        });
    },
    mayWarn: (warning) =>
      entries.some(
        ({ kind, status, account, serviceUrl: url }) =>
          kind === 'api_key' && status.state === 'active' && account === null && warning.startsWith(refusalAt(url)),
      ),
  };
}

const refusalAt = (serviceUrl: string): string => `The service at ${serviceUrl} does not accept the API key: `;

function sessionOf({ user, teams }: Account): AgentSession {
  return { user: { email: user.email, id: user.id, name: user.name }, teams };
}

const deviceSecretName = 'device';

/**
 * Identifies this agent to a service at sign-in, so that wrong passwords of others do not lock it out. It differs for
 * each service, so that services can neither reuse nor compare it.
 */
async function deviceSecretFor({ secrets }: Pick<SessionStorage, 'secrets'>, serviceUrl: string): Promise<string> {
  let own = await secrets.get(deviceSecretName);
  if (own === null) {
    own = randomBytes(32).toString('base64url');
    await secrets.set(deviceSecretName, own);
  }
  return createHmac('sha256', own).update(new URL(serviceUrl).origin).digest('base64url');
}
