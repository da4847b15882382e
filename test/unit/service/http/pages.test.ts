import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HealthProblem } from '#service/health.ts';
import { pages } from '#service/http/pages.ts';
import { portalHosts } from '#service/http/portal-hosts.ts';
import { headersFor } from '#service/http/security-headers.ts';
import type { ReadinessReport } from '#service/readiness.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

let folder: Awaited<ReturnType<typeof tempFolder>>;
let app: FastifyInstance;
let webDir: string;
let problems: HealthProblem[] = [];
let readiness: ReadinessReport = { status: 'ready', checks: { storage: { status: 'ok' } } };

beforeAll(async () => {
  folder = await tempFolder();
  webDir = join(folder.path, 'dist');
  await writeFile(join(folder.path, 'private.txt'), 'not for the world');
  app = Fastify();
  const publicUrl = 'https://files.example.com';
  await app.register(pages, {
    publicUrl,
    storageOrigin: 'https://s3.example.com',
    version: '1.2.3',
    portalHosts: portalHosts('example.com', [publicUrl]),
    appUrl: 'https://apps.example.org/longshore',
    health: { problems: async () => problems },
    readiness: { report: async () => readiness },
    webDir,
  });
});
afterAll(async () => {
  await app?.close();
  await folder?.remove();
});

const get = (url: string) => app.inject({ method: 'GET', url });

describe('the pages of senders and recipients', () => {
  it.each(['/d/some-link?secret=x', '/p/northlight'])('%s answers with a sentence while it is not built', async (url) => {
    const answer = await get(url);
    expect([answer.statusCode, answer.body]).toEqual([503, expect.stringContaining('npm run build')]);
  });

  it('are the same for every address of a kind, and may connect only to the service and the storage', async () => {
    await mkdir(join(webDir, 'assets-web'), { recursive: true });
    await writeFile(join(webDir, 'index.html'), '<!doctype html><title>Download</title>');
    await writeFile(join(webDir, 'portal.html'), '<!doctype html><title>Upload</title>');
    await writeFile(join(webDir, 'console.html'), '<!doctype html><title>Console</title>');
    await writeFile(join(webDir, 'assets-web', 'page-1a2b3c.js'), 'export {};');
    for (const [url, name] of [
      ['/d/some-link?secret=x', 'Download'],
      ['/d/other', 'Download'],
      ['/p/northlight', 'Upload'],
      ['/', 'Console'],
      ['/sign-in?next=/t/a', 'Console'],
      ['/t/some-team/packages/some-package', 'Console'],
      ['/profile/sessions', 'Console'],
      ['/operator', 'Console'],
    ] as const) {
      const answer = await get(url);
      expect([answer.statusCode, answer.body]).toEqual([200, `<!doctype html><title>${name}</title>`]);
      expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
      expect(answer.headers['cache-control']).toBe('no-cache');
      expect(answer.headers['referrer-policy']).toBe('no-referrer');
      const policy = String(answer.headers['content-security-policy']);
      expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self';");
      expect(policy).toContain("connect-src 'self' https://s3.example.com;");
      expect(policy).not.toContain('unsafe');
      expect(policy.includes('media-src https://s3.example.com;')).toBe(name !== 'Upload');
      const sources = policy.split('; ').map((one) => one.split(' '));
      const of = (directive: string) => sources.filter(([found]) => found === directive).map(([, ...rest]) => rest.join(' '));
      const own = "'self' data:";
      expect([of('img-src'), of('frame-src')]).toEqual(
        {
          Upload: [[own], []],
          Download: [[`${own} https://s3.example.com`], ['blob:']],
          Console: [[`${own} blob: https://s3.example.com`], ["'self' blob:"]],
        }[name],
      );
    }
  });

  it('are the console for a browser whose address is none, which says so and leads on; programs get the error', async () => {
    const at = (url: string, accept: string, host = 'files.example.com') => app.inject({ method: 'GET', url, headers: { accept, host } });
    const browser = 'text/html,application/xhtml+xml,*/*;q=0.8';
    const shown = await at('/forgotten-password', browser);
    expect([shown.statusCode, shown.body]).toEqual([404, '<!doctype html><title>Console</title>']);
    expect(shown.headers['content-security-policy']).toContain("default-src 'none'");
    for (const asked of [at('/forgotten-password', '*/*'), at('/v1/nothing', browser), at('/nothing', browser, 'dailies.example.com')]) {
      const { statusCode, body } = await asked;
      expect([statusCode, body.includes('Console')]).toEqual([404, false]);
    }
  });

  it('are compressed where the browser accepts it and the build has made a copy', async () => {
    const [content, small] = ['export const words = 1;'.repeat(100), 'export {};'];
    await writeFile(join(webDir, 'assets-web', 'large-1a2b3c.js'), content);
    await writeFile(join(webDir, 'assets-web', 'large-1a2b3c.js.br'), brotliCompressSync(content));
    await writeFile(join(webDir, 'assets-web', 'small-1a2b3c.js'), small);
    const ask = (name: string, encoding: string) =>
      app.inject({ method: 'GET', url: `/assets-web/${name}-1a2b3c.js`, headers: { 'accept-encoding': encoding } });
    const answer = await ask('large', 'gzip, deflate, br');
    expect(answer.headers).toMatchObject({
      'content-encoding': 'br',
      'content-type': 'application/javascript; charset=utf-8',
      vary: 'accept-encoding',
      'cache-control': 'public, max-age=31536000, immutable',
    });
    expect(brotliDecompressSync(answer.rawPayload).toString()).toBe(content);
    expect([(await ask('large', 'identity')).body, (await ask('small', 'br')).body]).toEqual([content, small]);
  });

  it("are served at a Portal's own host name too, on any port, and at no other name", async () => {
    const at = (host: string) => app.inject({ method: 'GET', url: '/', headers: { host } });
    for (const host of ['northlight.example.com', 'unknown.example.com:8080']) {
      const answer = await at(host);
      expect([answer.statusCode, answer.body]).toEqual([200, '<!doctype html><title>Upload</title>']);
      expect(answer.headers['content-security-policy']).toContain("connect-src 'self' https://s3.example.com;");
    }
    for (const host of ['files.example.com', 'example.com', 'northlight.example.org', 'a.b.example.com'])
      expect((await at(host)).body).toBe('<!doctype html><title>Console</title>');
  });

  it('has assets that browsers cache, and serves no other files', async () => {
    const asset = await get('/assets-web/page-1a2b3c.js');
    expect([asset.statusCode, asset.headers['cache-control']]).toEqual([200, 'public, max-age=31536000, immutable']);
    // A worker's own script says what it may: digests are WebAssembly. Nothing made of text runs anywhere.
    expect(asset.headers['content-security-policy']).toContain("script-src 'self' 'wasm-unsafe-eval';");
    for (const url of ['/assets-web/none.js', '/assets-web/..%2f..%2fprivate.txt', '/assets-web/../../private.txt', '/assets-web/']) {
      const answer = await get(url);
      expect(answer.statusCode).toBeGreaterThanOrEqual(400);
      expect(answer.body).not.toContain('not for the world');
    }
  });
});

