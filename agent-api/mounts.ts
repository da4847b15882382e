import type { MountRouteName } from '#protocol/agent/mounts.ts';
import type { AgentHandlers } from './handler.ts';

/** The storage gateway's mounts: contract/agent.md §11. */
export const mountHandlers: Pick<AgentHandlers, MountRouteName> = {
  listMounts: async (_, { engine }) => engine.gateway.list(),
  createMount: ({ body }, { engine }) => engine.gateway.create(body),
  getMount: async ({ params }, { engine }) => engine.gateway.get(params.id),
  updateMount: ({ params, body }, { engine }) => engine.gateway.update(params.id, body),
  checkMount: ({ params }, { engine }) => engine.gateway.check(params.id),
  deleteMount: async ({ params }, { engine }) => {
    await engine.gateway.remove(params.id);
    return undefined;
  },
};
