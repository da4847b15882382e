import { useMemo, useSyncExternalStore } from 'react';
import type { AutomationKind } from '#protocol/agent/automations/automation.ts';

/** The page's current route. It is in the address after `#`, so that back, reload and links work. */
export type Route =
  | { readonly name: 'transfers' }
  /** Only the transfers that need a person's decision. */
  | { readonly name: 'needs' }
  /** The send or download form above the transfers; opened by the desktop app. */
  | { readonly name: 'send' }
  | { readonly name: 'get' }
  | { readonly name: 'transfer'; readonly id: string }
  | { readonly name: 'automations' }
  | { readonly name: 'automation'; readonly id: string }
  /** The editor: of a new automation, whose kind may be chosen already, or of one that is there. */
  | { readonly name: 'new-automation'; readonly kind?: AutomationKind }
  | { readonly name: 'edit-automation'; readonly id: string }
  | { readonly name: 'history' }
  | { readonly name: 'settings' }
  | { readonly name: 'about' }
  /** A deep link to show and confirm; the view that shows it checks `address`. */
  | { readonly name: 'open'; readonly address: string };

const longest = 16_384;

/** The route of a location's hash (`#/transfers/…`). An unknown address gives the transfers. */
export function routeOf(hash: string): Route {
  const [path = '', query = ''] = hash
    .slice(0, longest)
    .replace(/^#?\/?/, '')
    .split(/\?(.*)/s);
  const [name, id, ...rest] = path.split('/');
  if (name === 'automations') return automationRoute(id ?? '', rest, query);
  if (rest.length > 0) return { name: 'transfers' };
  switch (name) {
    case 'transfers': {
      const decoded = decoding(id ?? '');
      return decoded ? { name: 'transfer', id: decoded } : { name: 'transfers' };
    }
    case 'needs':
    case 'send':
    case 'get':
    case 'history':
    case 'settings':
    case 'about':
      return id ? { name: 'transfers' } : { name };
    case 'open': {
      const address = new URLSearchParams(query).get('address');
      return address && !id ? { name: 'open', address } : { name: 'transfers' };
    }
    default:
      return { name: 'transfers' };
  }
}

const kinds = ['portal_upload', 'team_upload', 'portal_download', 'all_portals_download'] as const satisfies readonly AutomationKind[];

/** `automations`, `automations/new?kind=…`, `automations/ID`, `automations/ID/edit`. */
function automationRoute(part: string, [action, ...rest]: readonly string[], query: string): Route {
  const id = decoding(part);
  if (!id || rest.length > 0) return { name: 'automations' };
  if (id === 'new') {
    const asked = new URLSearchParams(query).get('kind');
    const kind = kinds.find((one) => one === asked);
    return kind ? { name: 'new-automation', kind } : { name: 'new-automation' };
  }
  if (action === undefined) return { name: 'automation', id };
  return action === 'edit' ? { name: 'edit-automation', id } : { name: 'automations' };
}

/** The hash of a route, for links: `<a href={hrefOf({ name: 'history' })}>`. */
export function hrefOf(route: Route): string {
  switch (route.name) {
    case 'transfer':
      return `#/transfers/${encodeURIComponent(route.id)}`;
    case 'automation':
      return `#/automations/${encodeURIComponent(route.id)}`;
    case 'new-automation':
      return `#/automations/new${route.kind ? `?kind=${route.kind}` : ''}`;
    case 'edit-automation':
      return `#/automations/${encodeURIComponent(route.id)}/edit`;
    case 'open':
      return `#/open?address=${encodeURIComponent(route.address)}`;
    default:
      return `#/${route.name}`;
  }
}

/** Navigates to a route. `instead` replaces the history entry, e.g. after a used address. */
export function goTo(route: Route, instead = false): void {
  const href = hrefOf(route);
  if (!instead) {
    location.hash = href;
    return;
  }
  history.replaceState(null, '', href);
  window.dispatchEvent(new HashChangeEvent('hashchange'));
}

/** Asked with the hash of another route before that is shown. */
let guard: { readonly hash: string; readonly ask: (wanted: string) => void } | null = null;

/**
 * Keeps the route until the function that it returns is called: whoever wants another, by a link, a key or going back,
 * is told to `ask`. One at a time.
 */
export function guardRoute(ask: (wanted: string) => void): () => void {
  const own = { hash: location.hash, ask };
  guard = own;
  return () => {
    if (guard === own) guard = null;
  };
}

function subscribe(changed: () => void): () => void {
  const onChange = (): void => {
    if (guard && location.hash !== guard.hash) {
      const wanted = location.hash;
      history.replaceState(null, '', guard.hash);
      guard.ask(wanted);
      return;
    }
    changed();
  };
  window.addEventListener('hashchange', onChange);
  return () => window.removeEventListener('hashchange', onChange);
}

/** The page's current route. */
export function useRoute(): Route {
  const hash = useSyncExternalStore(subscribe, () => location.hash);
  return useMemo(() => routeOf(hash), [hash]);
}

function decoding(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
