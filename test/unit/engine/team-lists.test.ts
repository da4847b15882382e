import { expect, test } from 'vitest';
import { createHostedClient } from '#client/hosted.ts';
import type { ApiReply, ApiRequest } from '#client/ports.ts';
import { teamLists } from '#engine/session/team-lists.ts';
import { AgentError, ApiError } from '#protocol/errors.ts';

const json = (body: unknown, status = 200): ApiReply => ({ status, headers: {}, text: JSON.stringify(body) });

/** A session in the Team `t1` alone, with a service that answers by `fetcher`. */
function lists(fetcher: (request: ApiRequest) => ApiReply) {
  return teamLists({
    findFor: async (teamId) => {
      if (teamId !== 't1') throw new AgentError('not_found', { resource: 'Team' });
      return { id: 's1', serviceUrl: 'https://share.example.com' };
    },
    hosted: ({ serviceUrl }) => ({
      client: createHostedClient({ baseUrl: serviceUrl, fetcher: async (request) => fetcher(request) }),
      refused: async (cause) => new AgentError('session_expired', {}, { cause }),
    }),
  });
}

test('all Portals of a Team are listed, page by page, with what a person chooses by', async () => {
  const all = Array.from({ length: 60 }, (_, at) => ({
    id: `p${at}`,
    name: `Portal ${at}`,
    subdomain: `portal-${at}`,
    active: at % 2 === 0,
  }));
  const asked: string[] = [];
  const { portals } = lists(({ url }) => {
    const { pathname, searchParams } = new URL(url);
    asked.push(`${pathname} ${searchParams.get('page')}`);
    const from = (Number(searchParams.get('page')) - 1) * 50;
    return json({ metadata: { total: 60 }, records: all.slice(from, from + 50).map((one) => ({ ...one, message: 'Not told.' })) });
  });
  expect(await portals('t1')).toEqual(all);
  expect(asked).toEqual(['/v1.1/teams/t1/portals 1', '/v1.1/teams/t1/portals 2']);
  await expect(portals('t2')).rejects.toMatchObject({ error: 'not_found' });
});

test('of the connections of a Team those are listed that a gateway serves', async () => {
  const of = (id: string, name: string, provider: string) => ({
    id,
    name,
    provider,
    direction: 'service_to_cloud',
    state: 'ok',
    target_directory_id: '',
  });
  const { gatewayConnections } = lists(() =>
    json([of('c1', 'Stills', 'synology_sg'), of('c2', 'Bucket', 'amazon_s3'), of('c3', 'Dailies', 'storage_gateway')]),
  );
  expect(await gatewayConnections('t1')).toEqual([
    { id: 'c3', name: 'Dailies', provider: 'storage_gateway', direction: 'service_to_cloud', state: 'ok' },
    { id: 'c1', name: 'Stills', provider: 'synology_sg', direction: 'service_to_cloud', state: 'ok' },
  ]);
});

test('a session that the service refuses is over', async () => {
  const failure = new ApiError('credential_invalid');
  const { portals } = lists(() => json(failure.body, failure.status));
  await expect(portals('t1')).rejects.toMatchObject({ error: 'session_expired' });
});
