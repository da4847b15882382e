import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterEach, describe, expect, test } from 'vitest';
import { digestsOf } from '#providers/digests.ts';
import type { CloudProvider } from '#providers/ports.ts';
import { withRetry } from '#providers/wrappers/retry.ts';
import { type Answer, closeScripted, error, never, providerAt, serve } from '#test/support/providers/scripted-s3.ts';

afterEach(closeScripted);

const handle = {
  key: "ünï 日本/q'uote&;+%41 #1.txt",
  id: 'ours',
  size: 10_000,
  partSize: 5 * 2 ** 20,
  contentType: 'text/plain',
  modified: 1,
  uploadId: null,
  doubtful: false,
};
const bytes = randomBytes(10_000);

/** Once from memory, without the SDK's middleware, and once as a stream, by the SDK. */
const options = ['in memory', 'streamed'] as const;
const put = (provider: CloudProvider, from: (typeof options)[number], change: Record<string, unknown> = {}, sent = bytes) =>
  provider.putPart(
    {
      handle: { ...handle, ...change },
      number: 1,
      size: sent.length,
      offset: 0,
      digests: digestsOf(sent, ['md5']),
      open: () => Readable.from([sent]),
      ...(from === 'in memory' && { pieces: [sent.subarray(0, 3_000), sent.subarray(3_000)] }),
    },
    never,
  );

/** What a server sees of a request that both must have alike. */
const seenOf = ({ host, ...headers }: IncomingHttpHeaders) => ({
  ...Object.fromEntries(Object.entries(headers).filter(([name]) => /^(content-|user-agent|x-amz-(meta|storage|security))/.test(name))),
  hasHost: host !== undefined,
});

describe('bytes in memory', () => {
  test.each([
    ['a whole file', {}],
    ['a part', { size: 20_000, partSize: 10_000, uploadId: 'an upload/+=' }],
  ])('go as %s like those of a stream, without what the SDK adds', async (_what, change) => {
    const seen: unknown[] = [];
    const sdk: unknown[] = [];
    const provider = providerAt(
      await serve(async (request, response) => {
        const body = await buffer(request);
        seen.push([request.method, request.url, seenOf(request.headers), body.equals(bytes)]);
        sdk.push(request.headers['amz-sdk-invocation-id'] !== undefined);
        response.writeHead(200, { etag: `"${digestsOf(body, ['md5']).md5}"` }).end();
      }),
      { storageClass: 'STANDARD_IA' },
    );
    for (const from of options) expect(await put(provider, from, change)).toMatchObject({ number: 1, size: 10_000 });
    const [inMemory, streamed] = seen as [
      [string, string, Record<string, string>, boolean],
      [string, string, Record<string, string>, boolean],
    ];
    expect(inMemory[3]).toBe(true);
    expect([inMemory[0], new URL(inMemory[1], 'http://x').pathname]).toEqual([streamed[0], new URL(streamed[1], 'http://x').pathname]);
    expect(new URL(inMemory[1], 'http://x').searchParams.toString().split('&').sort()).toEqual(
      new URL(streamed[1], 'http://x').searchParams.toString().split('&').sort(),
    );
    expect(inMemory[2]).toEqual(streamed[2]);
    expect(sdk).toEqual([false, true]);
  });

  test.each<readonly [string, Answer]>([
    ['503 with patience', (_request, response) => error(response, 503, 'SlowDown', { 'retry-after': '7' })],
    ['a quota', (_request, response) => error(response, 403, 'QuotaExceeded')],
    ['an unheard name', (_request, response) => error(response, 403, 'Unheard')],
    ['nothing but a status', (_request, response) => response.writeHead(500).end()],
    ['404 without words', (_request, response) => response.writeHead(404).end()],
    ["a proxy's page", (_request, response) => response.writeHead(502, { 'content-type': 'text/html' }).end('<html><body>Bad')],
    ['a redirect', (_request, response) => error(response, 307, 'TemporaryRedirect', { location: 'http://127.0.0.1:1/' })],
    ['another region', (_request, response) => error(response, 400, 'AuthorizationHeaderMalformed', {}, '<Region>us-west-2</Region>')],
    ['a broken connection', (request) => request.socket.destroy()],
    ['other bytes', (_request, response) => response.writeHead(200, { etag: `"${'0'.repeat(32)}"` }).end()],
  ])('that are answered with %s fail as those of a stream do', async (_what, answer) => {
    const provider = providerAt(
      await serve(async (request, response, query) => {
        await buffer(request).catch(() => undefined);
        return answer(request, response, query);
      }),
    );
    const failures = [];
    for (const from of options)
      failures.push(
        await put(provider, from).then(
          () => null,
          (failure: unknown) => failure,
        ),
      );
    const [inMemory, streamed] = failures as [Record<string, unknown>, Record<string, unknown>];
    const told = ({ name, code, message, retry, blame, retryAfter, answered }: Record<string, unknown>) => ({
      name,
      code,
      message,
      retry,
      blame,
      retryAfter,
      answered,
    });
    expect(inMemory['name']).toBe('ProviderError');
    expect(told(inMemory)).toEqual(told(streamed));
  });

  test('are signed anew when the clocks differ, and in the region that was learned', async () => {
    const dates: string[] = [];
    const serverNow = Date.now() - 3_600_000;
    const endpoint = await serve(async (request, response) => {
      const body = await buffer(request);
      dates.push(String(request.headers['x-amz-date']));
      const date = new Date(serverNow).toUTCString();
      if (dates.length === 1) return error(response, 403, 'RequestTimeTooSkewed', { date });
      return response.writeHead(200, { etag: `"${digestsOf(body, ['md5']).md5}"` }).end();
    });
    await put(withRetry(providerAt(endpoint), { firstDelay: 1 }), 'in memory');
    const hours = dates.map((date) => Number(date.slice(9, 11)));
    expect((hours[0]! - hours[1]! + 24) % 24).toBe(1);
  });

  test('are not read any more after the call, though the server has answered before it had all', async () => {
    const large = randomBytes(64 * 2 ** 20);
    let closed = false;
    const endpoint = await serve((request, response) => {
      request.socket.once('close', () => {
        closed = true;
      });
      // Never reads the rest.
      request.pause();
      error(response, 403, 'AccessDenied');
    });
    const change = { size: large.length, partSize: large.length };
    await expect(put(providerAt(endpoint), 'in memory', change, large)).rejects.toMatchObject({ code: 'forbidden' });
    await expect.poll(() => closed).toBe(true);
  });
});
