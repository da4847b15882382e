import { useQuery } from '@tanstack/react-query';
import { useTeam } from '../app/account.ts';
import { defineCalls, useApi } from '../app/api.ts';
import { useFallbackInterval } from '../app/live.ts';

export const integrationCalls = defineCalls({
  listConnections: { method: 'GET', path: '/v1/teams/{team_id}/cloud_connections', reply: { status: 200 } },
  getConnection: { method: 'GET', path: '/v1/cloud_connections/{connection_id}', reply: { status: 200 } },
  createConnection: { method: 'POST', path: '/v1/teams/{team_id}/cloud_connections', reply: { status: 201 } },
  updateConnection: { method: 'PUT', path: '/v1/cloud_connections/{connection_id}', reply: { status: 200 } },
  browseStorage: { method: 'POST', path: '/v1/teams/{team_id}/cloud_connections/browse', reply: { status: 200 } },
  deleteConnection: { method: 'DELETE', path: '/v1/cloud_connections/{connection_id}', reply: { status: 204 } },
  listStorageGateways: { method: 'GET', path: '/v1/teams/{team_id}/storage_gateways', reply: { status: 200 } },
  deleteStorageGateway: { method: 'DELETE', path: '/v1/storage_gateways/{storage_gateway_id}', reply: { status: 204 } },
});

export const connectionsKey = (teamId: string) => ['team', teamId, 'connections'] as const;
export const gatewaysKey = (teamId: string) => ['team', teamId, 'gateways'] as const;

/** Milliseconds between two looks, where the service does not tell: a gateway that goes, a provider that refuses. */
const interval = 10_000;

export function useConnections() {
  const team = useTeam();
  const api = useApi(integrationCalls);
  return useQuery({
    queryKey: connectionsKey(team.id),
    queryFn: ({ signal }) => api.call('listConnections', { params: { team_id: team.id }, signal }),
    refetchInterval: useFallbackInterval(interval),
  });
}

export function useGateways() {
  const team = useTeam();
  const api = useApi(integrationCalls);
  return useQuery({
    queryKey: gatewaysKey(team.id),
    queryFn: ({ signal }) => api.call('listStorageGateways', { params: { team_id: team.id }, signal }),
    refetchInterval: useFallbackInterval(interval),
  });
}
