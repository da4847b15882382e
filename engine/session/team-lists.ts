import type { HostedClient } from '#client/hosted.ts';
import type { GatewayConnection, TeamPortal } from '#protocol/agent/team-lists.ts';
import { limits } from '#protocol/limits.ts';
import { gatewayProviders } from '#protocol/providers.ts';
import { asSession } from './as-session.ts';
import type { Session } from './session.ts';

/** What a Team has that a person chooses from (contract/agent.md §2). `session_is_nil`, `not_found`, the service's errors. */
export interface TeamLists {
  /** By name. */
  portals(teamId: string): Promise<TeamPortal[]>;
  /** By name. */
  gatewayConnections(teamId: string): Promise<GatewayConnection[]>;
}

export function teamLists(session: Pick<Session, 'findFor' | 'hosted'>): TeamLists {
  const asked = async <T>(teamId: string, call: (client: HostedClient) => Promise<T>): Promise<T> => {
    const { id: sessionId, serviceUrl } = await session.findFor(teamId);
    return asSession(session, { serviceUrl, teamId, sessionId }, call);
  };
  return {
    portals: (teamId) =>
      asked(teamId, async (client) => {
        const portals: TeamPortal[] = [];
        for (let page = 1; ; page++) {
          const query = { page, limit: limits.pageSize, sort: 'name' } as const;
          const { metadata, records } = await client.call('listPortals', { params: { team_id: teamId }, query });
          portals.push(...records.map(({ id, name, subdomain, active }) => ({ id, name, subdomain, active })));
          if (records.length === 0 || page * limits.pageSize >= metadata.total) return portals;
        }
      }),
    gatewayConnections: (teamId) =>
      asked(teamId, async (client) => {
        const all = await client.call('listConnections', { params: { team_id: teamId } });
        return all
          .flatMap(({ id, name, provider, direction, state }) =>
            gatewayProviders.some((one) => one === provider)
              ? [{ id, name, provider: provider as GatewayConnection['provider'], direction, state }]
              : [],
          )
          .sort((a, b) => a.name.localeCompare(b.name));
      }),
  };
}
