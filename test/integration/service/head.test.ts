import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Link } from '#protocol/hosted/links.ts';
import { hostedRoutes } from '#protocol/hosted/routes.ts';
import type { Route } from '#protocol/route.ts';
import { newId } from '#service/ids.ts';
import { newPortal } from '#test/support/service/portals.ts';
import { newSender, openLink } from '#test/support/service/sender.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';

/** HEAD is GET without the body: the same status and headers, wherever GET is taken. */

let t: TestService;
beforeAll(async () => {
  t = await startTestService({ metricsListen: { host: '127.0.0.1', port: 0 }, limits: { refusalsPerAddress: 10_000 } });
});
afterAll(() => t?.close());

async function ask(method: 'GET' | 'HEAD', url: string, headers: Record<string, string> = {}) {
  const answer = await request(url, { method, headers });
  const body = await answer.body.text();
  return { status: answer.statusCode, body, headers: answer.headers };
}

async function expectSame(url: string, headers: Record<string, string> = {}): Promise<number> {
  const [get, head] = [await ask('GET', url, headers), await ask('HEAD', url, headers)];
  expect([head.status, head.headers['content-type'], head.body], url).toEqual([get.status, get.headers['content-type'], '']);
  if (get.headers['content-length'] !== undefined) expect(head.headers['content-length'], url).toBe(get.headers['content-length']);
  return get.status;
}

const gets = Object.entries<Route>(hostedRoutes).filter(([, { method, reply }]) => method === 'GET' && !('stream' in reply));

describe('HEAD of the API', () => {
  it.each(gets)('%s answers as GET does, for a user and for nobody', async (_, route) => {
    const path = route.path.replace('{team_id}', t.teamId).replace(/\{\w+\}/g, newId());
    await expectSame(t.url + path, { 'x-user-token': t.userToken });
    await expectSame(t.url + path);
  });

  it('of a resource that exists is 200', async () => {
    const portal = await newPortal(t);
    const sender = await newSender(t);
    await sender.send('', 'a.txt', Buffer.from('hello'));
    await sender.finalize();
    const user = { 'x-user-token': t.userToken };
    expect(await expectSame(`${t.url}/v1/users/me`, user)).toBe(200);
    expect(await expectSame(`${t.url}/v1.1/teams/${t.teamId}/packages`, user)).toBe(200);
    expect(await expectSame(`${t.url}/v1/portals/${portal.id}`)).toBe(200);
    expect(await expectSame(`${t.url}/v1/packages/${sender.package.id}/files`, sender.token)).toBe(200);
    const { body: link } = await t.call<Link>('POST', `/v1/packages/${sender.package.id}/links`, { headers: sender.token, body: {} });
    const read = { 'x-package-token': (await openLink(t, link)).body.package_token };
    const files = await t.call<{ id: string; kind: string }[]>('GET', `/v1/packages/${sender.package.id}/files`, { headers: read });
    for (const { id } of files.body) {
      const { url } = (await t.call<{ url: string }>('GET', `/v1/packages/${sender.package.id}/files/${id}/download`, { headers: read }))
        .body;
      // The storage's own, and the zips'.
      expect(await expectSame(url)).toBe(200);
    }
  });

  it('of an event stream opens no stream', async () => {
    const sender = await newSender(t);
    const head = await ask('HEAD', `${t.url}/v1/packages/${sender.package.id}/events`, sender.token);
    expect([head.status, head.headers['content-type'], head.body]).toEqual([200, 'text/event-stream', '']);
    expect((await ask('HEAD', `${t.url}/v1/packages/${sender.package.id}/events`)).status).toBe(401);
  });
});

describe('HEAD of the pages', () => {
  it.each(['/', '/docs', '/docs.css', '/openapi.json', '/healthz', '/p/nobody', '/d/nobody', '/app'])('%s', async (path) => {
    await expectSame(t.url + path);
  });

  it('of the metrics', async () => {
    expect((await ask('HEAD', `${t.service.metricsUrl}/metrics`.replace('/metrics/metrics', '/metrics'))).status).toBe(200);
  });
});
