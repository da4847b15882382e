import { useEffect, useState } from 'react';

/** A part of the page's code that is loaded on demand: loading, loaded, or failed for now. */
export type Lazy<T> =
  | { readonly state: 'loading' }
  | { readonly state: 'loaded'; readonly chunk: T }
  | { readonly state: 'failed'; readonly retry: () => void };

/** Loads a part of the page's code once it is `wanted`. `load` must be the same function each time (lazy-load.ts `loadOnce`). */
export function useLazy<T>(load: () => Promise<T>, wanted = true): Lazy<T> {
  const [tries, setTries] = useState(0);
  const [found, setFound] = useState<Lazy<T>>({ state: 'loading' });
  useEffect(() => {
    if (!wanted) return;
    let mounted = true;
    load().then(
      (chunk) => mounted && setFound({ state: 'loaded', chunk }),
      () => mounted && setFound({ state: 'failed', retry: () => setTries(tries + 1) }),
    );
    return () => {
      mounted = false;
    };
  }, [wanted, load, tries]);
  return found;
}
