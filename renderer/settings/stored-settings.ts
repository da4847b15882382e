import type { Settings } from '#protocol/agent/settings.ts';

/**
 * The page's appearance, language and shortcuts. Stored in the browser too, so that the page starts with the right
 * values.
 */
type StoredSettings = Pick<Settings, 'appearance' | 'language' | 'letter_keys'>;

const key = 'longshore.look';

export function readStoredSettings(storage: Storage | null): StoredSettings {
  try {
    const stored = JSON.parse(storage?.getItem(key) ?? '{}') as Partial<StoredSettings>;
    const appearance = stored.appearance === 'light' || stored.appearance === 'dark' ? stored.appearance : 'system';
    return { appearance, language: typeof stored.language === 'string' ? stored.language : '', letter_keys: stored.letter_keys !== false };
  } catch {
    return { appearance: 'system', language: '', letter_keys: true };
  }
}

export function storeSettings(storage: Storage | null, { appearance, language, letter_keys }: StoredSettings): void {
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
