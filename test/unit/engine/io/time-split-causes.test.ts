import { randomBytes } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { TransferError } from '#client/errors.ts';
import { createBufferPool, stride } from '#engine/io/buffers.ts';
import { blake3Hex } from '#engine/io/digests.ts';
import { createDiskSink } from '#engine/io/disk-sink.ts';
import { createDiskSource } from '#engine/io/disk-source.ts';
import { stampOf } from '#engine/io/file-stamp.ts';
import { createThrottle } from '#engine/io/rate-limit.ts';
import { createTimeSplit } from '#engine/io/time-split.ts';
import { createTransport } from '#engine/io/transport.ts';
import { writeSlice } from '#engine/io/write-slice.ts';
import { createActivity } from '#engine/transfer/activity.ts';
import { retryWithActivity } from '#engine/transfer/retry-with-activity.ts';
import { createWaker } from '#engine/transfer/waker.ts';
import { createFakeClock } from '#test/support/clock/fake-clock.ts';
import { inVirtualTime } from '#test/support/clock/virtual-time.ts';
import { startHttpServer } from '#test/support/system/http-server.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

const KiB = 1024;
const MiB = 1024 * KiB;
const signal = new AbortController().signal;
const endings: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

/** How many bytes have come somewhere, for those that wait for some of them. */
function createMark() {
  let bytes = 0;
  const waiters: { readonly until: number; readonly go: () => void }[] = [];
  return {
    moveTo(now: number): void {
      bytes = Math.max(bytes, now);
      for (const { until, go } of waiters) if (bytes >= until) go();
    },
    reached: (until: number): Promise<void> => new Promise((go) => (bytes >= until ? go() : waiters.push({ until, go }))),
  };
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

type Handler = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

async function setUp(handle: Handler, limit?: number) {
  const folder = await tempFolder();
  endings.push(folder.remove);
  const server = await startHttpServer(handle);
  endings.push(server.close);
  const clock = createFakeClock();
  const times = createTimeSplit(() => clock.now());
  times.begin();
  const throttle = createThrottle({ clock, limitAt: () => ({ bytesPerSecond: limit ?? 0, until: Number.POSITIVE_INFINITY }) });
  const transport = createTransport({ times, fast: true, ...(limit ? { uploadLimiter: throttle, downloadLimiter: throttle } : {}) });
  endings.push(transport.close);
  let moves = 0;
  let bytesMoved = 0;
  const sent = createMark();
  const onBytes = (count: number): void => {
    moves++;
    bytesMoved += count;
    sent.moveTo(bytesMoved);
  };
  let written: Promise<unknown> = Promise.resolve();

  return {
    clock,
    /** Resolves when the disk has all that has come for it. */
    written: () => written,
    times,
    transport,
    url: server.url,
    async send(size: number, slowly?: () => void) {
      const path = join(folder.path, 'source');
      const bytes = randomBytes(size);
      writeFileSync(path, bytes);
      const real = createDiskSource(path, stampOf(statSync(path)), { fast: true });
      endings.push(real.close);
      // From memory, as a crowded machine's own disk would be a cause too.
      const fast = { ...real, readNow: (buffer: Buffer, length: number, at: number) => bytes.copy(buffer, 0, at, at + length) === length };
      const slow = {
        ...real,
        readNow: () => false,
        async read(buffer: Buffer, length: number, position: number) {
          await real.read(buffer, length, position);
          // Until all before it is sent, and the network waits for this.
          await sent.reached(position);
          await nextTurn();
          slowly?.();
        },
      };
      const blueprint = { url: `${server.url}/part`, method: 'PUT' as const, headers: {}, body: '' };
      const source = slowly ? slow : fast;
      const work = transport.send(blueprint, source, { offset: 0, length: size }, { md5: false, onBytes, signal });
      await inVirtualTime(clock, work, { moves: () => moves });
      return times.spent();
    },
    async receive(size: number, slowly?: () => void) {
      const real = createDiskSink(join(folder.path, 'target'), size);
      endings.push(real.close);
      const received = createMark();
      const sink = {
        ...real,
        async write(buffers: readonly Buffer[], position: number) {
          received.moveTo(buffers.reduce((sum, { length }) => sum + length, position));
          if (slowly) {
            // Until the network has brought all that may wait for the disk, and waits itself.
            await received.reached(Math.min(size, position + 2 * stride));
            await nextTurn();
            slowly();
          }
          const writing = Promise.resolve(real.write(buffers, position));
          written = Promise.all([written, writing]);
          await writing;
        },
      };
      const work = transport.receive(`${server.url}/object`, sink, { offset: 0, length: size }, { onBytes, signal });
      await inVirtualTime(clock, work, { moves: () => moves });
      expect(readFileSync(real.temporary).length).toBe(size);
      return times.spent();
    },
  };
}

const storing =
  (before: () => void = () => {}, between: () => void = () => {}): Handler =>
  async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) {
      parts.push(part as Buffer);
      between();
    }
    before();
    response.setHeader('etag', `"b3-${blake3Hex(Buffer.concat(parts))}"`).end();
  };

