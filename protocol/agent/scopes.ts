import type { Route } from '../route.ts';
import type { TokenScope } from './tokens.ts';

/**
 * What a call of the agent needs (docs/decisions/0027): nothing (`open`), a scope of an application's token, or the
 * person at this machine or the holder of the agent's own token (`owner`).
 */
export type Need = 'open' | TokenScope | 'owner';

/** Where reading is for everybody who may read, what changing needs, by the route's tag. */
const changing: Readonly<Record<string, TokenScope>> = {
  Transfers: 'transfer',
  Settings: 'settings',
  Automations: 'settings',
  Gateway: 'settings',
  Events: 'all',
  Session: 'all',
  System: 'all',
};

/** Total: what nobody has placed needs `all`. */
export function needOf(route: Pick<Route, 'tag' | 'method' | 'path'>): Need {
  if (route.path === '/healthz') return 'open';
  if (route.tag === 'Tokens') return 'owner';
  // Names of files on this machine are for those who choose some to send.
  if (route.tag === 'Folders') return 'transfer';
  const change = changing[route.tag];
  if (change === undefined) return 'all';
  return route.method === 'GET' ? 'read' : change;
}

/** Whether a token's scopes cover what a call needs. Who may change may look. */
export function covers(scopes: readonly TokenScope[], need: Need): boolean {
  if (need === 'open') return true;
  if (need === 'owner') return false;
  return need === 'read' ? scopes.length > 0 : scopes.includes(need) || scopes.includes('all');
}
