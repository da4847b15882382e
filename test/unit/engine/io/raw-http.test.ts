import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { TransferError } from '#client/errors.ts';
import { blake3Hex } from '#engine/io/digests.ts';
import { createDiskSink, type DiskSink } from '#engine/io/disk-sink.ts';
import { createTransport, type TransportTimeouts } from '#engine/io/transport.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

const MiB = 1024 * 1024;
const content = randomBytes(3 * MiB);
const endings: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

/** A server of bare sockets: what comes back is up to the last byte what the test writes. */
async function setUp(answer: (socket: Socket, request: string, ordinal: number) => void, timeouts: TransportTimeouts = {}) {
  const folder = await tempFolder();
  endings.push(folder.remove);
  const requests: string[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    sockets.add(socket);
    let text = '';
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', (bytes) => {
      text += bytes.toString('latin1');
      if (!text.endsWith('\r\n\r\n')) return;
      requests.push(text);
      const request = text;
      text = '';
      answer(socket, request, requests.length - 1);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  endings.push(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  });
  const transport = createTransport({ ...timeouts, fast: true });
  endings.push(transport.close);
  const sink = createDiskSink(join(folder.path, 'part'), content.length);
  endings.push(sink.close);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/object?signature=a%2Fb`;
  const receive = (offset = 0, length = content.length, into: DiskSink = sink) =>
    transport.receive(url, into, { offset, length }, { onBytes: () => {}, signal: new AbortController().signal });
  const expectWhole = () => expect(readFileSync(sink.temporary).equals(content)).toBe(true);
  return { requests, sockets, connections: () => connections, receive, sink, expectWhole };
}

const head = (offset: number, length: number, more = ''): string =>
  `HTTP/1.1 206 Partial Content\r\nContent-Range: bytes ${offset}-${offset + length - 1}/${content.length}\r\nContent-Length: ${length}\r\n${more}\r\n`;

function rangeOf(request: string): [number, number] {
  const [, start, end] = /range: bytes=(\d+)-(\d+)/i.exec(request)!;
  return [Number(start), Number(end) - Number(start) + 1];
}

function serve(socket: Socket, request: string, more = ''): void {
  const [offset, length] = rangeOf(request);
  socket.write(head(offset, length, more));
  socket.write(content.subarray(offset, offset + length));
}

describe('a range by plain HTTP', () => {
  test('asks as it has to, and uses a connection again', async () => {
    const { receive, requests, connections, expectWhole } = await setUp((socket, request) => serve(socket, request));
    await receive(0, MiB);
    await receive(MiB, 2 * MiB);
    expectWhole();
    expect(connections()).toBe(1);
    expect(requests[1]).toMatch(/^GET \/object\?signature=a%2Fb HTTP\/1\.1\r\nhost: 127\.0\.0\.1:\d+\r\n/);
    expect(requests[1]).toContain(`range: bytes=${MiB}-${3 * MiB - 1}\r\n`);
  });

  test('takes a head that comes in pieces, or with the body in one', async () => {
    const { receive, expectWhole, requests } = await setUp((socket, request, ordinal) => {
      const [offset, length] = rangeOf(request);
      const all = Buffer.concat([Buffer.from(head(offset, length)), content.subarray(offset, offset + length)]);
      if (ordinal === 1) return void socket.write(all);
      socket.setNoDelay(true);
      socket.write(all.subarray(0, 7), () =>
        setImmediate(() => socket.write(all.subarray(7, 60), () => setImmediate(() => socket.write(all.subarray(60))))),
      );
    });
    await receive(0, MiB);
    await receive(MiB, 2 * MiB);
    expectWhole();
    expect(requests).toHaveLength(2);
  });

  test('closes a connection that the server wants closed', async () => {
    const { receive, connections } = await setUp((socket, request) => serve(socket, request, 'Connection: close\r\n'));
    await receive(0, MiB);
    await receive(MiB, MiB);
    expect(connections()).toBe(2);
  });

  test.each([1, 2, 3])('ends with what the disk said at once of stride %i, and another one goes on', async (stride) => {
    const { receive, sink, requests, expectWhole } = await setUp((socket, request) => serve(socket, request));
    const full = new TransferError('disk_full', 'There is no room.');
    let strides = 0;
    const broken: DiskSink = {
      ...sink,
      write() {
        if (++strides >= stride) throw full;
      },
    };
    await expect(receive(0, content.length, broken)).rejects.toBe(full);
    expect(strides).toBe(stride);
    await receive();
    expectWhole();
    expect(requests).toHaveLength(2);
  });

  test('goes to the disk as it comes, though no stride of it is quite full', async () => {
    const piece = MiB - 24 * 1024;
    let sendOn = (): void => {};
    const { receive, sink, expectWhole } = await setUp((socket, request) => {
      const [offset, length] = rangeOf(request);
      let sent = 0;
      // No more comes before what has come is written: who waits for more stalls.
      sendOn = () => {
        socket.write(content.subarray(offset + sent, offset + Math.min(length, sent + piece)));
        sent += piece;
      };
      socket.write(head(offset, length));
      sendOn();
    });
    const watched: DiskSink = {
      ...sink,
      write(buffers, position) {
        const writing = sink.write(buffers, position);
        sendOn();
        return writing;
      },
    };
    await receive(0, content.length, watched);
    expectWhole();
  });

  test('many at once do not mix', async () => {
    const { receive, expectWhole } = await setUp((socket, request) => serve(socket, request));
    const step = 400_000;
    const digests = await Promise.all(
      Array.from({ length: Math.ceil(content.length / step) }, (_, at) => receive(at * step, Math.min(step, content.length - at * step))),
    );
    expectWhole();
    expect(digests[1]).toEqual({ blake3: blake3Hex(content.subarray(step, 2 * step)) });
  });
});

describe('an answer that raw HTTP does not know is asked for again in the ordinary way', () => {
  const unknown: Record<string, (socket: Socket, request: string) => void> = {
    'a length in pieces': (socket, request) => {
      const [offset, length] = rangeOf(request);
      socket.write(
        `HTTP/1.1 206 Partial Content\r\nContent-Range: bytes ${offset}-${offset + length - 1}/*\r\nTransfer-Encoding: chunked\r\n\r\n${length.toString(16)}\r\n`,
      );
      socket.write(content.subarray(offset, offset + length));
      socket.write('\r\n0\r\n\r\n');
    },
    'a field that comes twice': (socket, request) => serve(socket, request, 'Set-Cookie: a\r\nSet-Cookie: b\r\n'),
    'an interim answer': (socket, request) => {
      socket.write('HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n');
      serve(socket, request);
    },
    'the whole file': (socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${content.length}\r\n\r\n`);
      socket.write(content);
    },
  };

  test.each(Object.keys(unknown))('%s', async (name) => {
    const { receive, expectWhole, requests } = await setUp((socket, request) => unknown[name]!(socket, request));
    expect(await receive()).toEqual({ blake3: blake3Hex(content) });
    expectWhole();
    expect(requests).toHaveLength(2);
  });

  test('a kept connection that the server closed meanwhile', async () => {
    const { receive, expectWhole, requests } = await setUp((socket, request, ordinal) => {
      if (ordinal === 1) socket.destroy();
      else serve(socket, request);
    });
    await receive(0, MiB);
    await receive(MiB, 2 * MiB);
    expectWhole();
    expect(requests).toHaveLength(3);
  });
});

test.each([
  [429, 'storage_busy', 7],
  [503, 'storage_busy', 7],
  [502, 'storage_failed', 7],
])('a server that fails (%i) is not asked again at once', async (status, code, retryAfter) => {
  const { receive, requests } = await setUp((socket) => {
    socket.write(`HTTP/1.1 ${status} Later\r\nRetry-After: 7\r\nContent-Length: 4\r\n\r\nbusy`);
  });
  await expect(receive()).rejects.toMatchObject({ code, retryAfter });
  expect(requests).toHaveLength(1);
});

describe('what breaks', () => {
  test('by a head without end is no storage’s answer', async () => {
    const { receive } = await setUp((socket, request) => serve(socket, request, `X-Long: ${'x'.repeat(20_000)}\r\n`));
    await expect(receive()).rejects.toMatchObject({ code: 'wrong_answer' });
  });

  test('in the middle of the body is cut, and is not asked for again here', async () => {
    const { receive, requests } = await setUp((socket) => {
      socket.write(head(0, content.length));
      socket.end(content.subarray(0, MiB));
    });
    await expect(receive()).rejects.toMatchObject({ code: 'cut' });
    expect(requests).toHaveLength(1);
  });

  test('by bytes after the end spoils nothing', async () => {
    const { receive, expectWhole } = await setUp((socket, request, ordinal) => {
      serve(socket, request);
      if (ordinal === 0) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
    });
    // Together with the last bytes they are too many; later they end a connection that nobody uses.
    await receive(0, MiB).catch((error: unknown) => expect(error).toMatchObject({ code: 'wrong_answer' }));
    await receive();
    expectWhole();
  });

  test('by a stall in the middle of the body has stalled', async () => {
    const stall = (socket: Socket): void => {
      socket.write(head(0, content.length));
      socket.write(content.subarray(0, MiB));
    };
    const { receive } = await setUp(stall, { stallMs: 500 });
    await expect(receive()).rejects.toMatchObject({ code: 'stalled' });
  });

  test('by a stall after it had waited for our own disk for longer than a stall has stalled, too', async () => {
    const stallMs = 60;
    // Each is handed over as soon as its last byte has come, so that none is left to be read.
    const piece = MiB - 64 * 1024;
    let sendOn = (): void => {};
    const { receive, sink } = await setUp(
      (socket) => {
        let sent = 0;
        sendOn = () => {
          socket.write(content.subarray(sent, sent + piece));
          sent += piece;
        };
        socket.write(head(0, content.length));
        sendOn();
      },
      { stallMs },
    );
    const room = Promise.withResolvers<void>();
    const full = Promise.withResolvers<void>();
    let strides = 0;
    const slow: DiskSink = {
      ...sink,
      write() {
        if (++strides < 3) sendOn();
        else full.resolve();
        return room.promise;
      },
    };
    const receiving = receive(0, content.length, slow);
    receiving.catch(() => undefined);
    await full.promise;
    // The silence until here is our own; what follows is not.
    await sleep(3 * stallMs);
    room.resolve();
    await expect(receiving).rejects.toMatchObject({ code: 'stalled' });
  });
});
