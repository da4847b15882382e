import { createContext, useContext } from 'react';
import type { Fetcher, Gate } from '#client/ports.ts';
import type { PageClient } from '../../common/page-client.ts';
import type { Pickers } from '../files/gather.ts';
import type { Store, StoreTrouble } from '../sending/store.ts';
import type { Workers } from '../sending/workers.ts';

/** What the page works with: its address, the service and the browser. */
export interface Place {
  readonly subdomain: string;
  /** Of the service, without a slash at the end. */
  readonly baseUrl: string;
  readonly api: PageClient;
  readonly fetcher: Fetcher;
  readonly store: Store;
  /** Why this browser keeps no notes, if it does not. */
  readonly trouble: () => StoreTrouble | null;
  readonly workers: Workers;
  readonly gate: Gate;
  readonly locks: LockManager | undefined;
  readonly pickers: Pickers | null;
}

export const PlaceContext = createContext<Place | null>(null);

export function usePlace(): Place {
  const place = useContext(PlaceContext);
  if (!place) throw new Error('This part of the page stands outside of its place.');
  return place;
}

/**
 * What the page's address says: `{base}/p/{subdomain}`, or `{subdomain}.{base domain}/`, where the service gives this page
 * under no other name. Null where it says nothing.
 */
export function placeOfPage({ origin, hostname, pathname }: URL): { readonly subdomain: string; readonly baseUrl: string } | null {
  const found = /^(.*)\/p\/([a-z0-9-]{3,53})\/?$/.exec(pathname);
  if (found) return { subdomain: found[2]!, baseUrl: origin + found[1]! };
  const own = pathname === '/' ? /^([a-z0-9-]{3,53})\.[^.]/.exec(hostname) : null;
  return own ? { subdomain: own[1]!, baseUrl: origin } : null;
}
