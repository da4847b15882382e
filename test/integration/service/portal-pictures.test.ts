import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Link, LinkInfo } from '#protocol/hosted/links.ts';
import { newId } from '#service/ids.ts';
import { managing } from '#test/support/service/packages.ts';
import { newPortal, portalSender } from '#test/support/service/portals.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';

const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');
const drawing = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';

let service: TestService;
let careful: TestService;
let keeper: Server;
let origin: string;
let asked: string[] = [];

beforeAll(async () => {
  keeper = createServer((request, response) => {
    asked.push(request.url!);
    const answer = (type: string, body: Buffer | string, status = 200) => response.writeHead(status, { 'content-type': type }).end(body);
    if (request.url === '/logo.png') return answer('image/png', png);
    if (request.url === '/logo.svg') return answer('image/svg+xml; charset=utf-8', drawing);
    if (request.url === '/page') return answer('text/html', '<script>alert(1)</script>');
    if (request.url === '/large') return answer('image/png', Buffer.alloc(9 * 1024 * 1024));
    if (request.url === '/moved') return response.writeHead(302, { location: '/logo.png' }).end();
    return answer('text/plain', 'nothing here', 404);
  });
  await new Promise<void>((resolve) => keeper.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(keeper.address() as AddressInfo).port}`;
  [service, careful] = await Promise.all([startTestService({ allowPrivateWebhooks: true }), startTestService()]);
});
afterAll(async () => {
  keeper?.closeAllConnections();
  keeper?.close();
  await Promise.all([service?.close(), careful?.close()]);
});

const picture = (t: TestService, subdomain: string, kind: string, of: string) =>
  fetch(`${t.url}/p/${subdomain}/${kind}?${new URLSearchParams({ of })}`);

describe("a Portal's pictures", () => {
  it('are fetched by the service, once for many visitors', async () => {
    const portal = await newPortal(service, { logo_url: `${origin}/logo.png` });
    asked = [];
    for (let visitor = 0; visitor < 3; visitor++) {
      const answer = await picture(service, portal.subdomain, 'logo', `${origin}/logo.png`);
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/png']);
      expect(Buffer.from(await answer.arrayBuffer()).equals(png)).toBe(true);
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    }
    expect(asked).toEqual(['/logo.png']);
  });

  it('come to those who open a link of what came in through it, too', async () => {
    const portal = await newPortal(service, { name: 'Northlight', primary_color: '#7a2e8f', logo_url: `${origin}/logo.png` });
    const sender = await portalSender(service, portal.id);
    await sender.send('', 'a.txt', Buffer.from('a'));
    await sender.finalize();
    const headers = await managing(service, sender.package.id);
    const { body: link } = await service.call<Link>('POST', `/v1/packages/${sender.package.id}/links`, { headers, body: {} });
    const opened = await service.call<LinkInfo>('GET', `/v1/links/${link.id}?secret=${link.download_secret}`);
    expect(opened.body.branding).toEqual({
      primary_color: '#7a2e8f',
      name: 'Northlight',
      logo_url: `${origin}/logo.png`,
      background_url: '',
    });
    const answer = (of: string, id = link.id) => fetch(`${service.url}/d/${id}/logo?${new URLSearchParams({ of })}`);
    expect(Buffer.from(await (await answer(`${origin}/logo.png`)).arrayBuffer()).equals(png)).toBe(true);
    for (const none of [answer(`${origin}/page`), answer(''), answer(`${origin}/logo.png`, newId()), answer(`${origin}/logo.png`, 'x')]) {
      expect((await none).status).toBe(404);
    }
  });

  it('may be drawings, in which nothing runs', async () => {
    const portal = await newPortal(service, { background_url: `${origin}/logo.svg` });
    const answer = await picture(service, portal.subdomain, 'background', `${origin}/logo.svg`);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
    expect(answer.headers.get('content-security-policy')).toBe("default-src 'none'; style-src 'unsafe-inline'; sandbox");
  });

  it('are only those that the Portal names', async () => {
    const portal = await newPortal(service, { logo_url: `${origin}/logo.png`, access_code: 'harbour 12' });
    asked = [];
    const tries = [
      picture(service, portal.subdomain, 'logo', `${origin}/page`),
      picture(service, portal.subdomain, 'logo', ''),
      picture(service, portal.subdomain, 'background', `${origin}/logo.png`),
      picture(service, portal.subdomain, 'background', ''),
      picture(service, 'no-such-portal', 'logo', `${origin}/logo.png`),
      fetch(`${service.url}/p/${portal.subdomain}/logo`),
    ];
    expect((await Promise.all(tries)).map(({ status }) => status)).toEqual([404, 404, 404, 404, 404, 404]);
    expect(asked).toEqual([]);
  });

  it.each(['/page', '/large', '/moved', '/none'])('that are none (%s) are 404, and asked for once', async (path) => {
    const portal = await newPortal(service, { logo_url: origin + path });
    asked = [];
    for (let visitor = 0; visitor < 2; visitor++)
      expect((await picture(service, portal.subdomain, 'logo', origin + path)).status).toBe(404);
    expect(asked).toEqual([path]);
  });

  it('are not fetched from private networks unless the operator allows it', async () => {
    const portal = await newPortal(careful, { logo_url: `${origin}/logo.png` });
    asked = [];
    expect((await picture(careful, portal.subdomain, 'logo', `${origin}/logo.png`)).status).toBe(404);
    expect(asked).toEqual([]);
  });
});
