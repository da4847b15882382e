import { v7 as uuid } from 'uuid';
import type { CreateSession, SignedIn } from '#protocol/agent/sessions.ts';
import type { SsoSignIn, StartSsoSignIn } from '#protocol/agent/sso-sign-ins.ts';
import { AgentError, ApiError } from '#protocol/errors.ts';
import { limits } from '#protocol/limits.ts';
import { serviceUrlOf } from './service-url.ts';
import { openSsoFlow, type SsoFlow } from './sso-flow.ts';

/** Sign-ins through a company that pages of this agent have begun. */
export interface SsoSignIns {
  /** Waits for a browser of this machine. The session is added by itself once it comes back. `invalid_request`. */
  start(request: StartSsoSignIn): Promise<SsoSignIn>;
  /** `not_found` once it was cancelled, or others were begun after it. */
  get(id: string): SsoSignIn;
  /** Stops waiting. One that has ended stays as it is. */
  cancel(id: string): void;
  close(): void;
}

interface SsoSignInPorts {
  readonly serviceUrl: string;
  readonly add: (request: CreateSession) => Promise<SignedIn>;
  readonly now: () => number;
}

/** A person has few windows; more at once are of programs that begin and forget them. */
const most = 4;

export function createSsoSignIns({ serviceUrl, add, now }: SsoSignInPorts): SsoSignIns {
  const all = new Map<string, { flow: SsoFlow; view: SsoSignIn }>();
  const forget = (id: string): void => {
    all.get(id)?.flow.close();
    all.delete(id);
  };
  return {
    async start({ service_url: named, address }) {
      const url = named === undefined ? serviceUrl : serviceUrlOf(named);
      if (url === null) {
        throw new AgentError('invalid_request', {
          detail: 'The field service_url is not the address of a service, as https://share.example.com.',
        });
      }
      const flow = await openSsoFlow({ serviceUrl: url, address });
      const id = uuid();
      const expires = new Date(now() + limits.ssoFlowSeconds * 1_000).toISOString();
      const entry = { flow, view: { id, state: 'waiting', url: flow.url, expires_at: expires } as SsoSignIn };
      for (const oldest of [...all.keys()].slice(0, Math.max(0, all.size + 1 - most))) forget(oldest);
      all.set(id, entry);
      void flow.proof
        .then((proof) => add({ ...(named === undefined ? {} : { service_url: named }), ...proof }))
        .then(
          (session) => {
            entry.view = { ...entry.view, state: 'done', session };
          },
          (error: unknown) => {
            const { code, message } = error instanceof ApiError ? error : new AgentError('agent_fault', { detail: String(error) });
            entry.view = { ...entry.view, state: 'failed', error: { code, message } };
          },
        );
      return entry.view;
    },
    get(id) {
      const entry = all.get(id);
      if (!entry) throw new AgentError('not_found', { resource: 'sign-in' });
      return entry.view;
    },
    cancel: forget,
    close() {
      for (const id of all.keys()) forget(id);
    },
  };
}
