import { describe, expect, it } from 'vitest';
import type { ApiReply, ApiRequest } from '#client/ports.ts';
import { createPageClient } from '#web/common/page-client.ts';
import { prefetchAnswers, withPrefetched } from '#web/portal/page/prefetched-answers.ts';

const route = { baseUrl: 'https://files.example.com', subdomain: 'northlight' };
const id = '01980000-0000-7000-8000-000000000000';

/** A service that answers what it is told to, and notes what it was asked. */
function service(answers: Readonly<Record<string, ApiReply | Error>>) {
  const asked: string[] = [];
  const fetcher = async ({ method, url, headers }: ApiRequest): Promise<ApiReply> => {
    asked.push(`${method} ${url.slice(route.baseUrl.length)} ${Object.keys(headers).join()}`);
    const answer = answers[url.slice(route.baseUrl.length)] ?? { status: 404, headers: {}, text: '{}' };
    if (answer instanceof Error) throw answer;
    return answer;
  };
  return { asked, fetcher };
}

const found = { status: 200, headers: {}, text: JSON.stringify({ id }) };
const portal = { status: 200, headers: {}, text: JSON.stringify({ id, name: 'Northlight' }) };

describe('what is asked before the page is there', () => {
  it('is what the page asks first, in the same words, and is not asked twice', async () => {
    const { asked, fetcher } = service({ '/v1/subdomains/portals/northlight': found, [`/v1/portals/${id}`]: portal });
    const api = createPageClient(withPrefetched(fetcher, prefetchAnswers(fetcher, route)), route.baseUrl);
    expect(await api.call('findPortal', { params: { subdomain: 'northlight' } })).toEqual({ id });
    expect(await api.call('getPortal', { params: { portal_id: id }, credential: { kind: 'none' } })).toMatchObject({ name: 'Northlight' });
    expect(asked).toEqual(['GET /v1/subdomains/portals/northlight accept', `GET /v1/portals/${id} accept`]);
    // Asked again it is asked anew, and with a code at once.
    await api.call('getPortal', { params: { portal_id: id } });
    expect(asked).toHaveLength(3);
  });

  it('is no answer to a question with an access code', async () => {
    const { asked, fetcher } = service({ '/v1/subdomains/portals/northlight': found, [`/v1/portals/${id}`]: portal });
    const api = createPageClient(withPrefetched(fetcher, prefetchAnswers(fetcher, route)), route.baseUrl);
    await api.call('findPortal', { params: { subdomain: 'northlight' } });
    await api.call('getPortal', { params: { portal_id: id }, credential: { kind: 'access_code', code: 'harbour' } });
    expect(asked.at(-1)).toBe(`GET /v1/portals/${id} accept,x-access-code`);
  });

  it.each<[string, ApiReply | Error, string]>([
    ['there is no such Portal', { status: 404, headers: {}, text: '{"code":1,"message":"none"}' }, 'service_refused'],
    ['there is no connection', new TypeError('Failed to fetch'), 'service_unreachable'],
    ['something else answers', { status: 200, headers: {}, text: '<html>' }, 'service_refused'],
  ])('fails where the page asks, where %s', async (_, answer, code) => {
    const { asked, fetcher } = service({ '/v1/subdomains/portals/northlight': answer });
    const api = createPageClient(withPrefetched(fetcher, prefetchAnswers(fetcher, route)), route.baseUrl);
    await expect(api.call('findPortal', { params: { subdomain: 'northlight' } })).rejects.toMatchObject({ error: code });
    expect(asked).toHaveLength(1);
  });

  it('is nothing where no script came before', async () => {
    const { asked, fetcher } = service({ '/v1/subdomains/portals/northlight': found });
    const api = createPageClient(withPrefetched(fetcher, undefined), route.baseUrl);
    await api.call('findPortal', { params: { subdomain: 'northlight' } });
    expect(asked).toHaveLength(1);
  });
});
