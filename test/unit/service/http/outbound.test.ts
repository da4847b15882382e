import type { AddressInfo } from 'node:net';
import { createServer as createTcpServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createOutboundHttp, type Lookup, type OutboundOptions } from '#service/http/outbound.ts';
import { bodyOf, startHttpServer, type TestServer } from '#test/support/system/http-server.ts';

const servers: TestServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});
async function serve(...args: Parameters<typeof startHttpServer>): Promise<TestServer> {
  const server = await startHttpServer(...args);
  servers.push(server);
  return server;
}
const ok = () => serve((request, response) => void bodyOf(request).then(() => response.writeHead(204).end()));
const never = new AbortController().signal;
const call = (url: string, headers: Record<string, string> = {}) => ({ url, method: 'POST' as const, headers, body: '{}' });
const send = (url: string, options: Partial<OutboundOptions> = {}) =>
  createOutboundHttp({ allowPrivate: false, ...options }).send(call(url), never);
/** Answers each lookup with the next of these lists. */
const resolving = (...answers: string[][]): Lookup => {
  let asked = 0;
  return (_, __, done) => {
    const answer = answers[Math.min(asked++, answers.length - 1)]!;
    done(
      null,
      answer.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  };
};
const portOf = ({ url }: TestServer) => new URL(url).port;

describe('calls to private addresses', () => {
  it('are refused before anything is connected, in whatever form the address is written', async () => {
    const server = await ok();
    const port = portOf(server);
    for (const host of [
      '127.0.0.1',
      '2130706433',
      '0x7f000001',
      '0177.1',
      '127.1',
      '0.0.0.0',
      '[::1]',
      '[::]',
      '[::ffff:127.0.0.1]',
      '[::ffff:7f00:1]',
      '[64:ff9b::7f00:1]',
    ]) {
      await expect(send(`http://${host}:${port}/`)).rejects.toMatchObject({ code: 'private_address' });
    }
    expect(server.connections()).toBe(0);
  });

  it('are refused for names with a private address among theirs, and for localhost', async () => {
    const server = await ok();
    const url = `http://hooks.example.com:${portOf(server)}/`;
    for (const answers of [['127.0.0.1'], ['8.8.8.8', '127.0.0.1'], ['127.0.0.1', '8.8.8.8'], ['::1'], []]) {
      await expect(send(url, { lookup: resolving(answers) })).rejects.toMatchObject({ code: 'private_address' });
    }
    await expect(send(`http://localhost:${portOf(server)}/`)).rejects.toMatchObject({ code: 'private_address' });
    expect(server.connections()).toBe(0);
  });

  it('are refused for a name whose public address became private after the check', async () => {
    const server = await ok();
    const url = new URL(`http://hooks.example.com:${portOf(server)}/`);
    const calls = createOutboundHttp({ allowPrivate: false, lookup: resolving(['8.8.8.8'], ['127.0.0.1']) });
    expect(await calls.isPrivate(url)).toBe(false);
    await expect(calls.send(call(url.href), never)).rejects.toMatchObject({ code: 'private_address' });
    expect(server.connections()).toBe(0);
  });

  it('are made where the operator allows them', async () => {
    const server = await ok();
    expect(await send(server.url, { allowPrivate: true })).toBe(204);
    expect(await send(`http://localhost:${portOf(server)}/a?b=c`, { allowPrivate: true })).toBe(204);
    expect(await send(`http://hooks.example.com:${portOf(server)}/`, { allowPrivate: true, lookup: resolving(['127.0.0.1']) })).toBe(204);
    expect(server.requests).toEqual(['POST /', 'POST /a?b=c', 'POST /']);
  });
});

describe('isPrivate', () => {
  const ask = (url: string, options: Partial<OutboundOptions> = {}) =>
    createOutboundHttp({ allowPrivate: false, ...options }).isPrivate(new URL(url));
  it.each([
    ['http://169.254.169.254/latest/meta-data', [], true],
    ['http://[fd00::1]/', [], true],
    ['http://93.184.216.34/', [], false],
    ['http://a.example.com/', ['10.0.0.8'], true],
    ['http://a.example.com/', ['8.8.8.8', '10.0.0.8'], true],
    ['http://a.example.com/', ['8.8.8.8'], false],
    ['http://a.example.com/', [], false],
  ] as const)('of %s at %j is %s', async (url, answers, isPrivate) => {
    expect(await ask(url, { lookup: resolving([...answers]) })).toBe(isPrivate);
    expect(await ask(url, { lookup: resolving([...answers]), allowPrivate: true })).toBe(false);
  });

  it('of a name that does not resolve is false', async () => {
    const lookup: Lookup = (_, __, done) => done(Object.assign(new Error('no'), { code: 'ENOTFOUND' }), []);
    expect(await ask('http://a.example.com/', { lookup })).toBe(false);
    await expect(send('http://a.example.com/', { lookup })).rejects.toMatchObject({ code: 'unresolved' });
  });
});

describe('calls', () => {
  it('send method, headers and body, and return the status', async () => {
    const seen: unknown[] = [];
    const server = await serve(async (request, response) => {
      seen.push([request.method, request.url, request.headers['x-studio'], (await bodyOf(request)).toString()]);
      response.writeHead(418).end('a teapot');
    });
    const status = await createOutboundHttp({ allowPrivate: true }).send(
      { url: `${server.url}/a%20b?c=d#e`, method: 'PUT', headers: { 'X-Studio': 'northlight' }, body: '{"ü":1}' },
      never,
    );
    expect(status).toBe(418);
    expect(seen).toEqual([['PUT', '/a%20b?c=d', 'northlight', '{"ü":1}']]);
  });

  it('do not follow redirects', async () => {
    const target = await ok();
    const server = await serve((_, response) => void response.writeHead(307, { location: target.url }).end());
    expect(await send(server.url, { allowPrivate: true })).toBe(307);
    expect(target.requests).toEqual([]);
  });

  it('read an answer up to a limit', async () => {
    let sent = 0;
    const server = await serve((_, response) => {
      response.writeHead(200);
      const piece = Buffer.alloc(64 * 1024);
      const write = () => {
        sent += piece.length;
        if (!response.destroyed) response.write(piece, () => setImmediate(write));
      };
      write();
    });
    expect(await send(server.url, { allowPrivate: true })).toBe(200);
    expect(sent).toBeLessThan(50_000_000);
  });

  it('time out for a receiver that sends no answer, or an incomplete one', async () => {
    const silent = await serve(() => undefined);
    await expect(send(silent.url, { allowPrivate: true, timeoutMilliseconds: 50 })).rejects.toMatchObject({ code: 'timeout' });
    const halting = await serve((_, response) => void response.writeHead(200).write('…'));
    expect(await send(halting.url, { allowPrivate: true, timeoutMilliseconds: 200 })).toBe(200);
  });

  it('give the reason when there is no answer', async () => {
    const tcp = createTcpServer(
      (socket) =>
        void socket
          .on('error', () => undefined)
          .resume()
          .end('not HTTP at all\r\n\r\n'),
    );
    await new Promise<void>((resolve) => tcp.listen(0, '127.0.0.1', resolve));
    const { port } = tcp.address() as AddressInfo;
    await expect(send(`http://127.0.0.1:${port}/`, { allowPrivate: true })).rejects.toMatchObject({ code: 'broken' });
    await expect(send(`https://127.0.0.1:${port}/`, { allowPrivate: true })).rejects.toMatchObject({ code: 'certificate' });
    await new Promise((resolve) => tcp.close(resolve));
    await expect(send(`http://127.0.0.1:${port}/`, { allowPrivate: true })).rejects.toMatchObject({ code: 'refused' });
  });

  it('end at once when the service stops', async () => {
    const stopping = new AbortController();
    const server = await serve(() => stopping.abort(new Error('stopping')));
    await expect(createOutboundHttp({ allowPrivate: true }).send(call(server.url), stopping.signal)).rejects.toThrow('stopping');
  });
});

describe('kept connections', () => {
  const calls = createOutboundHttp({ allowPrivate: true });
  /** How many the server had, after so many calls one after the other. */
  const connectionsAfter = async (server: TestServer, owners: readonly (string | undefined)[]) => {
    for (const owner of owners) expect(await calls.send(call(server.url), never, owner)).toBe(204);
    return server.connections();
  };

  it('serve the same owner, and nobody else', async () => {
    expect(await connectionsAfter(await ok(), ['a', 'a', 'a'])).toBe(1);
    expect(await connectionsAfter(await ok(), ['a', 'b', 'a', 'b'])).toBe(2);
    expect(await connectionsAfter(await ok(), [undefined, undefined, 'a', undefined])).toBe(4);
  });

  it('serve one request at a time', async () => {
    const server = await ok();
    await Promise.all(Array.from({ length: 3 }, () => calls.send(call(server.url), never, 'a')));
    expect(server.connections()).toBe(3);
    await Promise.all(Array.from({ length: 3 }, () => calls.send(call(server.url), never, 'a')));
    expect(server.connections()).toBe(3);
  });

  it('that the receiver closes as the next request comes have it sent once more, on another', async () => {
    let asked = 0;
    const server = await serve((request, response) => {
      asked += 1;
      if (asked === 2) request.socket.destroy();
      else response.writeHead(204).end();
    });
    expect(await connectionsAfter(server, ['a', 'a'])).toBe(2);
    expect(asked).toBe(3);
  });

  it('that break at once when they are new are broken', async () => {
    const server = await serve((request) => void request.socket.destroy());
    await expect(calls.send(call(server.url), never, 'a')).rejects.toMatchObject({ code: 'broken' });
    expect(server.requests).toHaveLength(1);
  });
});
