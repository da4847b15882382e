import { once } from 'node:events';
import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants, type OutgoingHttpHeaders } from 'node:http2';
import type { Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Http2Limits } from '#service/http/http2/sessions.ts';
import { type Listener, listen } from '#service/http/listener.ts';
import { frame, frameFlags, frameTypes, greeting, readFrames } from '#test/support/system/http2-frames.ts';
import { hasPrograms } from '#test/support/system/programs.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';
import { makeCertificate } from '#test/support/system/tls-proxy.ts';

let tls: { readonly cert: string; readonly key: string };
let folder: Awaited<ReturnType<typeof tempFolder>>;
let listener: Listener;
let session: ClientHttp2Session;

async function open(http2: Partial<Http2Limits> = {}, trustProxy?: string): Promise<void> {
  listener = await listen({ host: '127.0.0.1', port: 0 }, { tls, stallMilliseconds: 60_000, http2, trustProxy });
  session = connect(listener.url, { rejectUnauthorized: false });
  session.on('error', () => undefined);
  await once(session, 'connect');
}

interface Answer {
  readonly status: number | undefined;
  readonly text: string;
  /** What the stream ended with; 0: all is well. */
  readonly code: number;
}

function begin(headers: OutgoingHttpHeaders, endStream = true): { stream: ClientHttp2Stream; answer: Promise<Answer> } {
  const stream = session.request(headers, { endStream });
  let status: number | undefined;
  let text = '';
  stream.setEncoding('utf8').on('data', (piece: string) => {
    text += piece;
  });
  stream.on('response', (answer) => {
    status = answer[':status'];
  });
  stream.on('error', () => undefined);
  const answer = new Promise<Answer>((resolve) => stream.on('close', () => resolve({ status, text, code: stream.rstCode })));
  return { stream, answer };
}

const post = { ':method': 'POST', ':path': '/' };
const ask = (path: string, headers: OutgoingHttpHeaders = {}): Promise<Answer> => begin({ ':path': path, ...headers }).answer;

