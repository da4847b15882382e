import { createContext, useContext } from 'react';
import type { Fetcher } from '#client/ports.ts';
import type { PageClient } from '../../common/page-client.ts';
import type { Pickers } from '../files/read-entries.ts';
import type { Store, StoredPackage, StoreTrouble } from '../store.ts';

/** What sending needs of the page that it is part of: the service and the browser. */
export interface SendingEnvironment {
  readonly api: PageClient;
  readonly fetcher: Fetcher;
  readonly store: Store;
  /** A token by which a package that was stored goes on. */
  readonly tokenOf: (stored: StoredPackage) => Promise<string>;
  /** Why this browser cannot store state, if it cannot. */
  readonly trouble: () => StoreTrouble | null;
  readonly locks: LockManager | undefined;
  readonly pickers: Pickers | null;
}

export const SendingEnvironmentContext = createContext<SendingEnvironment | null>(null);

export function useSendingEnvironment(): SendingEnvironment {
  const environment = useContext(SendingEnvironmentContext);
  if (!environment) throw new Error('SendingEnvironmentContext is missing above this component.');
  return environment;
}
