import { createContext, useContext, useEffect, useState } from 'react';

/** The chunk of the page that sends. It is loaded on demand. */
export type LazySending = typeof import('./lazy-sending.ts');

type LoadSending = () => Promise<LazySending>;

/**
 * Loads the chunk; rejects with `CodeMissing`, and the next call tries again. It has a context of its own: the modules in
 * the chunk use the page's environment, which must not refer to the chunk.
 */
export const LoadSendingContext = createContext<LoadSending | null>(null);

export function useLoadSending(): LoadSending {
  const load = useContext(LoadSendingContext);
  if (!load) throw new Error('LoadSendingContext is missing above this component.');
  return load;
}

/** The sending chunk: loading, loaded, or failed for now. */
type LazySendingState =
  | { readonly state: 'loading' }
  | { readonly state: 'loaded'; readonly chunk: LazySending }
  | { readonly state: 'failed'; readonly retry: () => void };

/** Prefetches the sending chunk once `wanted`, so that it is loaded before anybody has chosen a file. */
export function useLazySending(wanted: boolean): LazySendingState {
  const load = useLoadSending();
  const [tries, setTries] = useState(0);
  const [found, setFound] = useState<LazySendingState>({ state: 'loading' });
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
