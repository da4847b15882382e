import type { SsoApp } from '#protocol/hosted/sso-sign-in.ts';
import type { SsoRefusal } from '#protocol/sso-refusals.ts';
import { defineCalls } from '../app/api.ts';

export const ssoSignInCalls = defineCalls({
  startSso: { method: 'POST', path: '/v1/sso/start', reply: { status: 200 } },
  finishSso: { method: 'POST', path: '/v1/sso/finish', reply: { status: 200 } },
  currentUser: { method: 'GET', path: '/v1/users/me', reply: { status: 200 } },
});

const appKey = 'longshore.sso.app';

/** Remembers in this tab which program is to be signed in, so that it can be told if that fails. */
export function rememberApp(app: SsoApp | null): void {
  if (app === null) sessionStorage.removeItem(appKey);
  else sessionStorage.setItem(appKey, JSON.stringify(app));
}

export function rememberedApp(): SsoApp | null {
  const kept = sessionStorage.getItem(appKey);
  return kept === null ? null : (JSON.parse(kept) as SsoApp);
}

/** Where a program waits, with why nobody is signed in as OAuth names it; null for an address that is none of this machine. */
export function appRefusal({ redirect_uri: uri, state }: SsoApp, error: SsoRefusal): string | null {
  if (!/^http:\/\/(127\.0\.0\.1|\[::1\]):\d{1,5}\/[\w/-]*$/.test(uri) || !URL.canParse(uri)) return null;
  return `${uri}?${new URLSearchParams({ error, state })}`;
}

/** The address at which a program's sign-in begins. */
export const appAddress = ({ redirect_uri, code_challenge, state }: SsoApp): string =>
  `/sso/app?${new URLSearchParams({ redirect_uri, code_challenge, state })}`;

/** Leaves the console for the provider, or for a program on this machine. */
export const leaveFor = (address: string): void => location.assign(address);
