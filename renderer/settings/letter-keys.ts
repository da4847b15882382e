import { useState } from 'react';
import { browserStorage, readLook } from './look.ts';
import { useSettings } from './queries.ts';

/** Whether single characters are shortcuts (WCAG 2.2, 2.1.4): as the settings say, until they are read as they said last. */
export function useLetterKeys(): boolean {
  const [begun] = useState(() => readLook(browserStorage()).letter_keys);
  return useSettings().data?.letter_keys ?? begun;
}
