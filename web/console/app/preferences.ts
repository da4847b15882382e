import { useSyncExternalStore } from 'react';
import type { Appearance } from '#ui/appearance.ts';
import { type Language, languages } from '#ui/locale.ts';

/** What this browser remembers of how the person wants to see the console. The language is that of the other pages, too. */
const keys = { language: 'longshore-language', appearance: 'longshore-appearance' } as const;

const changedHere = 'longshore-preferences';

/** Changes in other tabs of this browser come as `storage`. */
function subscribe(changed: () => void): () => void {
  window.addEventListener('storage', changed);
  window.addEventListener(changedHere, changed);
  return () => {
    window.removeEventListener('storage', changed);
    window.removeEventListener(changedHere, changed);
  };
}

function read(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

function write(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    // Not saved: the person chooses again at the next visit.
  }
  window.dispatchEvent(new Event(changedHere));
}

/** The language that the person chose; null: as the browser says. */
export function useChosenLanguage(): Language | null {
  const value = useSyncExternalStore(subscribe, () => read(keys.language));
  return languages.find((one) => one === value) ?? null;
}

export const chooseLanguage = (language: Language): void => write(keys.language, language);

export function useAppearance(): Appearance {
  const value = useSyncExternalStore(subscribe, () => read(keys.appearance));
  return value === 'light' || value === 'dark' ? value : 'system';
}

export const chooseAppearance = (appearance: Appearance): void => write(keys.appearance, appearance);
