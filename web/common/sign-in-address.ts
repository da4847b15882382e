/** Hands the address of who has just joined from one page of this tab to the sign-in: nobody types it twice. */
const key = 'longshore-sign-in-address';

export function keepSignInAddress(email: string): void {
  try {
    sessionStorage.setItem(key, email);
  } catch {
    // The browser keeps nothing: the address is typed.
  }
}

export function signInAddress(): string {
  try {
    return sessionStorage.getItem(key) ?? '';
  } catch {
    return '';
  }
}

export function forgetSignInAddress(): void {
  try {
    sessionStorage.removeItem(key);
  } catch {
    // Nothing was kept.
  }
}
