import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { buffer as bytesOf, text } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { BufferPool } from '#storage/local/buffer-pool.ts';
import { createRawHttp, type IncomingPart, type PartEvents, type RawHttpOptions, smallestRawPart } from '#storage/local/fast/raw-http.ts';
import { Refusal } from '#storage/local/refusal.ts';

const strideSize = 64 * 1024;
const endings: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

const until = (check: () => void): Promise<void> => vi.waitFor(check, { timeout: 10_000, interval: 5 });

/** A part as the raw sees it, and all that became of it. */
class TestPart {
  readonly #buffers: BufferPool;
  readonly events: PartEvents;
  readonly pieces: Buffer[] = [];
  discarded = 0;
  finish: () => Promise<string> = async () => `etag-${this.bytes().length}`;
  /** Whether more is wanted after a piece. */
  wants: () => boolean = () => true;

  constructor(events: PartEvents, buffers: BufferPool) {
    this.events = events;
    this.#buffers = buffers;
  }

  bytes(): Buffer {
    return Buffer.concat(this.pieces);
  }

  get incoming(): IncomingPart {
    return {
      take: () => this.#buffers.take(),
      give: (buffer) => this.#buffers.give(buffer),
      moved: () => {},
      add: (bytes, done) => {
        this.pieces.push(Buffer.from(bytes));
        done();
        return this.wants();
      },
      finish: () => this.finish(),
      discard: () => void this.discarded++,
    };
  }
}

