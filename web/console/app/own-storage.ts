/**
 * What this browser keeps for a person from one visit to the next. Under their id, so that nobody else at this browser meets it, and
 * only until they sign out.
 */
const keyOf = (userId: string, name: string): string => `longshore-own ${userId} ${name}`;

export function readOwn(userId: string, name: string): string | null {
  try {
    return localStorage.getItem(keyOf(userId, name));
  } catch {
    return null;
  }
}

/** Null: nothing is kept. */
export function writeOwn(userId: string, name: string, text: string | null): void {
  try {
    if (text === null) localStorage.removeItem(keyOf(userId, name));
    else localStorage.setItem(keyOf(userId, name), text);
  } catch {
    // Full or denied: it lives as long as the page.
  }
}

export function forgetOwn(userId: string): void {
  try {
    for (const key of Object.keys(localStorage)) if (key.startsWith(keyOf(userId, ''))) localStorage.removeItem(key);
  } catch {
    // Denied: nothing was kept.
  }
}