it('links to the app where its address is set', async () => {
  const answer = await get('/app');
  expect([answer.statusCode, answer.headers.location]).toEqual([302, 'https://apps.example.org/longshore']);
  const silent = Fastify();
  await silent.register(pages, {
    publicUrl: 'https://files.example.com',
    storageOrigin: 'https://s3.example.com',
    version: '1.2.3',
    portalHosts: () => null,
    health: { problems: async () => [] },
    readiness: { report: async () => readiness },
  });
  const unsaid = await silent.inject({ method: 'GET', url: '/app' });
  expect(unsaid.statusCode).toBe(404);
  await silent.close();
});

it('tells by the status whether it is ready, which no proxy may keep', async () => {
  const ready = await get('/readyz');
  expect([ready.statusCode, ready.json()]).toEqual([200, { status: 'ready', checks: { storage: { status: 'ok' } } }]);
  expect(ready.headers['cache-control']).toBe('no-store');
  readiness = { status: 'not_ready', checks: { storage: { status: 'failed', reason: 'It cannot be reached.' } } };
  const not = await get('/readyz');
  expect([not.statusCode, not.json()]).toEqual([503, readiness]);
});

describe('the description', () => {
  it('names the public address and the version', async () => {
    expect((await get('/openapi.json')).json()).toMatchObject({
      info: { version: '1.2.3' },
      servers: [{ url: 'https://files.example.com' }],
    });
  });
});

it('announces TLS only where there is TLS', () => {
  expect(headersFor('https://files.example.com')).toHaveProperty('strict-transport-security');
  expect(headersFor('http://127.0.0.1:8080')).not.toHaveProperty('strict-transport-security');
});

it('reports failures at /healthz, and goes on serving', async () => {
  const well = await get('/healthz');
  expect([well.statusCode, well.json()]).toEqual([200, { status: 'ok' }]);
  problems = [{ error: 'service_database_full', code: 327690, message: 'Full.', since: '2026-11-20T18:04:11.000Z' }];
  const ill = await get('/healthz');
  expect([ill.statusCode, ill.json()]).toEqual([200, { status: 'degraded', problems }]);
  problems = [];
});
