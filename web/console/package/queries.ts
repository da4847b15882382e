import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { Package } from '#protocol/hosted/packages.ts';
import { hasPassed } from '#ui/has-passed.ts';
import { useTeam } from '../app/account.ts';
import { defineCalls, useApi } from '../app/api.ts';
import { useFallbackInterval } from '../app/live.ts';
import { tokenOf } from '../packages/actions.ts';

const calls = defineCalls({
  getTeamPackage: { method: 'GET', path: '/v1/teams/{team_id}/packages/{package_id}', reply: { status: 200 } },
  listLinks: { method: 'GET', path: '/v1/packages/{package_id}/links', reply: { status: 200 } },
  listDownloads: { method: 'GET', path: '/v1/packages/{package_id}/downloads', reply: { status: 200 } },
  listFiles: { method: 'GET', path: '/v1/packages/{package_id}/files', reply: { status: 200 } },
  getPackageMetadata: { method: 'GET', path: '/v1/packages/{package_id}/metadata', reply: { status: 200 } },
  listTransfers: { method: 'GET', path: '/v1/packages/{package_id}/transfer', reply: { status: 200 } },
});

const pageSize = 50;
/** Milliseconds between two looks at what moves, where the service does not tell: downloads and transfers. */
const interval = 10_000;

export const isOver = ({ state }: Pick<Package, 'state'>): boolean => state === 'expired' || state === 'archived';

/** Nobody downloads it any more, whether its files are there still or not. */
export const isOutOfTime = (one: Pick<Package, 'state' | 'expiry'>): boolean =>
  isOver(one) || (one.state === 'finalized' && hasPassed(one.expiry));

/** One package, with the token of whoever is signed in. */
export function usePackage(packageId: string) {
  const team = useTeam();
  const api = useApi(calls);
  return useQuery({
    queryKey: ['team', team.id, 'package', packageId],
    queryFn: ({ signal }) => api.call('getTeamPackage', { params: { team_id: team.id, package_id: packageId }, signal }),
  });
}

/** What belongs to a package that its record does not say. Guests see none of what takes a management token. */
export function usePackageParts(one: Package, mayManage: boolean) {
  const team = useTeam();
  const api = useApi(calls);
  const key = (part: string) => ['team', team.id, 'package', one.id, part] as const;
  const refetchInterval = useFallbackInterval(interval);
  const of = { params: { package_id: one.id }, credential: tokenOf(one) };
  const links = useQuery({
    queryKey: key('links'),
    queryFn: ({ signal }) => api.call('listLinks', { ...of, signal }),
    enabled: mayManage,
    refetchInterval,
  });
  const downloads = useInfiniteQuery({
    queryKey: key('downloads'),
    queryFn: ({ pageParam, signal }) =>
      api.call('listDownloads', { ...of, query: { limit: pageSize, ...(pageParam === '' ? {} : { before: pageParam }) }, signal }),
    initialPageParam: '',
    getNextPageParam: ({ records }) => (records.length === pageSize ? records.at(-1)!.id : undefined),
    enabled: mayManage,
    refetchInterval,
  });
  const files = useQuery({
    queryKey: key('files'),
    queryFn: ({ signal }) => api.call('listFiles', { ...of, signal }),
    enabled: !isOver(one),
  });
  const answers = useQuery({
    queryKey: key('answers'),
    queryFn: ({ signal }) => api.call('getPackageMetadata', { ...of, signal }),
    enabled: mayManage && one.custom_metadata_id !== '' && !isOver(one),
  });
  const transfers = useQuery({
    queryKey: key('transfers'),
    queryFn: ({ signal }) => api.call('listTransfers', { ...of, signal }),
    enabled: mayManage,
    refetchInterval,
  });
  return { links, downloads, files, answers, transfers };
}

export type PackageParts = ReturnType<typeof usePackageParts>;
