import { accountRoutes } from './accounts.ts';
import { fileRoutes } from './files.ts';
import { linkRoutes } from './links.ts';
import { packageRoutes } from './packages.ts';

/** Every endpoint of the hosted API. */
export const hostedRoutes = {
  ...accountRoutes,
  ...packageRoutes,
  ...fileRoutes,
  ...linkRoutes,
} as const;

export type HostedRoutes = typeof hostedRoutes;
export type HostedRouteName = keyof HostedRoutes;
