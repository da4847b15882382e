import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { Agent, type RequestOptions, request } from 'node:https';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { connect as connectTls } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Listener, listen } from '#service/http/listener.ts';
import { headersOf, type IsProxy } from '#service/own-port.ts';
import { startService } from '#service/server.ts';
import { storageProbe } from '#service/storage-probe.ts';
import { ownerEmail, ownerPassword, startTestService } from '#test/support/service/start-service.ts';
import { startTestStorage } from '#test/support/storage/local-storage.ts';
import { hasNginxStream, proxyAddress, startByteProxy } from '#test/support/system/byte-proxies.ts';
import { hasPrograms } from '#test/support/system/programs.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';
import { makeCertificate } from '#test/support/system/tls-proxy.ts';

const header = (address: string, port = 40_000): string => `PROXY TCP4 ${address} 192.0.2.2 ${port} 443\r\n`;
const binary = Buffer.from('0d0a0d0a000d0a515549540a2111000c' + 'cb007107c00002029c4001bb', 'hex');
const connection = async (port: number, localAddress: string): Promise<Socket> => {
  const socket = connect({ host: '127.0.0.1', port, localAddress });
  await once(socket, 'connect');
  return socket;
};
/** All that comes until the other side ends. */
const textOf = async (socket: Socket): Promise<string> => {
  let text = '';
  socket.setEncoding('latin1').on('data', (piece: string) => {
    text += piece;
  });
  socket.on('error', () => undefined);
  await new Promise((resolve) => socket.once('close', resolve));
  return text;
};
const ask = 'GET /who HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n';

let folder: Awaited<ReturnType<typeof tempFolder>>;
let tls: { readonly cert: string; readonly key: string };
beforeAll(async () => {
  folder = await tempFolder();
  await mkdir(join(folder.path, 'tls'));
  const { cert, key } = await makeCertificate(join(folder.path, 'tls'));
  tls = { cert: cert.toString(), key: key.toString() };
});
afterAll(async () => {
  await folder?.remove();
});

async function listener(secure: boolean): Promise<Listener> {
  const options = { trustProxy: proxyAddress, proxyProtocol: true, ...(secure && { tls }) };
  const opened = await listen({ host: '127.0.0.1', port: 0 }, options);
  opened.serve(({ socket: { remoteAddress, remotePort } }, response) => response.end(`${remoteAddress} ${remotePort}`));
  return opened;
}

describe.skipIf(!hasPrograms('openssl'))('a listener that trusts a proxy', () => {
  for (const secure of [false, true]) {
    const over = async (socket: Socket): Promise<string> => {
      if (!secure) {
        socket.write(ask);
        return await textOf(socket);
      }
      const inner = connectTls({ socket, rejectUnauthorized: false });
      inner.write(ask);
      return await textOf(inner);
    };
    const name = secure ? 'with TLS' : 'without TLS';

    test(`${name} sees the client behind it`, async () => {
      const opened = await listener(secure);
      try {
        const one = await connection(opened.port, proxyAddress);
        one.write(header('203.0.113.7'));
        expect(await over(one)).toMatch(/\r\n\r\n203\.0\.113\.7 40000$/);
        const two = await connection(opened.port, proxyAddress);
        two.write(binary);
        expect(await over(two)).toMatch(/\r\n\r\n203\.0\.113\.7 40000$/);
        // In pieces, the last of which has the beginning of what follows.
        const three = await connection(opened.port, proxyAddress);
        three.setNoDelay(true);
        for (const byte of header('203.0.113.9').slice(0, -1)) await new Promise((done) => three.write(byte, done));
        three.write('\n');
        expect(await over(three)).toMatch(/\r\n\r\n203\.0\.113\.9 40000$/);
        const own = await connection(opened.port, proxyAddress);
        own.write('PROXY UNKNOWN\r\n');
        expect(await over(own)).toMatch(/\r\n\r\n127\.0\.0\.2 \d+$/);
      } finally {
        await opened.close(0);
      }
    });

    test(`${name} refuses a stranger's header, and a proxy without one`, async () => {
      const opened = await listener(secure);
      try {
        const stranger = await connection(opened.port, '127.0.0.3');
        stranger.write(header('203.0.113.7') + ask);
        expect(await textOf(stranger)).not.toContain('200 OK');
        const proxy = await connection(opened.port, proxyAddress);
        proxy.write(ask);
        expect(await textOf(proxy)).toBe('');
        const direct = await connection(opened.port, '127.0.0.3');
        expect(await over(direct)).toMatch(/\r\n\r\n127\.0\.0\.3 \d+$/);
        // One that says nothing does not hold up the end.
        const silent = await connection(opened.port, proxyAddress);
        const closed = textOf(silent);
        await opened.close(0);
        expect(await closed).toBe('');
      } finally {
        await opened.close(0);
      }
    });
  }

  const kinds = ['haproxy v1', 'haproxy v2', 'nginx'] as const;
  test.skipIf(!hasPrograms('haproxy') || !hasNginxStream())('sees whom real ones connect for, with TLS of its own', async () => {
    const opened = await listener(true);
    const proxies = await Promise.all(kinds.map((kind) => startByteProxy(kind, opened.port)));
    try {
      for (const { port } of proxies) {
        const agent = new Agent({ keepAlive: false });
        const options: RequestOptions = {
          host: '127.0.0.1',
          port,
          localAddress: '127.0.0.9',
          ca: tls.cert,
          rejectUnauthorized: false,
          agent,
        };
        // The same by HTTP/2, through the proxy as it is.
        const own = { port, host: '127.0.0.1', localAddress: '127.0.0.9', rejectUnauthorized: false, ALPNProtocols: ['h2'] };
        const session = connectHttp2(`https://127.0.0.1:${port}`, { createConnection: () => connectTls(own) });
        const stream = session.request({ ':path': '/' });
        expect(await text(stream)).toMatch(/^127\.0\.0\.9 \d+$/);
        session.close();
        const asked = request(options).end();
        const [response] = (await once(asked, 'response')) as [IncomingMessage];
        expect(await text(response)).toMatch(/^127\.0\.0\.9 \d+$/);
      }
    } finally {
      await Promise.all(proxies.map((proxy) => proxy.close()));
      await opened.close(0);
    }
  });
});

