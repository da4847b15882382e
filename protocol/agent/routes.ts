import { sessionRoutes } from './session.ts';
import { transferRoutes } from './transfers.ts';

/** Every endpoint of the agent's local API. */
export const agentRoutes = {
  ...sessionRoutes,
  ...transferRoutes,
} as const;

export type AgentRoutes = typeof agentRoutes;
export type AgentRouteName = keyof AgentRoutes;
