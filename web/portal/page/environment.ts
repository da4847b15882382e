import { createContext, useContext } from 'react';
import type { Fetcher } from '#client/ports.ts';
import type { PageClient } from '../../common/page-client.ts';
import type { Pickers } from '../files/read-entries.ts';
import type { Store, StoreTrouble } from '../sending/store.ts';
import type { PortalAddress } from './portal-address.ts';

/** The page's dependencies: its address, the service and the browser. */
export interface PageEnvironment extends PortalAddress {
  readonly api: PageClient;
  readonly fetcher: Fetcher;
  readonly store: Store;
  /** Why this browser cannot store state, if it cannot. */
  readonly trouble: () => StoreTrouble | null;
  readonly locks: LockManager | undefined;
  readonly pickers: Pickers | null;
}

export const PageEnvironmentContext = createContext<PageEnvironment | null>(null);

export function usePageEnvironment(): PageEnvironment {
  const environment = useContext(PageEnvironmentContext);
  if (!environment) throw new Error('PageEnvironmentContext is missing above this component.');
  return environment;
}