const serving =
  (size: number, before: () => void = () => {}, between: () => Promise<void> = async () => {}): Handler =>
  async (_, response) => {
    before();
    response.writeHead(206, { 'content-range': `bytes 0-${size - 1}/${size}`, 'content-length': size });
    const piece = 64 * KiB;
    for (let at = 0; at < size; at += piece) {
      await between();
      response.write(Buffer.alloc(Math.min(piece, size - at)));
    }
    response.end();
  };

describe('each cause is the greatest where it is one', () => {
  const large = 8 * MiB;

  test('sending: a slow disk', async () => {
    const world = await setUp(storing());
    const spent = await world.send(large, () => world.clock.advance(1_000));
    expect(spent.slowest).toBe('reading');
    expect(spent.reading).toBeGreaterThan(spent.elapsed * 0.6);
  });

  test('sending: a slow network', async () => {
    const moved: { advance: () => void } = { advance: () => {} };
    const world = await setUp(storing(undefined, () => moved.advance()));
    moved.advance = () => world.clock.advance(10);
    const spent = await world.send(64 * MiB);
    expect(spent.slowest).toBe('network');
    expect(spent.network).toBeGreaterThan(spent.elapsed * 0.6);
  });

  test.each([
    ['small', 10 * KiB],
    ['large', large],
  ])('sending: a slow answer to a %s chunk', async (_, size) => {
    let slow = () => {};
    const world = await setUp(storing(() => slow()));
    slow = () => world.clock.advance(60_000);
    const spent = await world.send(size);
    expect(spent.slowest).toBe('server');
    expect(spent.server).toBeGreaterThan(spent.elapsed * 0.9);
  });

  test.each([
    ['small', 200 * KiB, 100_000],
    ['large', large, 1_000_000],
  ])('sending: a limit on a %s chunk', async (_, size, limit) => {
    const world = await setUp(storing(), limit);
    const spent = await world.send(size);
    expect(spent.slowest).toBe('limit');
    expect(spent.limit).toBeGreaterThan(spent.elapsed * 0.9);
    expect(spent.elapsed).toBeGreaterThan((size / limit) * 900);
  });

  test('sending: slow digests', async () => {
    const folder = await tempFolder();
    endings.push(folder.remove);
    const path = join(folder.path, 'source');
    writeFileSync(path, randomBytes(large));
    const source = createDiskSource(path, stampOf(statSync(path)), { fast: true });
    endings.push(source.close);
    const clock = createFakeClock();
    const times = createTimeSplit(() => clock.now());
    times.begin();
    times.enter('network');
    const digest = { update: () => clock.advance(100), end: () => ({ blake3: '' }) };
    const options = { source, slice: { offset: 0, length: large }, md5: false, digest, buffers: createBufferPool(), times, signal };
    await writeSlice({ ...options, onBytes() {} }, async () => clock.advance(10));
    times.leave('network');
    const spent = times.spent();
    expect(spent.slowest).toBe('hashing');
    expect(spent.hashing).toBeGreaterThan(spent.elapsed * 0.8);
  });

  test('receiving: a slow answer', async () => {
    let slow = () => {};
    const world = await setUp(serving(large, () => slow()));
    slow = () => world.clock.advance(60_000);
    const spent = await world.receive(large);
    expect(spent.slowest).toBe('server');
  });

  test('receiving: a slow network', async () => {
    let slow = async () => {};
    const world = await setUp(
      serving(large, undefined, async () => {
        await new Promise((resolve) => setTimeout(resolve, 1));
        await slow();
      }),
    );
    slow = async () => {
      await world.written();
      world.clock.advance(100);
    };
    const spent = await world.receive(large);
    expect(spent.slowest).toBe('network');
    expect(spent.network).toBeGreaterThan(spent.elapsed * 0.6);
  });

  test('receiving: a slow disk', async () => {
    const world = await setUp(serving(large));
    const spent = await world.receive(large, () => world.clock.advance(1_000));
    expect(spent.slowest).toBe('writing');
    expect(spent.writing).toBeGreaterThan(spent.elapsed * 0.6);
  });

  test('receiving: a limit', async () => {
    const world = await setUp(serving(large), 1_000_000);
    const spent = await world.receive(large);
    expect(spent.slowest).toBe('limit');
    expect(spent.limit).toBeGreaterThan(spent.elapsed * 0.9);
  });

  test('a service that is slow to answer a call', async () => {
    let slow = () => {};
    const world = await setUp((_, response) => {
      slow();
      response.end('{}');
    });
    slow = () => world.clock.advance(5_000);
    await world.transport.fetcher({ method: 'GET', url: `${world.url}/`, headers: {} });
    expect(world.times.spent()).toMatchObject({ server: 5_000, elapsed: 5_000, slowest: 'server' });
  });

  test('until something is tried again', async () => {
    const clock = createFakeClock();
    const times = createTimeSplit(() => clock.now());
    times.begin();
    const activity = createActivity({ bytes: 0, files: 0, now: () => clock.now(), changed() {}, times });
    const waker = createWaker(clock);
    let attempts = 0;
    const work = retryWithActivity({ activity, sleep: waker.sleep, clock, random: () => 0, signal }, async () => {
      if (++attempts < 3) throw new TransferError('unreachable', 'The storage cannot be reached.');
    });
    await inVirtualTime(clock, work, { moves: () => attempts });
    expect(times.spent()).toMatchObject({ waiting: 3_000, elapsed: 3_000, slowest: 'waiting' });
  });
});
