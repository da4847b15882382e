import { useEffect, useState } from 'react';

/** Whether this browser shows notifications of this page. `never`: it has none for it, as over plain HTTP from afar. */
export type MayNotify = NotificationPermission | 'never';

export function mayNotify(page: Pick<Window & typeof globalThis, 'isSecureContext'> & { Notification?: typeof Notification }): MayNotify {
  return page.isSecureContext && page.Notification ? page.Notification.permission : 'never';
}

/** What the browser allows now, and a way to ask the person: from a click, else browsers refuse. */
export function useMayNotify(): { readonly may: MayNotify; readonly ask: () => void } {
  const [may, setMay] = useState(() => mayNotify(window));
  useEffect(() => {
    // It may have been changed in the browser's own settings meanwhile.
    const look = (): void => setMay(mayNotify(window));
    window.addEventListener('focus', look);
    return () => window.removeEventListener('focus', look);
  }, []);
  const ask = (): void => {
    if (mayNotify(window) === 'default') void Notification.requestPermission().then(setMay);
  };
  return { may, ask };
}
