import type { Route } from '../route.ts';
import type { TokenScope } from './tokens.ts';

/**
 * Authorization that a call of the agent needs (docs/decisions/0027): none (`open`), a scope of an application's token,
 * or the user at this machine or the holder of the agent's own token (`owner`).
 */
export type Need = 'open' | TokenScope | 'owner';

/** For tags that every reader may read: the scope that a change needs, by the route's tag. */
const changing: Readonly<Record<string, TokenScope>> = {
  Transfers: 'transfer',
  Settings: 'settings',
  Automations: 'settings',
  Gateway: 'settings',
  Events: 'all',
  Session: 'all',
  System: 'all',
};

/** Returns a scope for every route: a route without an entry needs `all`. */
export function needOf(route: Pick<Route, 'tag' | 'method' | 'path'>): Need {
  if (route.path === '/healthz') return 'open';
  // A caller without a token exchanges a code for one. No application's token may create a code: the page has all rights.
  if (route.tag === 'Page') return route.path.endsWith('/enter') ? 'open' : 'owner';
  // Otherwise an application could create a token or key that stays valid after its own token is deleted.
  if (route.tag === 'Tokens' || route.tag === 'Keys') return 'owner';
  // Names of files on this machine are shown only to callers that may send files.
  if (route.tag === 'Folders') return 'transfer';
  const change = changing[route.tag];
  if (change === undefined) return 'all';
  return route.method === 'GET' ? 'read' : change;
}

/** Whether a token's scopes cover what a call needs. A scope for changes includes reading. */
export function covers(scopes: readonly TokenScope[], need: Need): boolean {
  if (need === 'open') return true;
  if (need === 'owner') return false;
  return need === 'read' ? scopes.length > 0 : scopes.includes(need) || scopes.includes('all');
}
