import { connect } from 'node:net';
import Fastify from 'fastify';
import { afterEach, describe, expect, it } from 'vitest';
import { createHostedClient } from '#client/hosted.ts';
import type { Fetcher } from '#client/ports.ts';
import { createTransport } from '#engine/io/transport.ts';
import { fetchListing } from '#engine/transfer/download/listing.ts';
import { plainFetcher } from '#main/plain-fetcher.ts';
import type { File } from '#protocol/hosted/files.ts';
import { hostedRoutes } from '#protocol/hosted/routes.ts';
import { JsonList } from '#service/http/json-list.ts';
import { replySender } from '#service/http/replies.ts';

const endings: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

const file = (name: string): File => ({
  id: name,
  kind: 'file',
  path: 'é/"',
  name,
  last_modified: '2026-01-01T00:00:00.000Z',
  virus_detected: false,
});
const files = (from: number, count: number): File[] => Array.from({ length: count }, (_, index) => file(String(from + index)));

/** A service whose list of files is this one, as its route sends it. */
async function serve(list: () => AsyncIterable<readonly File[]>): Promise<string> {
  const app = Fastify();
  const send = replySender(hostedRoutes.listFiles);
  app.get('/v1/packages/:id/files', async (_, reply) => send(reply, new JsonList(list())));
  app.get('/whole', async (_, reply) => send(reply, (await Array.fromAsync(list())).flat()));
  endings.push(() => app.close());
  return await app.listen({ host: '127.0.0.1', port: 0 });
}

const params = { package_id: 'p' };
const path = '/v1/packages/p/files';
const credential = { kind: 'package', token: 't' } as const;

describe('a list that is sent while it is read', () => {
  it.each([
    [0, 0],
    [1, 0],
    [0, 1],
    [3, 2],
    [500, 500],
  ])('of %i and %i records has the same bytes as one that is sent as a whole', async (first, second) => {
    const url = await serve(async function* () {
      yield files(0, first);
      yield [{ ...file('more'), unknown: 'is left out' } as File];
      yield files(first, second);
    });
    const [one, whole] = await Promise.all([fetch(url + path), fetch(`${url}/whole`)]);
    expect(one.headers.get('content-type')).toBe(whole.headers.get('content-type'));
    const text = await one.text();
    expect(text).toBe(await whole.text());
    const head = await fetch(url + path, { method: 'HEAD' });
    expect(head.headers.get('content-length')).toBe(String(Buffer.byteLength(text)));
  });

  it('is empty where there is nothing', async () => {
    const url = await serve(async function* () {});
    expect(await (await fetch(url + path)).text()).toBe('[]');
  });

  it('begins before its end is read', async () => {
    const isRead = Promise.withResolvers<void>();
    const url = await serve(async function* () {
      yield files(0, 2);
      await isRead.promise;
      yield files(2, 2);
    });
    const body = (await fetch(url + path)).body!.pipeThrough(new TextDecoderStream());
    let text = '';
    for await (const piece of body) {
      text += piece;
      isRead.resolve();
    }
    expect(JSON.parse(text)).toHaveLength(4);
  });

  it('that fails before its first record is an answer like every other', async () => {
    const url = await serve(async function* () {
      yield await Promise.reject<File[]>(Object.assign(new Error('no database'), { statusCode: 503 }));
    });
    expect((await fetch(url + path)).status).toBe(503);
  });

  it('that fails later is taken by nobody for a whole one', async () => {
    const url = await serve(async function* () {
      yield files(0, 300);
      await new Promise(setImmediate);
      throw new Error('the database is gone');
    });
    await expect(fetch(url + path).then((answer) => answer.text())).rejects.toThrow();
    // The SDK and the pages, and the agent.
    const api = createHostedClient({ baseUrl: url, fetcher: plainFetcher, credential });
    await expect(api.call('listFiles', { params })).rejects.toMatchObject({ error: 'service_unreachable' });
    const transport = createTransport();
    endings.push(transport.close);
    const client = (fetcher: Fetcher) => createHostedClient({ baseUrl: url, fetcher, credential });
    await expect(client(transport.fetcher).call('listFiles', { params })).rejects.toMatchObject({ error: 'service_unreachable' });
    await expect(fetchListing(transport, client, 'p')).rejects.toMatchObject({ error: 'service_unreachable' });
  });

  it('is read no further once its client has left', async () => {
    const closed = Promise.withResolvers<void>();
    const url = await serve(async function* () {
      try {
        for (let batch = 0; ; batch += 1) {
          yield files(batch * 10, 10);
          await new Promise(setImmediate);
        }
      } finally {
        closed.resolve();
      }
    });
    const leave = new AbortController();
    const answer = await fetch(url + path, { signal: leave.signal });
    await answer.body!.getReader().read();
    leave.abort();
    await closed.promise;
  });

  it('is read to its end, however little its client takes: nobody holds a connection of the database', async () => {
    const closed = Promise.withResolvers<void>();
    const url = await serve(async function* () {
      try {
        // More than fits into the buffers of a connection.
        for (let batch = 0; batch < 40; batch += 1) yield files(batch * 2_000, 2_000);
      } finally {
        closed.resolve();
      }
    });
    const { hostname, port } = new URL(url);
    const silent = connect(Number(port), hostname).pause();
    endings.push(() => silent.destroy());
    silent.write(`GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`);
    await closed.promise;
  });
});
