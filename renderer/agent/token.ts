/** Stores the bearer token of an agent beyond this machine in this tab, until the tab is closed. */
export interface TokenStore {
  get(): string | null;
  set(token: string | null): void;
}

const key = 'longshore.agent-token';

/** Falls back to memory where the browser denies storage. */
export function createTokenStore(storage: Storage | null): TokenStore {
  let value = storage?.getItem(key) ?? null;
  return {
    get: () => value,
    set(token) {
      value = token;
      if (token === null) storage?.removeItem(key);
      else storage?.setItem(key, token);
    },
  };
}

/** The tab's storage; null where reading it is denied. */
export function tabStorage(): Storage | null {
  try {
    return globalThis.sessionStorage;
  } catch {
    return null;
  }
}
