import { useState } from 'react';
import { appOpened, ownSurroundings } from './app-opened.ts';

export interface AppAsked {
  /** No program has opened, or it is not known yet. */
  readonly unanswered: boolean;
  /** The app's download address; null where the operator has not configured one. */
  readonly downloadUrl: string | null;
  /** Call this when the person has followed a link to the app. */
  readonly ask: () => Promise<void>;
}

/** Watches whether a link to the app opened a program. If not, it also looks up where the app can be downloaded. */
export function useApp(baseUrl: string): AppAsked {
  const [unanswered, setUnanswered] = useState(false);
  const [place, setPlace] = useState<string | null>(null);
  const ask = async (): Promise<void> => {
    setUnanswered(false);
    if (await appOpened(ownSurroundings())) return;
    setPlace(await placeOfApp(baseUrl));
    setUnanswered(true);
  };
  return { unanswered, downloadUrl: place, ask };
}

/** The service redirects `/app` to the operator's address (`--app-url`); without that option it answers 404. */
export async function placeOfApp(baseUrl: string): Promise<string | null> {
  const address = `${baseUrl}/app`;
  const answer = await fetch(address, { redirect: 'manual', credentials: 'omit' }).catch(() => null);
  return answer?.type === 'opaqueredirect' ? address : null;
}
