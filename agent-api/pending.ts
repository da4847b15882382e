import type { AgentRouteName } from '#protocol/agent/routes.ts';

/**
 * Endpoints that are declared but not implemented yet: they answer 501. Remove an endpoint from this list when you
 * implement it.
 */
export const pendingRoutes = [] as const satisfies readonly AgentRouteName[];

type PendingRouteName = (typeof pendingRoutes)[number];
export type ServedRouteName = Exclude<AgentRouteName, PendingRouteName>;
