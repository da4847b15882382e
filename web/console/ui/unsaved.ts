import { useEffect } from 'react';

const keyOf = (name: string): string => `longshore-draft-${name}`;

/** Changes of an earlier visit of this tab that were not saved; null for none. */
export function unsavedOf<T>(name: string): T | null {
  try {
    return JSON.parse(sessionStorage.getItem(keyOf(name)) ?? 'null') as T | null;
  } catch {
    return null;
  }
}

/**
 * Keeps changes for as long as the tab is open, so that leaving the view or loading it anew loses nothing. Closing the tab asks
 * first. Null: there are none.
 */
export function useUnsaved<T>(name: string, changes: T | null): void {
  const text = changes === null ? null : JSON.stringify(changes);
  useEffect(() => {
    try {
      if (text === null) sessionStorage.removeItem(keyOf(name));
      else sessionStorage.setItem(keyOf(name), text);
    } catch {
      // Not kept: closing the tab asks all the same.
    }
  }, [name, text]);
  const isChanged = text !== null;
  useEffect(() => {
    if (!isChanged) return;
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [isChanged]);
}
