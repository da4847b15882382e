import { useQueryClient } from '@tanstack/react-query';
import type { Tag } from '#protocol/hosted/tags.ts';
import { useTeam } from '../app/account.ts';
import { defineCalls, useApi } from '../app/api.ts';
import { countedUpTo } from '../app/counted.ts';
import type { ChoiceSource, Found, Named } from './choice-of-many.tsx';

const calls = defineCalls({
  listPortals: { method: 'GET', path: '/v1.1/teams/{team_id}/portals', reply: { status: 200 } },
  getPortal: { method: 'GET', path: '/v1/portals/{portal_id}', reply: { status: 200 } },
  listTeamspaces: { method: 'GET', path: '/v1.1/teams/{team_id}/spaces', reply: { status: 200 } },
  getTeamspace: { method: 'GET', path: '/v1/spaces/{space_id}', reply: { status: 200 } },
  listTags: { method: 'GET', path: '/v1/teams/{team_id}/tags', reply: { status: 200 } },
});

/** Milliseconds for which the list of tags is good enough to be searched again. */
const fresh = 10_000;

/** What of a Team can be chosen by name, among however many there are. */
interface ChoiceSources {
  readonly portals: ChoiceSource;
  /** Those that the person sees. */
  readonly teamspaces: ChoiceSource;
  readonly tags: ChoiceSource<Tag>;
}

export function useChoiceSources(): ChoiceSources {
  const team = useTeam();
  const api = useApi(calls);
  const cache = useQueryClient();
  const params = { team_id: team.id };
  const named = (part: string) => (part === '' ? {} : { name: part });
  const tagsKey = ['team', team.id, 'tags'];
  // They come in one list, which other views have, too.
  const tags = (): Promise<readonly Tag[]> =>
    cache.fetchQuery({ queryKey: tagsKey, queryFn: () => api.call('listTags', { params }), staleTime: fresh });
  return {
    portals: {
      key: ['team', team.id, 'portals'],
      async find(part, limit, signal) {
        const { metadata, records } = await api.call('listPortals', {
          params,
          query: { page: 1, limit, count_up_to: countedUpTo, sort: 'name', ...named(part) },
          signal,
        });
        return { records, ...metadata };
      },
      read: (id, signal) => api.call('getPortal', { params: { portal_id: id }, signal }),
    },
    teamspaces: {
      key: ['team', team.id, 'teamspaces'],
      async find(part, limit, signal) {
        const query = { page: 0, limit, count_up_to: countedUpTo, sort: 'name', members: false, ...named(part) } as const;
        const { metadata, records } = await api.call('listTeamspaces', { params, query, signal });
        return { records, ...metadata };
      },
      read: (id, signal) => api.call('getTeamspace', { params: { space_id: id }, signal }),
    },
    tags: {
      key: tagsKey,
      async find(part, most) {
        return among(await tags(), part, most);
      },
      async read(id) {
        return (await tags()).find((tag) => tag.id === id) ?? null;
      },
    },
  };
}

/** The first `most` by name of those whose name has the part in it, and how many these are. */
export function among<One extends Named>(all: readonly One[], part: string, most: number): Found<One> {
  const wanted = part.toLocaleLowerCase();
  const found = all
    .filter(({ name }) => name.toLocaleLowerCase().includes(wanted))
    .toSorted((a, b) => a.name.localeCompare(b.name, undefined, { numeric: true }));
  return { records: found.slice(0, most), total: found.length };
}
