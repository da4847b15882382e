import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import type { MemberQuery } from '#protocol/hosted/members.ts';
import { defineCalls, useApi } from '../app/api.ts';

export const memberCalls = defineCalls({
  findMembers: { method: 'GET', path: '/v1.1/teams/{team_id}/members', reply: { status: 200 } },
  addMember: { method: 'POST', path: '/v1/teams/{team_id}/members', reply: { status: 201 } },
  resendInvitation: { method: 'POST', path: '/v1/members/{member_id}/resend', reply: { status: 204 } },
  updateMember: { method: 'PUT', path: '/v1/members/{member_id}', reply: { status: 200 } },
  removeMember: { method: 'DELETE', path: '/v1/members/{member_id}', reply: { status: 204 } },
});

export type MemberFilters = Pick<MemberQuery, 'search' | 'role' | 'state' | 'space_id'>;

export const membersKey = (teamId: string) => ['team', teamId, 'members'] as const;

const pageSize = 100;

/** The members of a Team that the filters find, page by page. */
export function useMembers(teamId: string, filters: MemberFilters) {
  const api = useApi(memberCalls);
  return useInfiniteQuery({
    queryKey: [...membersKey(teamId), filters],
    queryFn: ({ pageParam, signal }) =>
      api.call('findMembers', {
        params: { team_id: teamId },
        query: { ...filters, limit: pageSize, ...(pageParam !== '' && { after: pageParam }) },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: ({ next }) => (next === '' ? undefined : next),
    // While somebody types, the list before stays in sight.
    placeholderData: keepPreviousData,
  });
}
