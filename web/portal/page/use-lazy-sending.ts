import { createContext, useContext } from 'react';
import { type Lazy, useLazy } from '../../common/use-lazy.ts';

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

/** Prefetches the sending chunk once `wanted`, so that it is loaded before anybody has chosen a file. */
export function useLazySending(wanted: boolean): Lazy<LazySending> {
  return useLazy(useLoadSending(), wanted);
}
