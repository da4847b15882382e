import { createHash, randomBytes } from 'node:crypto';
import { appendFileSync, statSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { Slice } from '#client/ports.ts';
import { blake3Hex } from '#engine/io/digests.ts';
import { createDiskSource, type DiskSource } from '#engine/io/disk-source.ts';
import { stampOf } from '#engine/io/file-stamp.ts';
import { createTransport, type TransportOptions } from '#engine/io/transport.ts';
import { bodyOf, startHttpServer } from '#test/support/system/http-server.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

const MiB = 1024 * 1024;
const endings: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

type Handler = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

async function setUp(content: Buffer | number, handle: Handler, options: TransportOptions = {}) {
  const folder = await tempFolder();
  endings.push(folder.remove);
  const path = join(folder.path, 'source');
  writeFileSync(path, typeof content === 'number' ? '' : content);
  // A number is a file of that many zeros, with holes: quick to make.
  if (typeof content === 'number') truncateSync(path, content);
  const server = await startHttpServer(handle);
  endings.push(server.close);
  const transport = createTransport(options);
  endings.push(transport.close);
  const source = createDiskSource(path, stampOf(statSync(path)));
  endings.push(source.close);
  const stop = new AbortController();
  const counts: number[] = [];
  const blueprint = { url: `${server.url}/part?signature=x%2Fy`, method: 'PUT' as const, headers: { 'x-part': '1' }, body: '' };
  const send = (slice: Slice, more: { md5?: boolean; source?: DiskSource } = {}) =>
    transport.send(blueprint, more.source ?? source, slice, {
      md5: more.md5 ?? false,
      onBytes: (count) => counts.push(count),
      signal: stop.signal,
    });
  return { path, server, source, send, stop, counts, whole: { offset: 0, length: source.size } };
}

const storing =
  (parts: Buffer[]): Handler =>
  async (request, response) => {
    const bytes = await bodyOf(request);
    parts.push(bytes);
    response.setHeader('etag', `"b3-${blake3Hex(bytes)}"`).end();
  };

describe('a slice', () => {
  const content = randomBytes(5 * MiB + 12_345);
  test.each([
    ['of no bytes', 0, 0],
    ['small', 10, 1_000],
    ['just small enough to be read whole', 0, 256 * 1024],
    ['just too large for that', 7, 256 * 1024 + 1],
    ['of one stride', MiB, MiB],
    ['of one stride and a byte', MiB - 1, MiB + 1],
    ['of the whole file', 0, content.length],
  ])('%s arrives as it lies on the disk, with its digests', async (_, offset, length) => {
    const parts: Buffer[] = [];
    const { send, counts } = await setUp(content, storing(parts));
    const expected = content.subarray(offset, offset + length);
    const sent = await send({ offset, length }, { md5: true });
    expect(parts).toHaveLength(1);
    expect(parts[0]!.equals(expected)).toBe(true);
    const blake3 = blake3Hex(expected);
    expect(sent).toEqual({ etag: `b3-${blake3}`, blake3, md5: createHash('md5').update(expected).digest('hex') });
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(length);
  });

  test('goes out as its blueprint says, with its length', async () => {
    const seen: unknown[] = [];
    const { send } = await setUp(content, async (request, response) => {
      await bodyOf(request);
      const { 'content-length': length, 'transfer-encoding': encoding, 'x-part': part } = request.headers;
      seen.push([request.method, request.url, length, encoding, part]);
      response.setHeader('etag', 'plain').end();
    });
    await send({ offset: 0, length: 2 * MiB });
    await send({ offset: 0, length: 0 });
    expect(seen).toEqual([
      ['PUT', '/part?signature=x%2Fy', String(2 * MiB), undefined, '1'],
      ['PUT', '/part?signature=x%2Fy', '0', undefined, '1'],
    ]);
  });

  test('after slice reuses connection and buffers, and none is mixed up with another', async () => {
    const parts: Buffer[] = [];
    const { send, server } = await setUp(content, storing(parts), { bulkConnections: 2 });
    await Promise.all(Array.from({ length: 12 }, (_, at) => send({ offset: at * 100_000, length: 300_000 + at * 317_000 })));
    expect(server.connections()).toBe(2);
    const arrived = parts.map((part) => blake3Hex(part)).sort();
    const expected = Array.from({ length: 12 }, (_, at) => content.subarray(at * 100_000, at * 100_000 + 300_000 + at * 317_000));
    expect(arrived).toEqual(expected.map((part) => blake3Hex(part)).sort());
  });

  test('crosses a slow reader', async () => {
    const parts: Buffer[] = [];
    const { send, whole } = await setUp(
      content,
      async (request, response) => {
        const some: Buffer[] = [];
        for await (const part of request) {
          some.push(part as Buffer);
          await new Promise((resume) => setImmediate(resume));
        }
        parts.push(Buffer.concat(some));
        response.setHeader('etag', '"e"').end();
      },
      { stallMs: 500 },
    );
    await send(whole);
    expect(parts[0]!.equals(content)).toBe(true);
  });
});

describe('an answer that is none', () => {
  const refusing =
    (status: number, text = '', headers: Record<string, string> = {}): Handler =>
    async (request, response) => {
      await bodyOf(request);
      response.writeHead(status, headers).end(text);
    };

  test.each([
    [403, '<Error><Code>AccessDenied</Code><Message>Request has expired</Message></Error>', 'address_refused'],
    [404, '<Error><Code>NoSuchUpload</Code></Error>', 'upload_gone'],
    [500, '', 'storage_failed'],
    [503, '', 'storage_busy'],
    [507, '', 'storage_full'],
    [400, '<Error><Code>InvalidRequest</Code></Error>', 'storage_refused'],
    [400, '', 'wrong_answer'],
    [302, '', 'wrong_answer'],
  ])('%i is sorted, for a small slice and a large one', async (status, text, code) => {
    const { send } = await setUp(2 * MiB, refusing(status, text, { 'retry-after': '4' }));
    await expect(send({ offset: 0, length: 100 })).rejects.toMatchObject({ code });
    await expect(send({ offset: 0, length: 2 * MiB })).rejects.toMatchObject({ code });
  });

  test('that comes before the body was read is heard', async () => {
    const { send, whole } = await setUp(64 * MiB, (_, response) => {
      response.writeHead(403, { 'content-length': '0' }).end();
    });
    // Whether the answer or the broken connection is met first is up to the network.
    await expect(send(whole)).rejects.toMatchObject({ code: expect.stringMatching(/^(address_refused|cut)$/) });
  });

  test('that takes a chunk before all of it is sent is not believed', async () => {
    const { send, whole } = await setUp(64 * MiB, (_, response) => {
      response.writeHead(200, { etag: '"e"', 'content-length': '0' }).end();
    });
    await expect(send(whole)).rejects.toMatchObject({ code: expect.stringMatching(/^(wrong_answer|cut)$/) });
  });

  test('without an etag is not believed', async () => {
    const { send, whole } = await setUp(10, refusing(200));
    await expect(send(whole)).rejects.toMatchObject({ code: 'wrong_answer' });
  });
});

describe('a connection', () => {
  test('that nobody accepts is unreachable', async () => {
    const { send, whole, server } = await setUp(10, () => {});
    await server.close();
    await expect(send(whole)).rejects.toMatchObject({ code: 'unreachable', message: expect.stringContaining('ECONNREFUSED') });
  });

  test.each([100, 8 * MiB])('that breaks while %i bytes are on their way is cut', async (length) => {
    const { send } = await setUp(8 * MiB, (request) => void request.once('data', () => request.socket.destroy()));
    await expect(send({ offset: 0, length })).rejects.toMatchObject({ code: 'cut' });
  });

  test('that takes no byte for the stall time-out has stalled', async () => {
    const { send, whole } = await setUp(64 * MiB, (request) => void request.pause(), { stallMs: 200 });
    await expect(send(whole)).rejects.toMatchObject({ code: 'stalled' });
  });

  test('that takes all and never answers has stalled', async () => {
    const { send } = await setUp(10, (request) => void request.resume(), { answerMs: 200 });
    await expect(send({ offset: 0, length: 10 })).rejects.toMatchObject({ code: 'stalled' });
  });

  test('is given up at an abort, and the next slice goes through', async () => {
    const parts: Buffer[] = [];
    let first = true;
    const set = await setUp(8 * MiB, async (request, response) => {
      if (!first) return storing(parts)(request, response);
      first = false;
      request.once('data', () => set.stop.abort(new Error('paused')));
    });
    await expect(set.send(set.whole)).rejects.toThrow('paused');
    await expect(set.send(set.whole)).rejects.toThrow('paused');
  });
});

describe('a file', () => {
  const change: Record<string, (path: string) => void> = {
    'has grown': (path) => appendFileSync(path, 'x'),
    'is shorter': (path) => truncateSync(path, 10),
    'has another time': (path) => utimesSync(path, 1, 1),
  };

  test.each(Object.keys(change))('that %s since the scan is not sent', async (what) => {
    const parts: Buffer[] = [];
    const { send, path } = await setUp(3 * MiB, storing(parts));
    change[what]!(path);
    await expect(send({ offset: 0, length: 10 })).rejects.toMatchObject({ code: 'file_changed' });
    await expect(send({ offset: 0, length: 3 * MiB })).rejects.toMatchObject({ code: 'file_changed' });
    expect(parts).toEqual([]);
  });

  test('that changes while it is sent is never confirmed', async () => {
    const parts: Buffer[] = [];
    const set = await setUp(64 * MiB, async (request, response) => {
      request.once('data', () => appendFileSync(set.path, 'x'));
      return storing(parts)(request, response);
    });
    await expect(set.send(set.whole)).rejects.toMatchObject({ code: 'file_changed' });
    expect(parts).toEqual([]);
  });

  test('that is gone says so', async () => {
    const { send } = await setUp(10, () => {});
    const gone = createDiskSource('/nowhere/at/all', { size: 10, mtimeMs: 0, inode: '1:1' });
    await expect(send({ offset: 0, length: 10 }, { source: gone })).rejects.toMatchObject({ code: 'source_gone' });
    const large = createDiskSource('/nowhere/at/all', { size: MiB, mtimeMs: 0, inode: '1:1' });
    await expect(send({ offset: 0, length: MiB }, { source: large })).rejects.toMatchObject({ code: 'source_gone' });
  });
});

test('a limiter is asked for every byte, before it goes out', async () => {
  const asked: number[] = [];
  const parts: Buffer[] = [];
  const limiter = { piece: () => 100_000, rate: () => 0, take: async (bytes: number) => void asked.push(bytes) };
  const { send } = await setUp(3 * MiB + 5, storing(parts), { uploadLimiter: limiter });
  await send({ offset: 0, length: 3 * MiB + 5 });
  await send({ offset: 0, length: 100 });
  expect(asked.reduce((sum, bytes) => sum + bytes, 0)).toBe(3 * MiB + 5 + 100);
  expect(Math.max(...asked)).toBeLessThanOrEqual(100_000);
});
