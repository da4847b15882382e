import { useMemo, useSyncExternalStore } from 'react';

/** Where in the page a person is. It stands in the address after `#`, so that it can be gone back to, reloaded and linked to. */
export type Route =
  | { readonly place: 'transfers' }
  /** The form to send or to get, over the transfers: the desktop leads there. */
  | { readonly place: 'send' }
  | { readonly place: 'get' }
  | { readonly place: 'transfer'; readonly id: string }
  | { readonly place: 'history' }
  | { readonly place: 'settings' }
  | { readonly place: 'about' }
  /** A deep link to look at and confirm; `address` is checked by whoever shows it. */
  | { readonly place: 'open'; readonly address: string };

const longest = 16_384;

/** The route of a location's hash (`#/transfers/…`). An address that is none of ours leads to the transfers. */
export function routeOf(hash: string): Route {
  const [path = '', query = ''] = hash
    .slice(0, longest)
    .replace(/^#?\/?/, '')
    .split(/\?(.*)/s);
  const [place, id, ...rest] = path.split('/');
  if (rest.length > 0) return { place: 'transfers' };
  switch (place) {
    case 'transfers': {
      const decoded = decoding(id ?? '');
      return decoded ? { place: 'transfer', id: decoded } : { place: 'transfers' };
    }
    case 'send':
    case 'get':
    case 'history':
    case 'settings':
    case 'about':
      return id ? { place: 'transfers' } : { place };
    case 'open': {
      const address = new URLSearchParams(query).get('address');
      return address && !id ? { place: 'open', address } : { place: 'transfers' };
    }
    default:
      return { place: 'transfers' };
  }
}

/** The hash that leads to a route, for links: `<a href={hrefOf({ place: 'history' })}>`. */
export function hrefOf(route: Route): string {
  switch (route.place) {
    case 'transfer':
      return `#/transfers/${encodeURIComponent(route.id)}`;
    case 'open':
      return `#/open?address=${encodeURIComponent(route.address)}`;
    default:
      return `#/${route.place}`;
  }
}

/** Goes to a route. `instead` leaves nothing to go back to, as after an address that is used up. */
export function goTo(route: Route, instead = false): void {
  const href = hrefOf(route);
  if (!instead) {
    location.hash = href;
    return;
  }
  history.replaceState(null, '', href);
  window.dispatchEvent(new HashChangeEvent('hashchange'));
}

function subscribe(changed: () => void): () => void {
  window.addEventListener('hashchange', changed);
  return () => window.removeEventListener('hashchange', changed);
}

/** Where the page is now. */
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
