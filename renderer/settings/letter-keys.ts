import { useState } from 'react';
import { useSettings } from './queries.ts';
import { browserStorage, readStoredSettings } from './stored-settings.ts';

/**
 * Whether single-character shortcuts are enabled (WCAG 2.2, 2.1.4). Until the settings are loaded, the last known value
 * is used.
 */
export function useLetterKeys(): boolean {
  const [stored] = useState(() => readStoredSettings(browserStorage()).letter_keys);
  return useSettings().data?.letter_keys ?? stored;
}
