import { createContext, useContext } from 'react';
import type { SendingEnvironment } from '../../sending/view/environment.ts';
import type { PortalAddress } from './portal-address.ts';

/** The page's dependencies: its address, the service and the browser. */
export interface PageEnvironment extends PortalAddress, SendingEnvironment {}

export const PageEnvironmentContext = createContext<PageEnvironment | null>(null);

export function usePageEnvironment(): PageEnvironment {
  const environment = useContext(PageEnvironmentContext);
  if (!environment) throw new Error('PageEnvironmentContext is missing above this component.');
  return environment;
}
