import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { TransferError } from '#client/errors.ts';
import type { Slice } from '#client/ports.ts';
import { blake3Hex } from '#engine/io/digests.ts';
import { createDiskSink, type DiskSink } from '#engine/io/disk-sink.ts';
import { createTransport, type TransportOptions } from '#engine/io/transport.ts';
import { startHttpServer } from '#test/support/system/http-server.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

const MiB = 1024 * 1024;
const content = randomBytes(9 * MiB + 321);
const endings: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

type Handler = (request: IncomingMessage, response: ServerResponse, range: { start: number; end: number }) => void | Promise<void>;

async function setUp(handle: Handler, options: TransportOptions & { size?: number } = {}) {
  const folder = await tempFolder();
  endings.push(folder.remove);
  const server = await startHttpServer((request, response) => {
    const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
    return handle(request, response, { start: Number(start), end: Number(end) });
  });
  endings.push(server.close);
  const transport = createTransport(options);
  endings.push(transport.close);
  const sink = createDiskSink(join(folder.path, 'part'), options.size ?? content.length);
  endings.push(sink.close);
  const stop = new AbortController();
  let counted = 0;
  const receive = (slice: Slice, into: DiskSink = sink) =>
    transport.receive(`${server.url}/object?signature=x`, into, slice, {
      onBytes: (count) => {
        counted += count;
      },
      signal: stop.signal,
    });
  return {
    server,
    sink,
    receive,
    stop,
    counted: () => counted,
    written: () => readFileSync(sink.temporary),
    whole: { offset: 0, length: content.length },
  };
}

const head = (start: number, end: number) => ({
  'content-range': `bytes ${start}-${end}/${content.length}`,
  'content-length': end - start + 1,
});
const serving: Handler = (_, response, { start, end }) =>
  void response.writeHead(206, head(start, end)).end(content.subarray(start, end + 1));

describe('a range', () => {
  test.each([
    ['of one byte', 5, 1],
    ['small', 0, 1_000],
    ['just small', 0, 256 * 1024],
    ['just large', 3, 256 * 1024 + 1],
    ['of some strides', MiB - 7, 3 * MiB],
    ['of the whole file', 0, content.length],
  ])('%s lands where it belongs, with its digest', async (_, offset, length) => {
    const { receive, written, counted } = await setUp(serving);
    const expected = content.subarray(offset, offset + length);
    expect(await receive({ offset, length })).toEqual({ blake3: blake3Hex(expected) });
    expect(
      written()
        .subarray(offset, offset + length)
        .equals(expected),
    ).toBe(true);
    expect(counted()).toBe(length);
  });

  test('beside others makes the whole', async () => {
    const { receive, written } = await setUp(serving, { bulkConnections: 4 });
    const step = 2 * MiB + 1;
    await Promise.all(
      Array.from({ length: Math.ceil(content.length / step) }, (_, at) =>
        receive({ offset: at * step, length: Math.min(step, content.length - at * step) }),
      ),
    );
    expect(written().equals(content)).toBe(true);
  });

  test('may come in pieces, slowly, and without a length', async () => {
    const { receive, written, whole } = await setUp(
      async (_, response, { start, end }) => {
        const { 'content-length': _left, ...fields } = head(start, end);
        response.writeHead(206, fields);
        for (let at = start; at <= end; at += 777_777) {
          response.write(content.subarray(at, Math.min(at + 777_777, end + 1)));
          await new Promise((resume) => setImmediate(resume));
        }
        response.end();
      },
      { stallMs: 500 },
    );
    await receive(whole);
    expect(written().equals(content)).toBe(true);
  });

  test('may be the whole file of a server that knows no ranges', async () => {
    const { receive, whole, written } = await setUp(
      (_, response) => void response.writeHead(200, { 'content-length': content.length }).end(content),
    );
    await receive(whole);
    expect(written().equals(content)).toBe(true);
    await expect(receive({ offset: 0, length: 100 })).rejects.toMatchObject({ code: 'wrong_answer' });
  });

  test('goes on after the disk has kept it waiting', async () => {
    const { receive, sink, whole, written } = await setUp(serving);
    const slow: DiskSink = {
      ...sink,
      async write(buffers, position) {
        for (let turn = 0; turn < 20; turn++) await new Promise((resume) => setImmediate(resume));
        await sink.write(buffers, position);
      },
    };
    await receive(whole, slow);
    expect(written().equals(content)).toBe(true);
  });

  test('keeps to a limiter', async () => {
    let asked = 0;
    const limiter = {
      piece: () => 10_000,
      rate: () => 0,
      async take(bytes: number) {
        asked += bytes;
        await new Promise((resume) => setImmediate(resume));
      },
    };
    const { receive, whole, written } = await setUp(serving, { downloadLimiter: limiter });
    await receive(whole);
    expect(asked).toBe(content.length);
    expect(written().equals(content)).toBe(true);
  });
});