describe.skipIf(!hasPrograms('openssl'))('HTTP/2', () => {
  beforeAll(async () => {
    folder = await tempFolder();
    const { cert, key } = await makeCertificate(folder.path);
    tls = { cert: cert.toString(), key: key.toString() };
  });
  afterAll(() => folder?.remove());
  beforeEach(() => open());
  afterEach(async () => {
    session.destroy();
    await listener.close(0);
  });

  it('is for those who choose it, and has the host that was asked for and the client as HTTP/1.1 has them', async () => {
    listener.serve(({ headers, httpVersion, socket }, response) => {
      response.writeHead(200, { connection: 'close' }).end(`${httpVersion} ${headers.host} ${socket.remoteAddress} ${socket.remotePort}`);
    });
    const { localPort } = session.socket;
    expect(await ask('/', { ':authority': 'a.example', host: 'b.example' })).toEqual({
      status: 200,
      text: `2.0 a.example 127.0.0.1 ${localPort}`,
      code: 0,
    });
    const old = connectTls({ port: listener.port, host: '127.0.0.1', rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] });
    old.write('GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n');
    expect(String((await once(old, 'data'))[0])).toContain(`\r\n1.1 a 127.0.0.1 ${old.localPort}\r\n`);
  });

  it('answers 503 before there is an app, and serves many at once afterwards', async () => {
    expect(await ask('/')).toMatchObject({ status: 503, code: 0 });
    const waiting = Promise.withResolvers<void>();
    let arrived = 0;
    listener.serve(async ({ url }, response) => {
      if (++arrived === 50) waiting.resolve();
      await waiting.promise;
      response.end(url);
    });
    const answers = await Promise.all(Array.from({ length: 50 }, (_, index) => ask(`/${index}`)));
    expect(answers.map(({ text }) => text)).toEqual(answers.map((_, index) => `/${index}`));
  });

  it('an answer that is cut off is an error for the client, and not finished here', async () => {
    const seen = Promise.withResolvers<unknown>();
    listener.serve((_request, response) => {
      response.once('close', () => seen.resolve([response.destroyed, response.writableFinished]));
      response.write('half', () => response.destroy());
    });
    expect(await ask('/')).toEqual({ status: 200, text: 'half', code: constants.NGHTTP2_INTERNAL_ERROR });
    expect(await seen.promise).toEqual([true, false]);
  });

  it('an early answer is read whole, and its request is not sent to the end', async () => {
    listener.serve((request, response) => {
      // As who finds out on the way that it is too large.
      request.once('data', () => {
        request.pause();
        response.writeHead(413).end('too large');
      });
    });
    const { stream, answer } = begin(post, false);
    const piece = Buffer.alloc(64 * 1024);
    const feed = (): void => {
      while (!stream.destroyed && stream.write(piece));
    };
    stream.on('drain', feed);
    feed();
    expect(await answer).toEqual({ status: 413, text: 'too large', code: 0 });
  });

  it('a request that stalls is answered 408, and the others go on', async () => {
    await listener.close(0);
    const started = Promise.withResolvers<() => void>();
    const broken = Promise.withResolvers<string>();
    listener = await listen({ host: '127.0.0.1', port: 0 }, { tls, stallMilliseconds: 50 });
    session = connect(listener.url, { rejectUnauthorized: false });
    listener.serve((request, response) => {
      if (request.url === '/slow') return started.resolve(() => response.end('late'));
      request.resume().on('error', (error: NodeJS.ErrnoException) => broken.resolve(error.code!));
    });
    const slow = ask('/slow');
    const { stream, answer } = begin(post, false);
    stream.write('12345');
    const { status, text, code } = await answer;
    expect([status, JSON.parse(text), code]).toMatchObject([408, { code: 65545 }, 0]);
    expect(await broken.promise).toBe('ECONNRESET');
    (await started.promise)();
    expect(await slow).toMatchObject({ status: 200, text: 'late' });
  });

  it('a client that reads nothing of its answer is cut off', async () => {
    await listener.close(0);
    listener = await listen({ host: '127.0.0.1', port: 0 }, { tls, stallMilliseconds: 30, http2: { readerMilliseconds: 60 } });
    session = connect(listener.url, { rejectUnauthorized: false, settings: { initialWindowSize: 1_000 } });
    const closed = Promise.withResolvers<unknown>();
    listener.serve((_request, response) => {
      response.once('close', () => closed.resolve(response.writableFinished));
      response.end(Buffer.alloc(100_000));
    });
    const stream = session.request({ ':path': '/' });
    stream.on('error', () => undefined);
    stream.pause();
    expect(await closed.promise).toBe(false);
  });

  it('an address has so many requests at once, over all its connections, and is told that the others were not begun', async () => {
    await listener.close(0);
    await open({ requests: { perHolder: 2, total: 100 } });
    const held: (() => void)[] = [];
    const both = Promise.withResolvers<void>();
    listener.serve((_request, response) => {
      held.push(() => response.end('served'));
      if (held.length === 2) both.resolve();
    });
    const served = [ask('/1'), ask('/2')];
    await both.promise;
    const first = session;
    session = connect(listener.url, { rejectUnauthorized: false });
    expect(await ask('/3')).toMatchObject({ status: undefined, code: constants.NGHTTP2_REFUSED_STREAM });
    for (const answer of held) answer();
    expect(await Promise.all(served)).toMatchObject([{ text: 'served' }, { text: 'served' }]);
    const again = ask('/4');
    await expect.poll(() => held.length).toBe(3);
    held[2]!();
    expect(await again).toMatchObject({ text: 'served' });
    first.destroy();
  });

  it('tells clients at its end, lets answers under way finish, and waits for nobody else', async () => {
    const started = Promise.withResolvers<() => void>();
    listener.serve((_request, response) => started.resolve(() => response.end('finished')));
    const answer = ask('/');
    const finish = await started.promise;
    const going = once(session, 'goaway');
    const closed = listener.close(3_600_000);
    expect((await going)[0]).toBe(constants.NGHTTP2_NO_ERROR);
    finish();
    expect(await answer).toEqual({ status: 200, text: 'finished', code: 0 });
    await closed;
  });

  it('closes what asks nothing: at first, when idle, and where the client keeps its side open', async () => {
    await listener.close(0);
    for (const limits of [{ firstMilliseconds: 20 }, { idleMilliseconds: 20 }]) {
      listener = await listen({ host: '127.0.0.1', port: 0 }, { tls, http2: { ...limits, closeMilliseconds: 20 } });
      const accepted = once(listener.server, 'connection');
      const socket = await raw();
      socket.resume().write(greeting);
      await once((await accepted)[0] as Socket, 'close');
      socket.destroy();
      await listener.close(0);
    }
  });

  describe('of raw frames', () => {
    const get = Buffer.from([0x82, 0x87, 0x84, 0x01, 0x01, 0x61]);
    const literal = (name: string, value: string) =>
      Buffer.concat([Buffer.from([0, name.length]), Buffer.from(name), Buffer.from([value.length]), Buffer.from(value)]);
    const cancel = Buffer.from([0, 0, 0, constants.NGHTTP2_CANCEL]);

    it('a body that is cut short ends with an error for its reader, whatever length was stated', async () => {
      for (const fields of [[], [literal('content-length', '10')]]) {
        const ended = Promise.withResolvers<string>();
        const began = Promise.withResolvers<void>();
        listener.serve((request) => {
          request.on('data', () => began.resolve());
          request.on('end', () => ended.resolve('as if it were whole'));
          request.on('error', (error: NodeJS.ErrnoException) => ended.resolve(error.code!));
        });
        const socket = await raw();
        // POST, in place of GET.
        const head = Buffer.concat([Buffer.from([0x83]), get.subarray(1), ...fields]);
        socket.write(
          Buffer.concat([
            greeting,
            frame(frameTypes.headers, frameFlags.endHeaders, 1, head),
            frame(frameTypes.data, 0, 1, Buffer.from('12345')),
          ]),
        );
        await began.promise;
        socket.write(frame(frameTypes.resetStream, 0, 1, cancel));
        expect(await ended.promise).toBe('ECONNRESET');
        socket.destroy();
      }
    });

    /** The code that the connection is ended with, or of the first stream that is reset. */
    async function endOf(
      send: (socket: TLSSocket) => void,
      onAnswer: (socket: TLSSocket, type: number) => void = () => undefined,
    ): Promise<{ goaway?: number; reset?: number }> {
      const socket = await raw();
      const end: { goaway?: number; reset?: number } = {};
      const frames = readFrames(socket, ({ type, flags, payload }) => {
        if ((type === frameTypes.ping || type === frameTypes.settings) && flags === frameFlags.answer) onAnswer(socket, type);
        if (type === frameTypes.goaway) end.goaway ??= payload.readUInt32BE(4);
        if (type === frameTypes.resetStream) {
          end.reset ??= payload.readUInt32BE(0);
          socket.destroy();
        }
      });
      socket.write(greeting);
      send(socket);
      await frames;
      return end;
    }

    it('refuses floods of frames that have to be answered, though the answers are read, and lets through what clients send of them', async () => {
      listener.serve((_request, response) => response.end('served'));
      // Refused, where the connection still stands.
      const last = frame(frameTypes.resetStream, 0, 1, cancel);
      for (const [type, size] of [
        [frameTypes.ping, 8],
        [frameTypes.settings, 0],
      ] as const) {
        const one = frame(type, 0, 0, Buffer.alloc(size));
        // More than nghttp2 keeps unanswered come over time.
        const flood = await endOf((socket) => socket.write(Buffer.concat([...Array<Buffer>(600).fill(one), last])));
        expect(flood.goaway).toBe(constants.NGHTTP2_ENHANCE_YOUR_CALM);
        // Once all are answered: Node drops what it has to say last where an answer is still on its way.
        let unanswered = 100;
        const calm = await endOf(
          (socket) => socket.write(Buffer.concat(Array<Buffer>(unanswered).fill(one))),
          (socket, answered) => {
            if (answered === type && --unanswered === (type === frameTypes.settings ? -1 : 0)) socket.write(last);
          },
        );
        expect(calm.goaway).toBe(constants.NGHTTP2_PROTOCOL_ERROR);
      }
      expect(await ask('/')).toMatchObject({ status: 200, text: 'served' });
    });

    it('refuses floods of resets and of continued headers, and keeps serving others', async () => {
      listener.serve((_request, response) => response.end('served'));
      const header = (stream: number, flags: number) => frame(frameTypes.headers, flags, stream, get);
      const rapid = await endOf((socket) => {
        for (let index = 0; index < 2_000; index++) {
          const stream = index * 2 + 1;
          socket.write(
            Buffer.concat([header(stream, frameFlags.endHeaders | frameFlags.endStream), frame(frameTypes.resetStream, 0, stream, cancel)]),
          );
        }
      });
      expect(rapid.goaway ?? 'closed').not.toBe(0);
      const continued = await endOf((socket) => {
        socket.write(header(1, frameFlags.endStream));
        for (let index = 0; index < 5_000; index++)
          socket.write(frame(frameTypes.continuation, 0, 1, Buffer.from([0x00, 0x01, 0x78, 0x01, 0x79])));
      });
      expect(continued.goaway ?? 'closed').not.toBe(0);
      expect(await ask('/')).toMatchObject({ status: 200, text: 'served' });
    });

    it('refuses a head that is too large, or of too many fields, alone: the connection goes on', async () => {
      listener.serve((_request, response) => response.end('served'));
      const calm = constants.NGHTTP2_ENHANCE_YOUR_CALM;
      expect(await ask(`/?${'x'.repeat(16_000)}`)).toMatchObject({ status: 200 });
      expect(await ask(`/?${'x'.repeat(24_000)}`)).toMatchObject({ status: undefined, code: calm });
      const fields = Object.fromEntries(Array.from({ length: 140 }, (_, index) => [`x-${index}`, 'y']));
      expect(await ask('/', fields)).toMatchObject({ status: undefined, code: calm });
      expect(await ask('/')).toMatchObject({ status: 200 });
    });

    it('refuses what no request may be', async () => {
      listener.serve((_request, response) => response.end('served'));
      const nothing = await endOf((socket) => socket.write(frame(frameTypes.data, 0, 1, Buffer.from('x'))));
      expect(nothing.goaway).toBe(constants.NGHTTP2_PROTOCOL_ERROR);
      const huge = await endOf((socket) =>
        socket.write(Buffer.concat([Buffer.from([0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 1]), Buffer.alloc(100)])),
      );
      expect(huge.goaway).toBe(constants.NGHTTP2_FRAME_SIZE_ERROR);
      // `Connection` is none of HTTP/2: a request that was made of one of HTTP/1.1 by whoever did not understand it.
      const smuggled = await endOf((socket) =>
        socket.write(
          frame(
            frameTypes.headers,
            frameFlags.endHeaders | frameFlags.endStream,
            1,
            Buffer.concat([get, literal('transfer-encoding', 'chunked')]),
          ),
        ),
      );
      expect(smuggled.reset).toBe(constants.NGHTTP2_PROTOCOL_ERROR);
    });
  });
});

async function raw(): Promise<TLSSocket> {
  const options = { port: listener.port, host: '127.0.0.1', rejectUnauthorized: false, ALPNProtocols: ['h2'], allowHalfOpen: true };
  const socket = connectTls(options);
  socket.on('error', () => undefined);
  await once(socket, 'secureConnect');
  expect(socket.alpnProtocol).toBe('h2');
  return socket;
}
