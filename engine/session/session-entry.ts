import type { HostedCredential } from '#client/hosted.ts';
import type { AgentSession } from '#protocol/agent/session.ts';
import type { SignedIn } from '#protocol/agent/sessions.ts';
import { sameService } from './service-url.ts';

/** One session with one service. `saved-sessions.ts` stores the part that survives restarts. */
export interface SessionEntry {
  readonly id: string;
  readonly serviceUrl: string;
  readonly kind: 'user' | 'api_key';
  /** False for an API key that was given at the start: it is given again at each start. */
  readonly isSaved: boolean;
  readonly status: SessionStatus;
  /** Null until the service was asked. */
  readonly account: AgentSession | null;
}

/** `ended`: the service does not accept it any more; `reason` is the service's. */
type SessionStatus =
  | { readonly state: 'active'; readonly secret: string }
  /** A key keeps its secret: it may be activated again. */
  | { readonly state: 'ended'; readonly secret: string | null; readonly reason: string };

/** The credential for the service; null if none is left. */
export function credentialOf({ kind, status }: SessionEntry): HostedCredential | null {
  if (status.secret === null) return null;
  return kind === 'user' ? { kind: 'user', token: status.secret } : { kind: 'api_key', key: status.secret };
}

/** As callers see it. */
export function viewOf(entry: SessionEntry, login: boolean): SignedIn {
  const { id, serviceUrl, kind, status, account } = entry;
  return {
    id,
    service_url: serviceUrl,
    kind,
    state: status.state,
    login,
    user: account?.user ?? null,
    teams: account?.teams ?? [],
  };
}

/** Whether two entries are one account at one service. */
export function sameAccount(one: SessionEntry, other: Pick<SessionEntry, 'serviceUrl' | 'account'>): boolean {
  return one.serviceUrl === other.serviceUrl && one.account !== null && one.account.user.id === other.account?.user.id;
}

export interface WantedSession {
  readonly serviceUrl: string;
  readonly teamId: string;
  /** The chosen session; if it is gone, another one of the same Team is used. */
  readonly sessionId?: string | undefined;
}

/**
 * The session for sending to a Team: the chosen one, otherwise one whose account is in the Team, otherwise one with an
 * unknown account. None if no suitable session is signed in.
 */
export function sessionFor(entries: readonly SessionEntry[], wanted: WantedSession): SessionEntry | null {
  const able = entries.filter(({ status, serviceUrl }) => status.state === 'active' && sameService(serviceUrl, wanted.serviceUrl));
  const inTeam = able.filter(({ account }) => account?.teams.some(({ id }) => id === wanted.teamId));
  return inTeam.find(({ id }) => id === wanted.sessionId) ?? inTeam[0] ?? able.find(({ account }) => account === null) ?? null;
}