describe('an answer that is not the range', () => {
  const cases: Record<string, [Handler, string]> = {
    'another range': [(_, response) => void response.writeHead(206, head(0, 9)).end(content.subarray(0, 10)), 'wrong_answer'],
    'no range at all': [(_, response) => void response.writeHead(206).end('x'), 'wrong_answer'],
    'too long': [
      (_, response, { start, end }) => {
        response.writeHead(206, { 'content-range': `bytes ${start}-${end}/*`, 'transfer-encoding': 'chunked' });
        response.end(content.subarray(start, end + 2));
      },
      'wrong_answer',
    ],
    'too short, as if whole': [
      (_, response, { start, end }) => {
        response.writeHead(206, { 'content-range': `bytes ${start}-${end}/*`, 'transfer-encoding': 'chunked' });
        response.end(content.subarray(start, end));
      },
      'cut',
    ],
    compressed: [
      (_, response, { start, end }) =>
        void response.writeHead(206, { ...head(start, end), 'content-encoding': 'gzip' }).end(content.subarray(start, end + 1)),
      'wrong_answer',
    ],
    expired: [(_, response) => void response.writeHead(403).end('<Error><Code>AccessDenied</Code></Error>'), 'address_refused'],
    gone: [(_, response) => void response.writeHead(404).end('<Error><Code>NoSuchKey</Code></Error>'), 'object_gone'],
    busy: [(_, response) => void response.writeHead(503, { 'retry-after': '5' }).end(), 'storage_busy'],
    failing: [(_, response) => void response.writeHead(500).end('x'.repeat(100_000)), 'storage_failed'],
    'out of range': [(_, response) => void response.writeHead(416).end(), 'storage_refused'],
    elsewhere: [(_, response) => void response.writeHead(302, { location: '/x' }).end(), 'wrong_answer'],
    cut: [
      (_, response, { start, end }) => {
        response.writeHead(206, head(start, end));
        response.write(content.subarray(start, Math.floor((start + end) / 2)), () => response.destroy());
      },
      'cut',
    ],
    'cut before it began': [(_, response) => void response.destroy(), 'cut'],
    stalled: [
      (_, response, { start, end }) => {
        response.writeHead(206, head(start, end)).write(content.subarray(start, start + 10));
      },
      'stalled',
    ],
    'no HTTP': [(request) => void request.socket.end('hello\r\n\r\n'), 'wrong_answer'],
  };

  test.each(Object.keys(cases))('%s', async (name) => {
    const [handle, code] = cases[name]!;
    const { receive } = await setUp(handle, { stallMs: 300 });
    for (const slice of [
      { offset: 100, length: 2_000 },
      { offset: 100, length: 4 * MiB },
    ]) {
      await expect(receive(slice)).rejects.toMatchObject({ code });
    }
  });

  test('no answer is told apart from a stall', async () => {
    const { receive, server } = await setUp(() => {}, { answerMs: 200 });
    await expect(receive({ offset: 0, length: 10 })).rejects.toMatchObject({ code: 'stalled' });
    await server.close();
    await expect(receive({ offset: 0, length: 10 })).rejects.toMatchObject({ code: 'unreachable' });
  });
});

describe('while it is under way', () => {
  test('a disk that fails ends it with the disk’s failure', async () => {
    const { receive, sink, whole } = await setUp(serving);
    let writes = 0;
    const failing: DiskSink = {
      ...sink,
      async write(buffers, position) {
        if (++writes === 3) throw new TransferError('disk_full', 'Full.');
        await sink.write(buffers, position);
      },
    };
    await expect(receive(whole, failing)).rejects.toMatchObject({ code: 'disk_full' });
  });

  test('an abort ends it with the signal’s reason, and nothing is written after', async () => {
    const { receive, sink, whole, stop } = await setUp(serving);
    let settled = false;
    let late = false;
    const watched: DiskSink = {
      ...sink,
      async write(buffers, position) {
        stop.abort(new Error('paused'));
        await sink.write(buffers, position);
        late ||= settled;
      },
    };
    await expect(receive(whole, watched)).rejects.toThrow('paused');
    settled = true;
    await new Promise((resume) => setImmediate(resume));
    expect(late).toBe(false);
  });
});
