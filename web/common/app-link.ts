import { useState } from 'react';

interface AppLink {
  /** No program has opened, or it is not known yet. */
  readonly unanswered: boolean;
  /** The app's download address; null where the operator has not configured one. */
  readonly downloadUrl: string | null;
  /** Call this when the person has followed a link to the app. */
  readonly ask: () => Promise<void>;
}

/** Watches whether a link to the app opened a program. If not, it also looks up where the app can be downloaded. */
export function useAppLink(baseUrl: string): AppLink {
  const [unanswered, setUnanswered] = useState(false);
  const [downloadUrl, setDownloadUrl] = useState<string | null>(null);
  const ask = async (): Promise<void> => {
    setUnanswered(false);
    if (await appOpened(ownSurroundings())) return;
    setDownloadUrl(await appDownloadUrl(baseUrl));
    setUnanswered(true);
  };
  return { unanswered, downloadUrl, ask };
}

/** The service redirects `/app` to the operator's address (`--app-url`); without that option it answers 404. */
async function appDownloadUrl(baseUrl: string): Promise<string | null> {
  const address = `${baseUrl}/app`;
  const answer = await fetch(address, { redirect: 'manual', credentials: 'omit' }).catch(() => null);
  return answer?.type === 'opaqueredirect' ? address : null;
}

/** The longest time in milliseconds in which a system asks about, or starts, the program for an address. */
const openTimeoutMs = 2_500;

interface Surroundings {
  /** The page's window. */
  readonly page: EventTarget;
  /** The page's document. */
  readonly document: EventTarget;
  /** Starts a timer. The returned function cancels it. */
  readonly after: (milliseconds: number, work: () => void) => () => void;
}

/**
 * Whether the system handled an address of another program that was just opened. Browsers do not report it. But the
 * system's question, or the program, takes the focus from the page or covers it; without such a program nothing
 * happens.
 */
export function appOpened({ page, document, after }: Surroundings): Promise<boolean> {
  return new Promise((resolve) => {
    const settle = (opened: boolean) => (): void => {
      stop();
      page.removeEventListener('blur', yes);
      page.removeEventListener('pagehide', yes);
      document.removeEventListener('visibilitychange', yes);
      resolve(opened);
    };
    const yes = settle(true);
    const stop = after(openTimeoutMs, settle(false));
    page.addEventListener('blur', yes);
    page.addEventListener('pagehide', yes);
    document.addEventListener('visibilitychange', yes);
  });
}

/** The real window, document and timer of this page. */
const ownSurroundings = (): Surroundings => ({
  page: window,
  document,
  after(milliseconds, work) {
    const timer = setTimeout(work, milliseconds);
    return () => clearTimeout(timer);
  },
});
