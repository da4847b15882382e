import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pLimit from 'p-limit';
import { afterEach, describe, expect, test } from 'vitest';
import { blake3Hex } from '#engine/io/digests.ts';
import { createDiskSink } from '#engine/io/disk-sink.ts';
import { createDiskSource, type DiskSource } from '#engine/io/disk-source.ts';
import { stampOf } from '#engine/io/file-stamp.ts';
import { createThrottle } from '#engine/io/rate-limit.ts';
import { createTransport } from '#engine/io/transport.ts';
import { createFakeClock } from '#test/support/clock/fake-clock.ts';
import { inVirtualTime } from '#test/support/clock/virtual-time.ts';
import { bodyOf, startHttpServer } from '#test/support/system/http-server.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

/**
 * Real sockets and real files under a limit whose clock is ours: it goes on only when the limit alone holds everything
 * up. So how long it took by that clock is what the limit made of it, however busy the machine is.
 */

const KiB = 1024;
const MiB = 1024 * KiB;
const endings: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

interface Moved {
  readonly at: number;
  readonly bytes: number;
}

/** Each stretch of ten seconds within the transfer has 5 % more or less than it should, at most. */
function expectExact(log: readonly Moved[], rate: number): void {
  const start = log[0]!.at;
  const end = log.at(-1)!.at;
  expect(end - start).toBeGreaterThanOrEqual(11_000);
  for (let from = start; from + 10_000 < end; from += 500) {
    const moved = log.filter(({ at }) => at >= from && at < from + 10_000).reduce((sum, { bytes }) => sum + bytes, 0);
    expect(Math.abs(moved / (rate * 10) - 1)).toBeLessThanOrEqual(0.05);
  }
}

async function setUp(files: readonly number[], rate: number) {
  const folder = await tempFolder();
  endings.push(folder.remove);
  const contents = files.map((size) => randomBytes(size));
  const clock = createFakeClock();
  const start = clock.now();
  const log: Moved[] = [];
  const onBytes = (bytes: number): void => void log.push({ at: clock.now() - start, bytes });
  const throttle = createThrottle({ clock, limitAt: () => ({ bytesPerSecond: rate, until: Number.POSITIVE_INFINITY }) });
  const transport = createTransport({ fast: true, uploadLimiter: throttle, downloadLimiter: throttle });
  endings.push(transport.close);
  const received = new Map<string, Buffer>();
  const server = await startHttpServer(async (request, response) => {
    const path = new URL(request.url ?? '', 'http://x').pathname;
    if (request.method === 'PUT') {
      const bytes = await bodyOf(request);
      received.set(path, bytes);
      response.setHeader('etag', `"b3-${blake3Hex(bytes)}"`).end();
      return;
    }
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
    const [first, last] = [Number(from), Number(to)];
    const content = contents[Number(path.slice(1))]!;
    const headers = { 'content-range': `bytes ${first}-${last}/${content.length}`, 'content-length': last - first + 1 };
    response.writeHead(206, headers).end(content.subarray(first, last + 1));
  });
  endings.push(server.close);
  return { folder: folder.path, contents, clock, log, onBytes, transport, received, server };
}

const cases: readonly [string, number[], number, number][] = [
  ['one large chunk', [12 * MiB], 1_000_000, 1],
  ['four large ones at once', [3 * MiB, 3 * MiB, 3 * MiB, 3 * MiB], 1_000_000, 4],
  ['many small files', Array.from({ length: 600 }, () => 10 * KiB), 500_000, 32],
  ['small files of every size', Array.from({ length: 120 }, (_, index) => 1 + ((index * 7_919) % (256 * KiB))), 1_000_000, 32],
  ['a slow limit', [600 * KiB, 100 * KiB, 500 * KiB], 100_000, 4],
];

describe('sending keeps to a limit within 5 % of any 10 s', () => {
  test.each(cases)('%s', async (_, sizes, rate, atOnce) => {
    const { folder, contents, clock, log, onBytes, transport, received, server } = await setUp(sizes, rate);
    const gate = pLimit(atOnce);
    const signal = new AbortController().signal;
    const sending = contents.map((content, index) => {
      const path = join(folder, String(index));
      writeFileSync(path, content);
      const source: DiskSource = createDiskSource(path, stampOf(statSync(path)));
      endings.push(source.close);
      const blueprint = { url: `${server.url}/${index}`, method: 'PUT' as const, headers: {}, body: '' };
      return gate(() => transport.send(blueprint, source, { offset: 0, length: content.length }, { md5: false, onBytes, signal }));
    });
    await inVirtualTime(clock, Promise.all(sending), { moves: () => log.length });
    expectExact(log, rate);
    for (const [index, content] of contents.entries()) expect(received.get(`/${index}`)?.equals(content)).toBe(true);
  });
});

describe('receiving keeps to a limit within 5 % of any 10 s', () => {
  test.each(cases)('%s', async (_, sizes, rate, atOnce) => {
    const { folder, contents, clock, log, onBytes, transport, server } = await setUp(sizes, rate);
    mkdirSync(join(folder, 'in'));
    const gate = pLimit(atOnce);
    const signal = new AbortController().signal;
    const receiving = contents.map((content, index) =>
      gate(async () => {
        const sink = createDiskSink(join(folder, 'in', String(index)), content.length);
        endings.push(sink.close);
        const slice = { offset: 0, length: content.length };
        await transport.receive(`${server.url}/${index}`, sink, slice, { onBytes, signal });
      }),
    );
    await inVirtualTime(clock, Promise.all(receiving), { moves: () => log.length });
    // Written is counted by some tenths of a second of each connection, or by whole small files.
    if (rate >= 500_000) expectExact(log, rate);
    const total = sizes.reduce((sum, size) => sum + size, 0);
    const seconds = log.at(-1)!.at / 1_000;
    expect(Math.abs(seconds / (total / rate) - 1)).toBeLessThanOrEqual(0.05);
    for (const [index, content] of contents.entries()) expect(readFileSync(join(folder, 'in', String(index))).equals(content)).toBe(true);
  });
});