test.skipIf(!hasPrograms('openssl')).for([false, true])(
  'the storage receives parts behind one, and limits clients, not the proxy; with TLS: %s',
  async (secure) => {
    const limits = { trustProxy: proxyAddress, proxyProtocol: true, connections: { most: 10, mostOfOne: 1 }, ...(secure && { tls }) };
    const running = await startTestStorage({ root: join(folder.path, `objects ${secure}`), ...limits });
    const port = Number(new URL(running.url).port);
    try {
      const key = 'a/0197f3c1-0000-7000-8000-000000000001';
      const uploadId = await running.storage.begin(key);
      const size = 400_000;
      const [blueprint] = await running.storage.presignParts(
        key,
        uploadId,
        [{ partNumber: 1, size, maxSize: size }],
        new Date(Date.now() + 60_000),
      );
      const { pathname, search } = new URL(blueprint!.url);
      const behind = async (address: string, clientPort: number): Promise<Socket> => {
        const socket = await connection(port, proxyAddress);
        socket.write(header(address, clientPort));
        return secure ? connectTls({ socket, rejectUnauthorized: false }) : socket;
      };
      // Without TLS by its quick way.
      const sender = await behind('203.0.113.7', 40_000);
      sender.write(`PUT ${pathname}${search} HTTP/1.1\r\nhost: x\r\ncontent-length: ${size}\r\n\r\n`);
      sender.write(Buffer.alloc(size, 'x'));
      const [answer] = (await once(sender, 'data')) as [Buffer];
      expect(answer.toString()).toMatch(/^HTTP\/1\.1 200 OK\r\n/);

      const another = await behind('203.0.113.7', 40_001);
      expect(await textOf(another)).toBe('');
      const other = await behind('203.0.113.8', 40_000);
      other.write(`GET /-/healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
      expect(await textOf(other)).toContain('200 OK');
      sender.destroy();
    } finally {
      await running.close();
    }
  },
);

test.skipIf(!hasPrograms('openssl')).for([false, true])(
  'a service on the machine of its proxy sees that its own storage answers; with TLS: %s',
  async (secure) => {
    const trusted = { trustProxy: '127.0.0.1', proxyProtocol: true, ...(secure && { tls }) };
    const running = await startTestStorage({ root: join(folder.path, `beside ${secure}`), ...trusted });
    try {
      const look = (isProxy: IsProxy) => storageProbe({ ...running, folder: null }, isProxy).look(AbortSignal.timeout(10_000));
      expect(await look(headersOf({ trustProxy: 'loopback', proxyProtocol: 'all' }, 'storage'))).toEqual({ storage: null });
      await expect(look(headersOf({ trustProxy: 'loopback', proxyProtocol: 'api' }, 'storage'))).rejects.toThrow();
    } finally {
      await running.close();
    }
  },
);

test('sessions have the address of the client', async () => {
  const service = await startTestService({ processes: 1, trustProxy: proxyAddress, proxyProtocol: 'all' });
  try {
    const body = JSON.stringify({ email: ownerEmail, password: ownerPassword });
    const socket = await connection(Number(new URL(service.url).port), proxyAddress);
    const head = `POST /v1/auth HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\nconnection: close\r\n`;
    // What a client claims to have been forwarded is not believed.
    socket.write(`${header('203.0.113.7')}${head}x-forwarded-for: 198.51.100.1\r\n\r\n${body}`);
    expect(await textOf(socket)).toContain('200 OK');
    const { body: sessions } = await service.call('GET', '/v1/sessions', { headers: { 'x-user-token': service.userToken } });
    expect(JSON.stringify(sessions)).toContain('"203.0.113.7"');
    expect(JSON.stringify(sessions)).not.toContain('198.51.100.1');
  } finally {
    await service.close();
  }
});

test('without a trusted proxy it is refused at the start, by name', async () => {
  const options = { listen: { host: '127.0.0.1', port: 0 }, dataDir: join(folder.path, 'none'), proxyProtocol: 'all' } as const;
  await expect(startService(options)).rejects.toThrow('--trust-proxy');
});
