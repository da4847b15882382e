import { useState } from 'react';
import { appOpened, ownSurroundings } from './app-opened.ts';

export interface AppAsked {
  /** Nothing has opened, or not yet said. */
  readonly unanswered: boolean;
  /** Where the app can be had; null where the operator has not said so. */
  readonly place: string | null;
  /** To be called when the person has followed an address of the app's. */
  readonly ask: () => Promise<void>;
}

/** What became of an address that was handed to the app: where nothing opened, also where the app can be had. */
export function useApp(baseUrl: string): AppAsked {
  const [unanswered, setUnanswered] = useState(false);
  const [place, setPlace] = useState<string | null>(null);
  const ask = async (): Promise<void> => {
    setUnanswered(false);
    if (await appOpened(ownSurroundings())) return;
    setPlace(await placeOfApp(baseUrl));
    setUnanswered(true);
  };
  return { unanswered, place, ask };
}

/** The service leads from `/app` to where its operator says (`--app-url`), and knows no such address otherwise. */
export async function placeOfApp(baseUrl: string): Promise<string | null> {
  const address = `${baseUrl}/app`;
  const answer = await fetch(address, { redirect: 'manual', credentials: 'omit' }).catch(() => null);
  return answer?.type === 'opaqueredirect' ? address : null;
}
