import { useQuery } from '@tanstack/react-query';
import type { Teamspace } from '#protocol/hosted/teamspaces.ts';
import { limits } from '#protocol/limits.ts';
import { useTeam } from '../app/account.ts';
import { defineCalls, useApi } from '../app/api.ts';

export const teamspaceCalls = defineCalls({
  listTeamspaces: { method: 'GET', path: '/v1.1/teams/{team_id}/spaces', reply: { status: 200 } },
  getTeamspace: { method: 'GET', path: '/v1/spaces/{space_id}', reply: { status: 200 } },
  createTeamspace: { method: 'POST', path: '/v1/teams/{team_id}/spaces', reply: { status: 201 } },
  updateTeamspace: { method: 'PUT', path: '/v1/spaces/{space_id}', reply: { status: 200 } },
  deleteTeamspace: { method: 'DELETE', path: '/v1/spaces/{space_id}', reply: { status: 204 } },
  addTeamspaceMembers: { method: 'POST', path: '/v1/spaces/{space_id}/members', reply: { status: 201 } },
  removeTeamspaceMember: { method: 'DELETE', path: '/v1/spaces/{space_id}/members/{teamspace_membership_id}', reply: { status: 204 } },
});

export const teamspacesKey = (teamId: string) => ['team', teamId, 'teamspaces'] as const;

/** All Teamspaces that the person sees, by name. */
export function useTeamspaces() {
  const team = useTeam();
  const api = useApi(teamspaceCalls);
  return useQuery({
    queryKey: teamspacesKey(team.id),
    queryFn: async ({ signal }) => {
      const found: Teamspace[] = [];
      for (let page = 0; ; page++) {
        const { metadata, records } = await api.call('listTeamspaces', {
          params: { team_id: team.id },
          query: { page, limit: limits.pageSize },
          signal,
        });
        found.push(...records.map(({ members = [], ...space }) => ({ ...space, members })));
        if (records.length < limits.pageSize || found.length >= metadata.total) break;
      }
      return found.sort((a, b) => a.name.localeCompare(b.name));
    },
  });
}
