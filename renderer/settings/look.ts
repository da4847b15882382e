import type { Settings } from '#protocol/agent/settings.ts';

/**
 * The page's appearance, language and shortcuts. Stored in the browser too, so that the page starts with the right
 * values.
 */
export type Look = Pick<Settings, 'appearance' | 'language' | 'letter_keys'>;

const key = 'longshore.look';

export function readLook(storage: Storage | null): Look {
  try {
    const kept = JSON.parse(storage?.getItem(key) ?? '{}') as Partial<Look>;
    const appearance = kept.appearance === 'light' || kept.appearance === 'dark' ? kept.appearance : 'system';
    return { appearance, language: typeof kept.language === 'string' ? kept.language : '', letter_keys: kept.letter_keys !== false };
  } catch {
    return { appearance: 'system', language: '', letter_keys: true };
  }
}

export function keepLook(storage: Storage | null, { appearance, language, letter_keys }: Look): void {
  try {
    storage?.setItem(key, JSON.stringify({ appearance, language, letter_keys }));
  } catch {
    // Full or denied storage costs only a flash of the other theme at the next start.
  }
}

/** This browser's storage; null where reading it is denied. */
export function browserStorage(): Storage | null {
  try {
    return globalThis.localStorage;
  } catch {
    return null;
  }
}
