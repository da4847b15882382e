import { hostedRoutes } from '#protocol/hosted/routes.ts';
import { createClientOf, type HostedClient, type HostedClientOptions } from './calls.ts';

export type { HostedClient, HostedClientOptions, HostedCredential, HostedRequest } from './calls.ts';

/** A client of all endpoints, with the whole route table. */
export function createHostedClient(options: HostedClientOptions): HostedClient {
  return createClientOf(hostedRoutes, options);
}
