import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { expect, it, vi } from 'vitest';
import { listen } from '#service/http/listener.ts';

const anyPort = { host: '127.0.0.1', port: 0 };

it('answers 503 until there is an app, and then hands over', async () => {
  const listener = await listen(anyPort);
  const early = await fetch(listener.url);
  expect([early.status, early.headers.get('retry-after'), await early.json()]).toEqual([
    503,
    '1',
    { code: 458755, message: 'The service is starting or stopping. Try again soon.' },
  ]);
  // Alive and not ready: a start with long migrations is neither killed nor given calls.
  const alive = await fetch(`${listener.url}/healthz`);
  expect([alive.status, await alive.json()]).toEqual([200, { status: 'starting' }]);
  const ready = await fetch(`${listener.url}/readyz`);
  expect([ready.status, await ready.json()]).toMatchObject([503, { status: 'not_ready', checks: { start: { status: 'failed' } } }]);
  listener.serve((_request, response) => response.end('served'));
  expect(await (await fetch(listener.url)).text()).toBe('served');
  await listener.close(0);
  await listener.close(0);
});

it('cuts requests that do not end in time, and idle connections at once', async () => {
  const listener = await listen(anyPort);
  const started = Promise.withResolvers<void>();
  listener.serve(() => started.resolve());
  const stuck = fetch(listener.url).then(
    () => 'answered',
    () => 'cut',
  );
  const idle = connect(listener.port, '127.0.0.1');
  await once(idle, 'connect');
  await started.promise;
  await listener.close(10);
  expect(await stuck).toBe('cut');
  idle.destroy();
});

it('returns an address that this machine can connect to', async () => {
  for (const [host, url] of [
    ['0.0.0.0', /^http:\/\/127\.0\.0\.1:\d+$/],
    ['127.0.0.1', /^http:\/\/127\.0\.0\.1:\d+$/],
    ['localhost', /^http:\/\/localhost:\d+$/],
  ] as const) {
    const listener = await listen({ host, port: 0 });
    expect(listener.url).toMatch(url);
    await listener.close(0);
  }
});

/** Sends something and gives all that comes back until the connection is closed. */
async function said(port: number, text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  socket.write(text);
  let heard = '';
  socket.on('data', (bytes: Buffer) => {
    heard += bytes.toString();
  });
  await new Promise((resolve) => socket.on('close', resolve));
  return heard;
}

it('answers a request that stalls on its way with 408, and closes', async () => {
  const listener = await listen(anyPort, { stallMilliseconds: 50 });
  listener.serve((request, response) => {
    request.resume();
    request.on('end', () => response.end('never'));
  });
  const heard = await said(listener.port, 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\n12345');
  expect(heard).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n[\s\S]*connection: close\r\n/);
  expect(JSON.parse(heard.split('\r\n\r\n')[1]!)).toMatchObject({ code: 65545 });
  await listener.close(0);
});

it('closes a connection whose request head stalls, and keeps one that waits for its answer', async () => {
  const listener = await listen(anyPort, { stallMilliseconds: 50 });
  const asked = Promise.withResolvers<ServerResponse>();
  listener.serve((_request, response) => asked.resolve(response));
  const waiting = fetch(listener.url);
  const response = await asked.promise;
  // Three times as long as anybody may be silent.
  for (let times = 0; times < 3; times++) expect(await said(listener.port, 'GET / HTTP/1.1\r\nho')).toBe('');
  response.end('late');
  expect(await (await waiting).text()).toBe('late');
  await listener.close(0);
});

it('answers 400 to bytes that are no HTTP, and 408 to a late request', async () => {
  const listener = await listen(anyPort);
  expect(await said(listener.port, 'nonsense\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 /);
  const late = connect(listener.port, '127.0.0.1');
  const heard = once(late, 'data');
  const [socket] = await once(listener.server, 'connection');
  listener.server.emit('clientError', Object.assign(new Error('late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), socket);
  expect(String((await heard)[0])).toMatch(/^HTTP\/1\.1 408 /);
  await listener.close(0);
});

it('limits the connections of one address', async () => {
  const warned: object[] = [];
  const listener = await listen(anyPort, {
    connections: { most: 100, mostOfOne: 3 },
    log: { warn: (facts: object) => void warned.push(facts) },
  });
  listener.serve((_request, response) => response.end('served'));
  const held = await Promise.all(
    [1, 2, 3].map(async () => {
      const socket = connect(listener.port, '127.0.0.1');
      await Promise.all([once(socket, 'connect'), once(listener.server, 'connection')]);
      return socket;
    }),
  );
  expect(await said(listener.port, 'GET / HTTP/1.1\r\nhost: x\r\n\r\n')).toBe('');
  expect(warned).toMatchObject([{ peer: '127.0.0.1', connections: 3 }]);
  held[0]!.destroy();
  await vi.waitFor(async () => expect(await (await fetch(listener.url)).text()).toBe('served'), { timeout: 30_000 });
  for (const socket of held) socket.destroy();
  await listener.close(0);
});

it('limits bytes and time of a client that goes on sending after the answer', async () => {
  for (const linger of [
    { bytes: 1024 * 1024, milliseconds: 60_000, everyMilliseconds: 5 },
    { bytes: Number.POSITIVE_INFINITY, milliseconds: 50, everyMilliseconds: 5 },
  ]) {
    const listener = await listen(anyPort, { linger });
    listener.serve((_request, response) => response.writeHead(413, { connection: 'close' }).end('too large'));
    const socket = connect({ port: listener.port, host: '127.0.0.1', allowHalfOpen: true });
    let heard = '';
    socket.on('data', (bytes: Buffer) => {
      heard += bytes.toString();
    });
    socket.on('error', () => {});
    // An error comes before it, and may.
    const closed = new Promise((resolve) => socket.on('close', resolve));
    const piece = Buffer.alloc(64 * 1024);
    const feed = () => {
      while (!socket.destroyed && socket.write(piece));
    };
    socket.on('drain', feed);
    socket.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1000000000000\r\n\r\n');
    feed();
    await closed;
    expect(heard).toMatch(/^HTTP\/1\.1 413 /);
    await listener.close(0);
  }
});
