import { createContext, useContext } from 'react';
import type { Fetcher } from '#client/ports.ts';
import type { PageClient } from '../../common/page-client.ts';
import type { Pickers } from '../files/read-entries.ts';
import type { Store, StoreTrouble } from '../sending/store.ts';
import type { PlaceOfPage } from './place-of-page.ts';

/** The lazily loaded part of the page that sends. */
export type Later = typeof import('./later.ts');

/** The page's dependencies: its address, the service and the browser. */
export interface Place extends PlaceOfPage {
  readonly api: PageClient;
  readonly fetcher: Fetcher;
  readonly store: Store;
  /** Why this browser cannot store state, if it cannot. */
  readonly trouble: () => StoreTrouble | null;
  readonly locks: LockManager | undefined;
  readonly pickers: Pickers | null;
  /** Rejects with `CodeMissing`; the next call tries again. */
  readonly later: () => Promise<Later>;
}

export const PlaceContext = createContext<Place | null>(null);

export function usePlace(): Place {
  const place = useContext(PlaceContext);
  if (!place) throw new Error('This part of the page stands outside of its place.');
  return place;
}
