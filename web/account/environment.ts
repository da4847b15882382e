import { createContext, useContext } from 'react';
import { type CallableRoutes, createClientOf, type HostedClient } from '#client/calls.ts';
import type { Fetcher } from '#client/ports.ts';

/**
 * The API calls of these pages. They are declared here and checked against the route table by type only: importing the
 * table itself would be most of the page's size.
 */
const routes = {
  getInvitation: { method: 'GET', path: '/v1/invitations/{token}', reply: { status: 200 } },
  acceptInvitation: { method: 'POST', path: '/v1/invitations/{token}/accept', reply: { status: 200 } },
  requestPasswordReset: { method: 'POST', path: '/v1/auth/password_reset', reply: { status: 202 } },
  resetPassword: { method: 'POST', path: '/v1/auth/password_reset/{token}', reply: { status: 204 } },
  getEmailChange: { method: 'GET', path: '/v1/email_changes/{token}', reply: { status: 200 } },
  confirmEmailChange: { method: 'POST', path: '/v1/email_changes/{token}/confirm', reply: { status: 204 } },
  getNoticeChoice: { method: 'GET', path: '/v1/notices/{message_id}', reply: { status: 200 } },
  stopNotices: { method: 'POST', path: '/v1/notices/{message_id}/stop', reply: { status: 204 } },
  resumeNotices: { method: 'POST', path: '/v1/notices/{message_id}/resume', reply: { status: 204 } },
  auth: { method: 'POST', path: '/v1/auth', reply: { status: 200 } },
} as const satisfies CallableRoutes<
  | ('getInvitation' | 'acceptInvitation' | 'requestPasswordReset' | 'resetPassword' | 'getEmailChange' | 'confirmEmailChange' | 'auth')
  | ('getNoticeChoice' | 'stopNotices' | 'resumeNotices')
>;

const abouts = ['invitation', 'password', 'email', 'unsubscribe'] as const;
type About = (typeof abouts)[number];

type AccountClient = HostedClient<keyof typeof routes>;

/** The dependencies of these pages. */
export interface PageEnvironment {
  readonly about: About;
  /** The token from the mail; empty where the address has none. */
  readonly token: string;
  /** The service's address without a slash at the end. */
  readonly baseUrl: string;
  readonly api: AccountClient;
  /** Removes the used token from the address bar. */
  forgetToken(): void;
}

/** Reads the page's address. A path before it belongs to the service's own address. */
export function environmentOf(
  address: URL,
  { fetcher, language, forgetToken }: { readonly fetcher: Fetcher; readonly language: () => string; readonly forgetToken: () => void },
): PageEnvironment {
  const [, prefix = '', last] = /^(.*)\/([a-z]+)\/?$/.exec(address.pathname) ?? [];
  const baseUrl = address.origin + prefix;
  // A mail caused by a call must be in the page's language, which may differ from the browser's.
  const format: Fetcher = (request) => fetcher({ ...request, headers: { ...request.headers, 'accept-language': language() } });
  return {
    about: abouts.find((one) => one === last) ?? 'password',
    token: address.hash.slice(1),
    baseUrl,
    api: createClientOf<keyof typeof routes>(routes, { baseUrl, fetcher: format }),
    forgetToken,
  };
}

export const PageEnvironmentContext = createContext<PageEnvironment | null>(null);

export function usePageEnvironment(): PageEnvironment {
  const environment = useContext(PageEnvironmentContext);
  if (!environment) throw new Error('PageEnvironmentContext is missing above this component.');
  return environment;
}
