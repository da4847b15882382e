import { useInfiniteQuery } from '@tanstack/react-query';
import type { Teamspace } from '#protocol/hosted/teamspaces.ts';
import { limits } from '#protocol/limits.ts';
import { useTeam } from '../app/account.ts';
import { defineCalls, useApi } from '../app/api.ts';
import { uncounted } from '../app/counted.ts';

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

/** The Teamspaces that the person sees, by name, a page at a time. */
export function useTeamspaces() {
  const team = useTeam();
  const api = useApi(teamspaceCalls);
  return useInfiniteQuery({
    queryKey: [...teamspacesKey(team.id), 'list'],
    initialPageParam: '',
    queryFn: async ({ pageParam: after, signal }) => {
      const { records, next } = await api.call('listTeamspaces', {
        params: { team_id: team.id },
        query: { page: 0, limit: limits.pageSize, count_up_to: uncounted, sort: 'name', ...(after && { after }) },
        signal,
      });
      return { next, records: records.map(({ members = [], ...space }): Teamspace => ({ ...space, members })) };
    },
    getNextPageParam: ({ next }) => next || undefined,
  });
}
