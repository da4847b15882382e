import { useEffect, useState } from 'react';

/**
 * Whether this browser shows notifications of this page. `never`: the API is missing, as over plain HTTP from another
 * machine.
 */
type MayNotify = NotificationPermission | 'never';

export function mayNotify(page: Pick<Window & typeof globalThis, 'isSecureContext'> & { Notification?: typeof Notification }): MayNotify {
  return page.isSecureContext && page.Notification ? page.Notification.permission : 'never';
}

/**
 * The browser's current permission, and a function that asks the person. Call it from a click; otherwise browsers
 * refuse.
 */
export function useMayNotify(): { readonly may: MayNotify; readonly ask: () => void } {
  const [may, setMay] = useState(() => mayNotify(window));
  useEffect(() => {
    // The person may have changed it in the browser's own settings.
    const look = (): void => setMay(mayNotify(window));
    window.addEventListener('focus', look);
    return () => window.removeEventListener('focus', look);
  }, []);
  const ask = (): void => {
    if (mayNotify(window) === 'default') void Notification.requestPermission().then(setMay);
  };
  return { may, ask };
}
