import { useMemo, useState } from 'react';
import type { Language } from '../messages/locale.ts';

const key = 'longshore-language';

/**
 * The person's languages, the chosen one before the browser's, and a function that chooses one for this and later
 * visits.
 */
export function useWantedLanguages(): readonly [readonly string[], (language: Language) => void] {
  const [chosen, setChosen] = useState(remembered);
  const wanted = useMemo(
    () => (chosen === null ? navigator.languages : [...navigator.languages.filter((one) => one.startsWith(chosen)), chosen]),
    [chosen],
  );
  const choose = (language: Language): void => {
    setChosen(language);
    try {
      localStorage.setItem(key, language);
    } catch {
      // Not saved: the person chooses again at the next visit.
    }
  };
  return [wanted, choose];
}

function remembered(): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}
