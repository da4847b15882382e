import type { HostedRouteName } from '#protocol/hosted/routes.ts';

/**
 * Endpoints that are declared in the route table and have no handler yet. They answer 501 to a caller with a valid
 * credential. A route leaves this list in the commit that adds its handler; in the end the list is empty.
 */
export const pendingRoutes = [
  'createStorageGateway',
  'listStorageGateways',
  'deleteStorageGateway',
  'pollStorageGateway',
  'answerGatewayTask',
  'reportTransfer',
] as const satisfies readonly HostedRouteName[];

export type PendingRouteName = (typeof pendingRoutes)[number];
