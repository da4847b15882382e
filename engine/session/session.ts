import { createHostedClient, type HostedClient, type HostedCredential } from '#client/hosted.ts';
import type { Fetcher } from '#client/ports.ts';
import type { AgentSession, AgentTeam } from '#protocol/agent/session.ts';
import { ApiError } from '#protocol/errors.ts';
import type { Account } from '#protocol/hosted/accounts.ts';
import type { SecretStore } from '../secrets/ports.ts';
import type { Settings } from '../state/settings.ts';
import type { Writer } from '../state/writer.ts';

/** Who the agent works for: interface §4.11 and §5.7. */
export interface Session {
  /** What is known of the session; `session_is_nil` when there is none, or the service refuses its credential. */
  current(): Promise<AgentSession>;
  signIn(email: string, password: string): Promise<AgentSession>;
  signOut(): Promise<void>;
  /** Asks the service anew. `session_expired` when the token has just turned out to be over. */
  teams(): Promise<AgentTeam[]>;
  readonly signedIn: boolean;
  /** The service with the session's credential; `session_is_nil` without one. */
  hosted(): HostedClient;
  /** A call with the session's credential was answered 401: it is over. Gives the error to show. */
  refused(cause: unknown): Promise<ApiError>;
  readonly warnings: readonly string[];
}

export interface SessionPorts {
  readonly serviceUrl: string;
  readonly apiKey?: string | undefined;
  readonly fetcher: Fetcher;
  readonly secrets: SecretStore;
  readonly settings: Settings;
  readonly writer: Writer;
  readonly changed: (session: AgentSession | null) => void;
}

type State =
  | { readonly kind: 'none' }
  | { readonly kind: 'user'; readonly token: string; readonly account: AgentSession | null }
  /** `refused` holds the service's answer once it has refused the key. */
  | { readonly kind: 'api_key'; readonly key: string; readonly account: AgentSession | null; readonly refused: Error | null };

const tokenName = 'user-token';
const settingName = 'session';

/** Restores the session of the last run, unless an API key is given: then that is the session. */
export async function openSession(ports: SessionPorts): Promise<Session> {
  const { serviceUrl, fetcher, secrets, settings, writer } = ports;
  const anonymous = createHostedClient({ baseUrl: serviceUrl, fetcher });
  let state: State = ports.apiKey ? { kind: 'api_key', key: ports.apiKey, account: null, refused: null } : await restore();

  async function restore(): Promise<State> {
    const kept = JSON.parse(settings.get(settingName) ?? 'null') as { serviceUrl: string; account: AgentSession } | null;
    // A token is for the service that gave it, and goes to no other.
    if (kept?.serviceUrl !== serviceUrl) return { kind: 'none' };
    const token = await secrets.get(tokenName);
    return token === null ? { kind: 'none' } : { kind: 'user', token, account: kept.account };
  }

  const remember = (account: AgentSession): void => {
    if (state.kind === 'none') return;
    const news = JSON.stringify(account) !== JSON.stringify(state.account);
    state = state.kind === 'api_key' ? { ...state, account, refused: null } : { ...state, account };
    if (state.kind === 'user') writer.write(() => settings.set(settingName, JSON.stringify({ serviceUrl, account })));
    if (news) ports.changed(account);
  };

  const forget = async (): Promise<void> => {
    state = { kind: 'none' };
    writer.write(() => settings.delete(settingName));
    await secrets.delete(tokenName);
    ports.changed(null);
  };

  const hosted = (): HostedClient => {
    if (state.kind === 'none') throw new ApiError('session_is_nil');
    if (state.kind === 'api_key' && state.refused) throw new ApiError('session_is_nil', {}, { cause: state.refused });
    return anonymous.as(credentialOf(state));
  };

  const refused = async (cause: unknown): Promise<ApiError> => {
    const reason = cause instanceof Error ? cause : new Error(String(cause));
    if (state.kind === 'user') {
      await forget();
      return new ApiError('session_expired', {}, { cause: reason });
    }
    if (state.kind === 'api_key') {
      state = { ...state, account: null, refused: reason };
      ports.changed(null);
    }
    return new ApiError('session_is_nil', {}, { cause: reason });
  };

  /** Asks with a refused key too: it may have been activated again. */
  const ask = async (): Promise<AgentSession> => {
    if (state.kind === 'none') throw new ApiError('session_is_nil');
    try {
      const account = sessionOf(await anonymous.as(credentialOf(state)).call('currentUser', {}));
      remember(account);
      return account;
    } catch (cause) {
      throw isRefusal(cause) ? await refused(cause) : cause;
    }
  };

  return {
    async current() {
      if (state.kind === 'none') throw new ApiError('session_is_nil');
      if (state.account) return state.account;
      try {
        return await ask();
      } catch (cause) {
        throw cause instanceof ApiError && cause.error === 'session_expired' ? new ApiError('session_is_nil', {}, { cause }) : cause;
      }
    },
    async signIn(email, password) {
      const { token } = await anonymous.call('auth', { body: { email, password } });
      const account = sessionOf(await anonymous.as({ kind: 'user', token }).call('currentUser', {}));
      await secrets.set(tokenName, token);
      state = { kind: 'user', token, account: null };
      remember(account);
      await writer.committed();
      return account;
    },
    async signOut() {
      if (state.kind === 'none') throw new ApiError('session_is_nil');
      await forget();
      await writer.committed();
    },
    teams: async () => (await ask()).teams,
    get signedIn() {
      return state.kind === 'user' || (state.kind === 'api_key' && state.refused === null);
    },
    hosted,
    refused,
    get warnings() {
      return state.kind === 'api_key' && state.refused
        ? [`The service at ${serviceUrl} does not accept the API key: ${state.refused.message}`]
        : [];
    },
  };
}

/** Whether the service said that it does not know the credential (any more). */
export function isRefusal(cause: unknown): boolean {
  return cause instanceof ApiError && (cause.error === 'credential_invalid' || cause.error === 'credential_missing');
}

function credentialOf(state: Exclude<State, { kind: 'none' }>): HostedCredential {
  return state.kind === 'user' ? { kind: 'user', token: state.token } : { kind: 'api_key', key: state.key };
}

function sessionOf({ user, teams }: Account): AgentSession {
  return { user: { email: user.email, id: user.id, name: user.name }, teams };
}
