import { useMemo, useSyncExternalStore } from 'react';

/** Where the person is in the console: the path, and what stands after `?`. */
export interface Address {
  readonly path: string;
  readonly query: URLSearchParams;
}

const subscribe = (changed: () => void): (() => void) => {
  window.addEventListener('popstate', changed);
  return () => window.removeEventListener('popstate', changed);
};

/** Whether the service answers an address with the console (service/http/pages.ts). */
export const isConsolePath = (path: string): boolean => /^\/(?:$|sign-in$|sso\/|(?:profile|operator)(?:\/|$)|t\/)/.test(path);

export function useAddress(): Address {
  const address = useSyncExternalStore(subscribe, () => location.pathname + location.search);
  return useMemo(() => {
    const { pathname, searchParams } = new URL(address, location.origin);
    return { path: pathname, query: searchParams };
  }, [address]);
}

/** Shows another place of the console. `replace`: going back does not lead here again. */
export function goTo(address: string, { replace = false }: { readonly replace?: boolean } = {}): void {
  if (address === location.pathname + location.search + location.hash) return;
  history[replace ? 'replaceState' : 'pushState'](null, '', address);
  window.dispatchEvent(new PopStateEvent('popstate'));
}

/** The sign-in that leads back to where the person is. `ended`: a session that stood has ended, which it says. */
export function signInAddress({ ended }: { readonly ended: boolean }): string {
  const next = location.pathname + location.search;
  const query = new URLSearchParams({ ...(next === '/' ? {} : { next }), ...(ended ? { ended: '1' } : {}) });
  return query.size > 0 ? `/sign-in?${query}` : '/sign-in';
}

/** Changes what stands after `?`, such as the filters of a list, in place. An empty value removes a name. */
export function changeQuery(changes: Readonly<Record<string, string>>): void {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === '') query.delete(name);
    else query.set(name, value);
  }
  goTo(query.size > 0 ? `${location.pathname}?${query}` : location.pathname, { replace: true });
}

/**
 * Values of the `{names}` in a pattern such as `/t/{team_id}/packages/{package_id}`; null if the path is another one.
 */
export function matchPath(pattern: string, path: string): Readonly<Record<string, string>> | null {
  const wanted = pattern.split('/');
  const parts = path.replace(/(.)\/$/, '$1').split('/');
  if (wanted.length !== parts.length) return null;
  const values: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const given = parts[index]!;
    const name = /^\{(\w+)\}$/.exec(part)?.[1];
    if (name === undefined) {
      if (part !== given) return null;
      continue;
    }
    const value = decoded(given);
    if (value === null || value === '') return null;
    values[name] = value;
  }
  return values;
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