/** A raw HTTP reader before a real HTTP server, which says what it was asked and with how many bytes. */
async function setUp(options: Partial<RawHttpOptions> & { prepare?: (part: TestPart) => void } = {}) {
  const parts: TestPart[] = [];
  let handedOver = 0;
  const server = createServer(async (request, response) => {
    const length = (await bytesOf(request)).length;
    response.end(`${request.method} ${request.url} ${length}`);
  });
  const [serve] = server.listeners('connection') as ((connection: Duplex) => void)[];
  server.removeAllListeners('connection');
  const buffers = new BufferPool(strideSize, 4);
  const raw = createRawHttp({
    accept: (_, events) => {
      const part = new TestPart(events, buffers);
      options.prepare?.(part);
      parts.push(part);
      return part.incoming;
    },
    handOver: (connection) => {
      handedOver++;
      serve!.call(server, connection);
    },
    idleMilliseconds: 10_000,
    headMilliseconds: 10_000,
    keepAliveMilliseconds: 75_000,
    answerHeaders: 'x-content-type-options: nosniff\r\n',
    ...options,
  });
  server.on('connection', (socket: Socket) => raw.connected(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  endings.push(async () => {
    raw.closeAll();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const dial = async () => {
    const socket = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', allowHalfOpen: true });
    socket.on('error', () => {});
    endings.push(() => socket.destroy());
    await once(socket, 'connect');
    let heard = '';
    socket.on('data', (bytes: Buffer) => {
      heard += bytes.toString('latin1');
    });
    return { socket, heard: () => heard };
  };
  const connections = () => new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count)));
  return { parts, raw, dial, buffers, server, connections, handedOver: () => handedOver };
}

const put = (length: number, ...lines: string[]): string =>
  `${['PUT /part?n=1 HTTP/1.1', 'host: x', `content-length: ${length}`, ...lines].join('\r\n')}\r\n\r\n`;
const get = 'GET /other HTTP/1.1\r\nhost: x\r\n\r\n';

describe('a large part', () => {
  test.each([1, 1_000, 70_000, 10_000_000])('is stored byte for byte when it is sent in pieces of %i bytes', async (size) => {
    const { parts, dial, handedOver } = await setUp();
    const { socket, heard } = await dial();
    const bytes = randomBytes(size === 1 ? smallestRawPart : smallestRawPart * 5 + 321);
    socket.write(put(bytes.length));
    // A few single bytes are enough; the rest comes at once.
    const first = size === 1 ? 100 : bytes.length;
    for (let at = 0; at < first; at += size) {
      socket.write(bytes.subarray(at, Math.min(at + size, first)));
      if (size < 70_000) await nextTurn();
    }
    socket.write(bytes.subarray(first));
    await until(() => expect(heard()).toContain('\r\n\r\n'));
    expect(heard()).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(heard()).toContain(`ETag: "etag-${bytes.length}"\r\n`);
    expect(heard()).toContain('x-content-type-options: nosniff\r\n');
    expect(parts).toHaveLength(1);
    expect(parts[0]!.bytes().equals(bytes)).toBe(true);
    expect(parts[0]!.discarded).toBe(0);
    expect(handedOver()).toBe(0);
  });

  test("may follow another on one connection, also before that one's answer", async () => {
    const { parts, dial, handedOver } = await setUp();
    const { socket, heard } = await dial();
    const three = [1, 2, 3].map((times) => randomBytes(smallestRawPart * times));
    for (const bytes of three) socket.write(Buffer.concat([Buffer.from(put(bytes.length)), bytes]));
    await until(() => expect(heard().match(/ 200 OK/g)).toHaveLength(3));
    expect(parts.map((part) => part.bytes().length)).toEqual(three.map((bytes) => bytes.length));
    expect(parts.every((part, index) => part.bytes().equals(three[index]!))).toBe(true);
    expect(handedOver()).toBe(0);
  });

  test('is not cut while the storage is busy for longer than the idle timeout', async () => {
    const idleMilliseconds = 321;
    const armed = vi.spyOn(Socket.prototype, 'setTimeout');
    endings.push(() => armed.mockRestore());
    const { parts, dial } = await setUp({ prepare: (part) => (part.wants = () => false), idleMilliseconds });
    const { socket, heard } = await dial();
    const bytes = randomBytes(smallestRawPart * 2);
    socket.write(put(bytes.length));
    socket.write(bytes);
    // Once at the beginning, then whenever the time was over.
    await until(() => expect(armed.mock.calls.filter(([time]) => time === idleMilliseconds).length).toBeGreaterThan(2));
    expect(parts[0]!.pieces).toHaveLength(1);
    while (!heard()) {
      const before = parts[0]!.pieces.length;
      parts[0]!.events.onRoom();
      await until(() => expect(parts[0]!.pieces.length > before || heard() !== '').toBe(true));
    }
    expect(parts[0]!.bytes().equals(bytes)).toBe(true);
  });

  test('whose sender has closed its side is still answered', async () => {
    const { dial } = await setUp();
    const { socket, heard } = await dial();
    socket.end(Buffer.concat([Buffer.from(put(smallestRawPart)), randomBytes(smallestRawPart)]));
    await once(socket, 'end');
    expect(heard()).toContain(' 200 OK');
  });
});

describe('a part that is not stored', () => {
  const full = new Refusal(507, 'InsufficientStorage', 'The storage is full.', { 'Retry-After': '30' });

  test('because of a failure in the middle is refused, though its sender goes on sending', async () => {
    const { parts, dial, handedOver, connections } = await setUp();
    const { socket, heard } = await dial();
    socket.write(put(smallestRawPart * 1_000));
    socket.write(randomBytes(smallestRawPart));
    await until(() => expect(parts[0]?.pieces.length).toBeGreaterThan(0));
    parts[0]!.events.onFailure(full);
    // Also a second time.
    parts[0]!.events.onFailure(full);
    const before = parts[0]!.pieces.length;
    socket.write(randomBytes(smallestRawPart));
    await until(() => expect(heard()).toContain('</Error>'));
    expect(heard()).toMatch(/^HTTP\/1\.1 507 [\s\S]*Retry-After: 30\r\n[\s\S]*Connection: close\r\n[\s\S]*The storage is full/);
    expect(heard().match(/HTTP/g)).toHaveLength(1);
    expect([parts[0]!.pieces.length, parts[0]!.discarded]).toEqual([before, 1]);
    socket.end();
    await vi.waitFor(async () => expect(await connections()).toBe(0), { timeout: 10_000, interval: 20 });
    expect(handedOver()).toBe(0);
  });

  test('because of a failure at its end is refused', async () => {
    const { dial } = await setUp({ prepare: (part) => (part.finish = () => Promise.reject(full)) });
    const { socket, heard } = await dial();
    socket.write(Buffer.concat([Buffer.from(put(smallestRawPart)), randomBytes(smallestRawPart)]));
    await once(socket, 'end');
    expect(heard()).toMatch(/^HTTP\/1\.1 507 /);
  });

  test('because its sender disconnected is discarded, and its buffer is reused', async () => {
    const { parts, dial, buffers, connections } = await setUp();
    const { socket } = await dial();
    socket.write(put(smallestRawPart * 2));
    socket.write(randomBytes(strideSize * 3));
    await until(() => expect(parts[0]?.pieces).toHaveLength(3));
    const give = vi.spyOn(buffers, 'give');
    socket.destroy();
    await until(() => expect(parts[0]!.discarded).toBe(1));
    expect(give).toHaveBeenCalledTimes(1);
    await vi.waitFor(async () => expect(await connections()).toBe(0), { timeout: 10_000, interval: 20 });
  });

  test('because its sender became idle is discarded', async () => {
    const { parts, dial } = await setUp({ idleMilliseconds: 30 });
    const { socket } = await dial();
    socket.write(put(smallestRawPart));
    socket.write('abc');
    await until(() => expect(parts[0]!.discarded).toBe(1));
  });
});

describe('the ordinary server', () => {
  const largeChunked = (): string => `PUT /c HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n`;

  test.each([
    ['another method', get, 'GET /other 0'],
    ['a small part', `${put(3)}abc`, 'PUT /part?n=1 3'],
    ['a body of unknown length', largeChunked(), 'PUT /c 3'],
    ['a field that it does not know', `${put(smallestRawPart, 'x: y')}${'a'.repeat(smallestRawPart)}`, `PUT /part?n=1 ${smallestRawPart}`],
    ['two lengths', put(smallestRawPart, `content-length: ${smallestRawPart}`), '400 Bad Request'],
    ['a length and chunks', put(smallestRawPart, 'transfer-encoding: chunked'), '400 Bad Request'],
    ['no HTTP at all', '\x16\x03\x01 hello', '400 Bad Request'],
  ])('gets a connection that begins with %s, with all its bytes', async (_, sent, answer) => {
    const { dial, parts, handedOver } = await setUp();
    const { socket, heard } = await dial();
    socket.write(sent, 'latin1');
    await until(() => expect(heard()).toContain(answer));
    expect([parts.length, handedOver()]).toEqual([0, 1]);
  });

  test.each([
    ['another request', get, 'GET /other 0'],
    ['a body of unknown length', largeChunked(), 'PUT /c 3'],
    ['a large part that it does not know', `${put(2_000_000, 'x: y')}${'a'.repeat(2_000_000)}`, 'PUT /part?n=1 2000000'],
    ['a length and chunks', put(smallestRawPart, 'transfer-encoding: chunked'), '400 Bad Request'],
  ])('gets a connection that goes on with %s after a part', async (_, sent, answer) => {
    const { dial, handedOver } = await setUp();
    const { socket, heard } = await dial();
    // All at once: the second request waits until the part is answered.
    socket.write(Buffer.concat([Buffer.from(put(smallestRawPart)), randomBytes(smallestRawPart), Buffer.from(sent)]));
    await until(() => expect(heard()).toContain(answer));
    expect(heard().indexOf('etag-')).toBeLessThan(heard().indexOf(answer));
    expect(handedOver()).toBe(1);
    if (answer.startsWith('400')) return;
    // And keeps it.
    socket.write(`${put(smallestRawPart)}${'b'.repeat(smallestRawPart)}${get}`);
    await until(() => expect(heard()).toContain(`PUT /part?n=1 ${smallestRawPart}`));
    await until(() => expect(heard().endsWith('GET /other 0')).toBe(true));
    expect(handedOver()).toBe(1);
    socket.end();
    await once(socket, 'close');
  });

  test('gets a request head that is received in two pieces', async () => {
    const { dial, handedOver } = await setUp();
    const { socket, heard } = await dial();
    const head = put(smallestRawPart);
    socket.write(head.slice(0, 20));
    await until(() => expect(handedOver()).toBe(1));
    socket.write(head.slice(20));
    socket.write(randomBytes(smallestRawPart));
    await until(() => expect(heard()).toContain(`PUT /part?n=1 ${smallestRawPart}`));
  });

  test('answers for a part that is not accepted', async () => {
    const { dial } = await setUp({ accept: () => null });
    const { socket, heard } = await dial();
    socket.write(Buffer.concat([Buffer.from(put(smallestRawPart)), randomBytes(smallestRawPart)]));
    await until(() => expect(heard()).toContain(`PUT /part?n=1 ${smallestRawPart}`));
  });

  test('sends a large answer to a slow reader on a connection that has sent a part', async () => {
    const much = randomBytes(8_000_000);
    const { dial, server } = await setUp();
    server.removeAllListeners('request');
    server.on('request', (_, response) => response.end(much));
    const { socket, heard } = await dial();
    socket.write(Buffer.concat([Buffer.from(put(smallestRawPart)), randomBytes(smallestRawPart)]));
    await until(() => expect(heard()).toContain('etag-'));
    socket.removeAllListeners('data');
    socket.pause();
    socket.write('GET /much HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
    for (let turn = 0; turn < 50; turn++) await nextTurn();
    const answer = await text(socket.setEncoding('latin1'));
    expect(Buffer.from(answer.slice(answer.indexOf('\r\n\r\n') + 4), 'latin1').equals(much)).toBe(true);
  });
});

describe('closing', () => {
  test('happens later than the answers announce, so that a request in the last moment finds it open', async () => {
    const armed = vi.spyOn(Socket.prototype, 'setTimeout');
    endings.push(() => armed.mockRestore());
    const { dial } = await setUp({ keepAliveMilliseconds: 7_000 });
    const { socket, heard } = await dial();
    socket.write(Buffer.concat([Buffer.from(put(smallestRawPart)), randomBytes(smallestRawPart)]));
    await until(() => expect(heard()).toContain('Keep-Alive: timeout=7\r\n'));
    expect(armed.mock.lastCall![0]).toBe(8_000);
  });

  test('closes idle connections, and no part in progress', async () => {
    const { raw, dial, parts, connections } = await setUp();
    const silent = await dial();
    const done = await dial();
    done.socket.write(Buffer.concat([Buffer.from(put(smallestRawPart)), randomBytes(smallestRawPart)]));
    const busy = await dial();
    busy.socket.write(put(smallestRawPart));
    busy.socket.write('abc');
    await until(() => expect([done.heard().includes('etag'), parts.length]).toEqual([true, 2]));
    await vi.waitFor(async () => expect(await connections()).toBe(3), { timeout: 10_000, interval: 20 });
    raw.closeIdle();
    await Promise.all([once(silent.socket, 'end'), once(done.socket, 'end')]);
    busy.socket.write(randomBytes(smallestRawPart - 3));
    await until(() => expect(busy.heard()).toContain('etag'));
    raw.closeAll();
    await once(busy.socket, 'end');
  });

  test.each(['headMilliseconds', 'keepAliveMilliseconds'] as const)('happens by itself after %s without a byte', async (which) => {
    const { dial } = await setUp({ [which]: 30 });
    const { socket } = await dial();
    if (which === 'keepAliveMilliseconds') socket.write(Buffer.concat([Buffer.from(put(smallestRawPart)), randomBytes(smallestRawPart)]));
    await once(socket, 'end');
  });
});
