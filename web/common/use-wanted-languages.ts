import { useMemo, useState } from 'react';
import type { Language } from '../words/tongue.ts';

const key = 'longshore-language';

/** The person's languages, the one chosen on a page before the browser's; and what chooses it, for the next visit too. */
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
      // Then it is chosen again next time.
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
