import { eventRoutes } from './events.ts';
import { sessionRoutes } from './session.ts';
import { systemRoutes } from './system.ts';
import { transferRoutes } from './transfers.ts';

/** Every endpoint of the agent's local API. */
export const agentRoutes = {
  ...sessionRoutes,
  ...transferRoutes,
  ...eventRoutes,
  ...systemRoutes,
} as const;

export type AgentRoutes = typeof agentRoutes;
export type AgentRouteName = keyof AgentRoutes;
