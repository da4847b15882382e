import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterEach, describe, expect, test } from 'vitest';
import { type CloudHttp, type CloudHttpOptions, createCloudHttp } from '#providers/http/client.ts';
import { retryAfterOf } from '#providers/http/retry-after.ts';

const never = new AbortController().signal;
const open: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

async function listening(handle: RequestListener, options: CloudHttpOptions = {}): Promise<{ http: CloudHttp; url: string }> {
  const server = createServer(handle).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const http = createCloudHttp({ mayConnect: () => true }, options);
  open.push(
    () => {
      server.closeAllConnections();
      server.close();
    },
    () => http.close(),
  );
  return { http, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
}

test('every request says that it is of Longshore, and of which version', async () => {
  const { http, url } = await listening((request, response) => response.end(request.headers['user-agent']));
  const { bytes } = await http.send({ method: 'GET', url }, never);
  expect(bytes.toString()).toMatch(/^Longshore\/\d+\.\d+\.\d+$/);
});

describe('what may be connected to', () => {
  test('a private address is refused before anything is sent, as a number and behind a name', async () => {
    let requests = 0;
    const { url } = await listening((_request, response) => {
      requests++;
      response.end();
    });
    const http = createCloudHttp(
      { mayConnect: (address) => address !== '127.0.0.1' },
      {
        lookup: (_name, _options, done) =>
          done(null, [
            { address: '192.0.2.1', family: 4 },
            { address: '127.0.0.1', family: 4 },
          ]),
      },
    );
    open.push(() => http.close());
    for (const target of [url, url.replace('127.0.0.1', 'storage.example.com')]) {
      await expect(http.send({ method: 'GET', url: target }, never)).rejects.toMatchObject({ code: 'private_address', retry: 'never' });
    }
    expect(requests).toBe(0);
  });

  test('a redirect is an answer, and is not followed', async () => {
    const paths: (string | undefined)[] = [];
    const { http, url } = await listening((request, response) => {
      paths.push(request.url);
      response.writeHead(302, { location: '/elsewhere' }).end();
    });
    const answer = await http.send({ method: 'GET', url, headers: { authorization: 'Bearer sesame' } }, never);
    expect([answer.status, answer.headers['location'], paths]).toEqual([302, '/elsewhere', ['/']]);
  });
});

describe('answers', () => {
  test('longer than makes sense are refused', async () => {
    const { http, url } = await listening((_request, response) => void response.end(Buffer.alloc(100_000)));
    await expect(http.send({ method: 'GET', url }, never, 99_999)).rejects.toMatchObject({ code: 'bad_answer' });
    expect((await http.send({ method: 'GET', url }, never, 100_000)).bytes.length).toBe(100_000);
  });

  test('that break off fail, and never just end', async () => {
    const { http, url } = await listening((_request, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('half', () => response.destroy());
    });
    await expect(http.send({ method: 'GET', url }, never)).rejects.toMatchObject({ code: 'unreachable', retry: 'soon' });
    const { body } = await http.open({ method: 'GET', url }, never);
    await expect(buffer(body)).rejects.toMatchObject({ name: 'ProviderError', code: 'unreachable' });
  });

  test('that nobody wants can be left in their middle', async () => {
    const { http, url } = await listening((_request, response) => {
      response.writeHead(200, { 'content-length': '1000000' }).write('begun');
    });
    const { body } = await http.open({ method: 'GET', url }, never);
    body.destroy();
    // An error without a listener would fail the run.
    await new Promise((resolve) => body.once('close', resolve));
    expect(body.destroyed).toBe(true);
  });

  test('that do not come are given up', async () => {
    const { http, url } = await listening(() => {}, { idleMilliseconds: 50 });
    await expect(http.send({ method: 'GET', url }, never)).rejects.toMatchObject({ code: 'unreachable', message: /in time/ });
  });

  test('that drip in byte by byte are given up', async () => {
    const { http, url } = await listening(
      (_request, response) => {
        const drip = setInterval(() => response.write('x'), 10);
        response.once('close', () => clearInterval(drip));
      },
      { answerMilliseconds: 200 },
    );
    await expect(http.send({ method: 'GET', url }, never)).rejects.toMatchObject({ code: 'unreachable', message: /in time/ });
  });

  test('a server that is not there, or speaks no TLS, is told in words', async () => {
    const server = createTcpServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    const { http, url } = await listening((_request, response) => void response.end());
    await expect(http.send({ method: 'GET', url: `http://127.0.0.1:${port}/` }, never)).rejects.toMatchObject({
      code: 'unreachable',
      message: /refuses connections/,
    });
    await expect(http.send({ method: 'GET', url: url.replace('http', 'https') }, never)).rejects.toMatchObject({ code: 'certificate' });
  });
});

describe('a streamed body', () => {
  test('arrives with its length', async () => {
    const got: unknown[] = [];
    const { http, url } = await listening(async (request, response) => {
      got.push(request.headers['content-length'], (await buffer(request)).toString());
      response.end();
    });
    await http.send({ method: 'PUT', url, body: { stream: Readable.from([Buffer.from('he'), Buffer.from('llo')]), size: 5 } }, never);
    expect(got).toEqual(['5', 'hello']);
  });

  test('that fails is our own failure', async () => {
    const { http, url } = await listening((request) => void request.resume());
    const ours = new Error('the disk');
    async function* failing() {
      yield Buffer.from('he');
      throw ours;
    }
    await expect(http.send({ method: 'PUT', url, body: { stream: Readable.from(failing()), size: 5 } }, never)).rejects.toBe(ours);
  });

  test('whose connection breaks is the network', async () => {
    const { http, url } = await listening((request) => void request.once('data', () => request.socket.resetAndDestroy()));
    async function* endless() {
      for (;;) yield Buffer.alloc(65_536);
    }
    await expect(http.send({ method: 'PUT', url, body: { stream: Readable.from(endless()), size: 1e9 } }, never)).rejects.toMatchObject({
      code: 'unreachable',
    });
  });

  test('that is cancelled ends with the reason', async () => {
    const control = new AbortController();
    const reason = new Error('cancelled');
    const { http, url } = await listening((request) => void request.once('data', () => control.abort(reason)));
    async function* stuck() {
      yield Buffer.from('he');
      await new Promise(() => {});
    }
    await expect(http.send({ method: 'PUT', url, body: { stream: Readable.from(stuck()), size: 5 } }, control.signal)).rejects.toBe(reason);
  });
});

test.each([
  [undefined, 0],
  ['', 0],
  ['3', 3000],
  ['1.5', 1500],
  ['Thu, 01 Jan 2026 00:00:10 GMT', 10_000],
  ['Wed, 31 Dec 2025 00:00:00 GMT', 0],
  ['soon', 0],
  ['999999', 300_000],
])('Retry-After %j is %i ms', (header, expected) => {
  expect(retryAfterOf(header, new Date('2026-01-01T00:00:00Z'))).toBe(expected);
});
