import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { createStallTimeouts } from '#client/stall-timeouts.ts';
import { netFailure } from '#engine/io/net-failures.ts';
import { createUploadHttp } from '#engine/io/upload-http.ts';

const endings: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

/** A server that says what it is told to once so many bytes of body have come. */
async function setUp(answer: (socket: Socket, request: number) => void, times: { stallMs?: number; answerMs?: number } = {}) {
  const sockets = new Set<Socket>();
  let requests = 0;
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    let text = '';
    socket.on('data', (bytes: Buffer) => {
      text += bytes.toString('latin1');
      const end = text.indexOf('\r\n\r\n');
      const length = Number(/content-length: (\d+)/i.exec(text)?.[1]);
      if (end < 0 || text.length < end + 4 + length) return;
      text = '';
      answer(socket, ++requests);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const patient = { answerMs: 5_000, stallMs: 5_000, ...times };
  const bulk = createUploadHttp({
    connections: 1,
    connectMs: 5_000,
    stallMs: patient.stallMs,
    stallTimeouts: createStallTimeouts(patient),
  });
  endings.push(
    () => new Promise((resolve) => server.close(resolve)),
    () => {
      for (const socket of sockets) socket.destroy();
    },
    bulk.close,
  );
  const stop = new AbortController();
  const send = (body: (write: (bytes: Buffer) => Promise<void>) => Promise<void>, length: number, limit = 1_000) =>
    bulk
      .exchange(
        {
          url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/part`,
          method: 'PUT',
          headers: { 'content-length': String(length) },
          signal: stop.signal,
          body,
        },
        limit,
      )
      .catch((error: unknown) => {
        throw netFailure(error);
      });
  const three = (): ReturnType<typeof send> => send((write) => write(Buffer.from('abc')), 3);
  return { send, three, stop, sockets };
}

describe('an answer', () => {
  test.each([
    ['of known length', 'HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\nETag: "x"\r\n\r\nno', 403],
    ['in chunks', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nETag: "x"\r\n\r\n1\r\nn\r\n1\r\no\r\n0\r\n\r\n', 200],
    ['after another that only comforts', 'HTTP/1.1 102 Wait\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\nETag: "x"\r\n\r\nno', 200],
  ])('%s is heard, and the connection used again', async (_, text, status) => {
    const { three, sockets } = await setUp((socket) => void socket.write(text));
    for (let time = 0; time < 3; time++) {
      const answer = await three();
      expect({ ...answer, body: answer.body.toString() }).toMatchObject({ status, headers: { etag: '"x"' }, body: 'no' });
    }
    expect(sockets.size).toBe(1);
  });

  test('that ends with its connection is heard, and the next request takes another one', async () => {
    const { three, sockets } = await setUp((socket) => void socket.end('HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nyes'));
    expect((await three()).body.toString()).toBe('yes');
    expect((await three()).body.toString()).toBe('yes');
    expect(sockets.size).toBe(2);
  });

  test.each([
    ['that is no HTTP', 'SSH-2.0-x\r\n', 'wrong_answer'],
    ['that breaks off', 'HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\nyes', 'cut'],
    ['that never begins', '', 'cut'],
  ])('%s is none', async (_, text, code) => {
    const { three } = await setUp((socket) => void socket.end(text));
    await expect(three()).rejects.toMatchObject({ code });
  });

  test('longer than the limit is not collected', async () => {
    const { three } = await setUp((socket) => void socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n${'x'.repeat(5_000)}`));
    await expect(three()).rejects.toMatchObject({ cause: expect.objectContaining({ code: 'ANSWER_TOO_LONG' }) });
  });

  test('that stops in its midst has stalled', async () => {
    const { three } = await setUp((socket) => void socket.write('HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\nyes'), { stallMs: 50 });
    await expect(three()).rejects.toMatchObject({ code: 'stalled' });
  });
});

describe('a body', () => {
  test('that we are slow to make is no stall of the other side', async () => {
    const { send, sockets } = await setUp((socket) => void socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'), { stallMs: 20 });
    const answer = await send(async (write) => {
      await write(Buffer.from('ab'));
      // Twice the stall time as the connection counts it.
      const [socket] = sockets;
      for (let time = 0; time < 2; time++) {
        socket!.setTimeout(30);
        await once(socket!, 'timeout');
      }
      await write(Buffer.from('c'));
    }, 3);
    expect(answer.status).toBe(200);
  });

  test('that fails ends its request, with its own reason', async () => {
    const { send, three, sockets } = await setUp((socket) => void socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'));
    const reason = new Error('the disk is gone');
    const failing = send(async (write) => {
      await write(Buffer.from('a'));
      throw reason;
    }, 3);
    await expect(failing).rejects.toMatchObject({ cause: reason });
    expect((await three()).status).toBe(200);
    expect(sockets.size).toBe(2);
  });

  test('is over when its request is, however that ended', async () => {
    const { send, stop } = await setUp(() => {});
    const reason = new Error('paused');
    let over = false;
    const sending = send(async (write) => {
      try {
        await write(Buffer.from('a'));
        stop.abort(reason);
        await write(Buffer.alloc(50_000_000));
      } finally {
        over = true;
      }
    }, 50_000_001);
    await expect(sending).rejects.toMatchObject({ cause: reason });
    expect(over).toBe(true);
  });
});
