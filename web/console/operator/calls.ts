import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { defineCalls, useApi } from '../app/api.ts';

export const operatorCalls = defineCalls({
  serviceOverview: { method: 'GET', path: '/v1/operator/overview', reply: { status: 200 } },
  listOperatorLog: { method: 'GET', path: '/v1/operator/log', reply: { status: 200 } },
  listOperatedTeams: { method: 'GET', path: '/v1/operator/teams', reply: { status: 200 } },
  suspendTeam: { method: 'POST', path: '/v1/operator/teams/{team_id}/suspend', reply: { status: 200 } },
  reactivateTeam: { method: 'POST', path: '/v1/operator/teams/{team_id}/reactivate', reply: { status: 200 } },
  setTeamQuotas: { method: 'PUT', path: '/v1/operator/teams/{team_id}/quotas', reply: { status: 200 } },
  listFailedJobs: { method: 'GET', path: '/v1/operator/failed_jobs', reply: { status: 200 } },
  retryFailedJobs: { method: 'POST', path: '/v1/operator/failed_jobs/retry', reply: { status: 200 } },
  listIntegrityFindings: { method: 'GET', path: '/v1/operator/integrity_findings', reply: { status: 200 } },
  listFailedMails: { method: 'GET', path: '/v1/operator/failed_mails', reply: { status: 200 } },
  retryFailedMails: { method: 'POST', path: '/v1/operator/failed_mails/retry', reply: { status: 200 } },
});

/** What all of an operator's data is kept under. */
export const operatorKey = ['operator'] as const;

/** Milliseconds after which what is in sight is asked for again: nothing tells of changes here. */
const refetchInterval = 15_000;
/** Of Teams: each list sums up what they take. */
const teamsInterval = 60_000;
const limit = 100;

export function useOverview() {
  const api = useApi(operatorCalls);
  return useQuery({
    queryKey: [...operatorKey, 'overview'],
    queryFn: ({ signal }) => api.call('serviceOverview', { signal }),
    refetchInterval,
  });
}

/** A list by cursor, asked for again as long as it is short. */
function useList<Page extends { readonly next?: string }>(
  key: readonly unknown[],
  ask: (page: { readonly limit: number; readonly cursor?: string }, signal: AbortSignal) => Promise<Page>,
  interval = refetchInterval,
) {
  return useInfiniteQuery({
    queryKey: [...operatorKey, ...key],
    queryFn: ({ pageParam, signal }) => ask({ limit, ...(pageParam === '' ? {} : { cursor: pageParam }) }, signal),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) > 1 ? false : interval),
  });
}

export interface TeamFilters {
  readonly search?: string;
  readonly state?: 'active' | 'inactive';
  readonly sort?: 'usage';
}

export function useOperatedTeams(filters: TeamFilters) {
  const api = useApi(operatorCalls);
  return useList(
    ['teams', filters],
    (page, signal) => api.call('listOperatedTeams', { query: { ...filters, ...page }, signal }),
    teamsInterval,
  );
}

export function useFailedJobs(kind: string) {
  const api = useApi(operatorCalls);
  return useList(['jobs', kind], (page, signal) =>
    api.call('listFailedJobs', { query: { ...(kind === '' ? {} : { kind }), ...page }, signal }),
  );
}

export function useFailedMails() {
  const api = useApi(operatorCalls);
  return useList(['mails'], (page, signal) => api.call('listFailedMails', { query: page, signal }));
}

export function useIntegrityFindings() {
  const api = useApi(operatorCalls);
  return useList(['findings'], (page, signal) => api.call('listIntegrityFindings', { query: page, signal }));
}

export function useOperatorLog() {
  const api = useApi(operatorCalls);
  return useList(['log'], (page, signal) => api.call('listOperatorLog', { query: page, signal }));
}
