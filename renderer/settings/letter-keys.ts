import { useState } from 'react';
import { browserStorage, readLook } from './look.ts';
import { useSettings } from './queries.ts';

/**
 * Whether single-character shortcuts are enabled (WCAG 2.2, 2.1.4). Until the settings are loaded, the last known value
 * is used.
 */
export function useLetterKeys(): boolean {
  const [begun] = useState(() => readLook(browserStorage()).letter_keys);
  return useSettings().data?.letter_keys ?? begun;
}
