import { randomBytes } from 'node:crypto';
import { appendFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { blake3Hex } from '#engine/io/digests.ts';
import { createDiskSource } from '#engine/io/disk-source.ts';
import { stampOf } from '#engine/io/file-stamp.ts';
import { createThrottle } from '#engine/io/rate-limit.ts';
import { createTimeSplit } from '#engine/io/time-split.ts';
import { createTransport, type TransportOptions } from '#engine/io/transport.ts';
import { createFakeClock } from '#test/support/clock/fake-clock.ts';
import { inVirtualTime } from '#test/support/clock/virtual-time.ts';
import { bodyOf, startHttpServer } from '#test/support/system/http-server.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

const KiB = 1024;
const endings: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

type Handler = (request: IncomingMessage, response: ServerResponse, body: Buffer) => void;

/** Files on disk, a storage that takes many parts, and the sender of batches between them. */
async function setUp(sizes: readonly number[], options: TransportOptions = {}, handle: Handler = taking) {
  const folder = await tempFolder();
  endings.push(folder.remove);
  const contents = sizes.map((size) => randomBytes(size));
  const requests: { readonly url: string; readonly body: Buffer }[] = [];
  const server = await startHttpServer(async (request, response) => {
    const body = await bodyOf(request);
    requests.push({ url: request.url!, body });
    handle(request, response, body);
  });
  endings.push(server.close);
  const transport = createTransport(options);
  endings.push(transport.close);
  const heard = sizes.map(() => 0);
  const parts = contents.map((content, index) => {
    const path = join(folder.path, String(index));
    writeFileSync(path, content);
    return {
      path,
      blueprint: { url: `${server.url}/${index}?signed=x%2Fy`, method: 'PUT' as const, headers: {}, body: '' },
      source: createDiskSource(path, stampOf(statSync(path))),
      slice: { offset: 0, length: content.length },
      onBytes(count: number) {
        heard[index]! += count;
      },
    };
  });
  const stop = new AbortController();
  return { contents, parts, requests, heard, stop, put: () => transport.batchPut(`${server.url}/-/parts`, parts, stop.signal) };
}

/** The bytes of each part of a body. */
function partsIn(body: Buffer): { readonly target: string; readonly bytes: Buffer }[] {
  const end = body.indexOf('\n');
  let at = end + 1;
  return (JSON.parse(body.toString('utf8', 0, end)) as { target: string; length: number }[]).map(({ target, length }) => {
    at += length;
    return { target, bytes: body.subarray(at - length, at) };
  });
}

const taking: Handler = (_, response, body) => {
  response.end(JSON.stringify({ parts: partsIn(body).map(({ bytes }) => ({ etag: `b3-${blake3Hex(bytes)}` })) }));
};

describe('many parts', () => {
  test.each([
    ['small ones', Array.from({ length: 150 }, (_, index) => 1 + index * 97)],
    ['empty ones', [0, 0, 5, 0]],
    // Together more than a buffer has; none of them lies in two.
    ['as large as they may be', Array.from({ length: 9 }, () => 256 * KiB - 1)],
  ])('arrive in one request as they lie on the disk, each digested and counted: %s', async (_, sizes) => {
    const { contents, requests, heard, put } = await setUp(sizes);
    const { blake3, text } = await put();
    expect(blake3).toEqual(contents.map((content) => blake3Hex(content)));
    expect(JSON.parse(text).parts.map(({ etag }: { etag: string }) => etag)).toEqual(blake3.map((digest) => `b3-${digest}`));
    expect(requests.map(({ url }) => url)).toEqual([`/-/parts?for=${encodeURIComponent('/0?signed=x%2Fy')}`]);
    const arrived = partsIn(requests[0]!.body);
    expect(arrived.map(({ target }) => target)).toEqual(sizes.map((_, index) => `/${index}?signed=x%2Fy`));
    expect(arrived.every(({ bytes }, index) => bytes.equals(contents[index]!))).toBe(true);
    expect(heard).toEqual(sizes);
  });

  test('go without those that have changed, and without those that are gone', async () => {
    const { contents, parts, requests, put } = await setUp([10, 20, 30, 40]);
    appendFileSync(parts[0]!.path, 'x');
    rmSync(parts[2]!.path);
    const { blake3 } = await put();
    expect(blake3).toEqual([null, blake3Hex(contents[1]!), null, blake3Hex(contents[3]!)]);
    expect(partsIn(requests[0]!.body).map(({ bytes }) => bytes.length)).toEqual([20, 40]);
    for (const { path } of parts) rmSync(path, { force: true });
    expect(await put()).toEqual({ blake3: [null, null, null, null], text: '' });
    expect(requests).toHaveLength(1);
  });

  test.each([
    [403, 'address_refused'],
    [413, 'storage_refused'],
    [503, 'storage_busy'],
    [502, 'storage_failed'],
  ])('that are answered %i fail as %s', async (status, code) => {
    const { put } = await setUp([10, 20], {}, (_, response) => void response.writeHead(status).end());
    await expect(put()).rejects.toMatchObject({ code });
  });

  test('whose connection breaks fail as cut, and those that are stopped with the reason', async () => {
    const broken = await setUp([10, 20], {}, (request) => void request.socket.destroy());
    await expect(broken.put()).rejects.toMatchObject({ code: 'cut' });
    const stopped = await setUp([10, 20], {}, () => stopped.stop.abort(new Error('Enough.')));
    await expect(stopped.put()).rejects.toThrow('Enough.');
  });

  test('keep to a limit, and go one by one where it is a slow one', async () => {
    const rate = 500_000;
    const limiterAt = (bytesPerSecond: number) => {
      const clock = createFakeClock();
      return { clock, throttle: createThrottle({ clock, limitAt: () => ({ bytesPerSecond, until: Number.POSITIVE_INFINITY }) }) };
    };
    const { clock, throttle } = limiterAt(rate);
    const times = createTimeSplit(clock.now);
    times.begin();
    const sizes = Array.from({ length: 200 }, () => 10 * KiB);
    const limited = await setUp(sizes, { uploadLimiter: throttle, times });
    const moved = () => limited.heard.reduce((sum, count) => sum + count, 0);
    const { result, milliseconds } = await inVirtualTime(clock, limited.put(), { moves: moved });
    expect(result.blake3).toEqual(limited.contents.map((content) => blake3Hex(content)));
    expect(Math.abs(milliseconds / 1_000 / ((200 * 10 * KiB) / rate) - 1)).toBeLessThanOrEqual(0.05);
    const { elapsed, limit, slowest } = times.spent();
    expect(limit / elapsed).toBeGreaterThan(0.9);
    expect(slowest).toBe('limit');

    const slow = await setUp([10, 20], { uploadLimiter: limiterAt(100_000).throttle });
    expect(await slow.put()).toEqual({ blake3: [null, null], text: '' });
    expect(slow.requests).toEqual([]);
  });
});
