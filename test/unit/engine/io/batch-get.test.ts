import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { blake3Hex } from '#engine/io/digests.ts';
import { createDiskSink } from '#engine/io/disk-sink.ts';
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

type Handler = (response: ServerResponse, contents: readonly Buffer[], request: IncomingMessage) => void | Promise<void>;

/** Objects of these sizes at a storage that gives many, sinks for them, and a fetcher between them. */
async function setUp(sizes: readonly number[], options: TransportOptions = {}, handle: Handler = giving) {
  const folder = await tempFolder();
  endings.push(folder.remove);
  const contents = sizes.map((size) => randomBytes(size));
  const requests: { readonly url: string; readonly targets: readonly string[] }[] = [];
  const server = await startHttpServer(async (request, response) => {
    const targets = JSON.parse((await bodyOf(request)).toString()) as string[];
    requests.push({ url: request.url!, targets });
    await handle(
      response,
      targets.map((target) => contents[Number(/^\/(\d+)\?/.exec(target)![1])]!),
      request,
    );
  });
  endings.push(server.close);
  const transport = createTransport(options);
  endings.push(transport.close);
  const outcomes: (string | undefined)[] = sizes.map(() => undefined);
  const heard = sizes.map(() => 0);
  const objects = contents.map(({ length }, index) => {
    const sink = createDiskSink(join(folder.path, String(index)), length);
    endings.push(sink.close);
    return {
      from: { url: `${server.url}/${index}?signed=x%2Fy` },
      sink,
      slice: { offset: 0, length },
      onBytes: (count: number) => {
        heard[index]! += count;
      },
      onReceived: ({ blake3 }: { blake3: string }) => {
        outcomes[index] = blake3;
      },
      onFailure: (error: unknown) => {
        outcomes[index] = (error as { code: string }).code;
      },
    };
  });
  const stop = new AbortController();
  const written = (): (Buffer | null)[] => objects.map(({ sink }) => (existsSync(sink.temporary) ? readFileSync(sink.temporary) : null));
  return {
    contents,
    objects,
    requests,
    heard,
    stop,
    outcomes,
    written,
    fetch: () => transport.batchGet({ url: `${server.url}/-/objects` }, objects, stop.signal),
  };
}

const lineOf = (contents: readonly Buffer[]): string => `${JSON.stringify(contents.map(({ length }) => ({ length })))}\n`;
const sendHead = (response: ServerResponse, contents: readonly Buffer[]): void => {
  const line = lineOf(contents);
  response.writeHead(200, { 'content-length': contents.reduce((sum, { length }) => sum + length, line.length) });
  response.write(line);
};
const giving: Handler = (response, contents) => {
  sendHead(response, contents);
  for (const bytes of contents) response.write(bytes);
  response.end();
};

describe.each([
  ['as they come', true],
  ['by the ordinary client', false],
])('many objects %s', (_way, fast) => {
  test.each([
    ['small ones', Array.from({ length: 150 }, (_, index) => 1 + index * 97)],
    ['as large as they may be', Array.from({ length: 9 }, () => 256 * KiB)],
  ])('come by one request, each written, digested and counted: %s', async (_, sizes) => {
    const { contents, requests, heard, outcomes, written, fetch } = await setUp(sizes, { fast });
    await fetch();
    expect(outcomes).toEqual(contents.map((content) => blake3Hex(content)));
    expect(written().map((bytes, index) => bytes !== null && contents[index]!.equals(bytes))).toEqual(contents.map(() => true));
    expect(heard).toEqual(sizes);
    expect(requests).toEqual([
      { url: `/-/objects?for=${encodeURIComponent('/0?signed=x%2Fy')}`, targets: sizes.map((_size, index) => `/${index}?signed=x%2Fy`) },
    ]);
  });

  test('are each told of as they come, before the others do', async () => {
    let more = (): void => {};
    const { objects, outcomes, fetch } = await setUp([20, 20], { fast }, (response, contents) => {
      sendHead(response, contents);
      response.write(contents[0]);
      more = () => void response.end(contents[1]);
    });
    const first = Promise.withResolvers<void>();
    const { onReceived } = objects[0]!;
    objects[0]!.onReceived = (received) => {
      onReceived(received);
      first.resolve();
    };
    const fetching = fetch();
    await first.promise;
    expect(outcomes[1]).toBeUndefined();
    more();
    await fetching;
    expect(outcomes[1]).toBeDefined();
  });

  test('of which one cannot be written come all the same', async () => {
    const { objects, contents, outcomes, heard, fetch } = await setUp([10, 20, 30], { fast });
    mkdirSync(objects[1]!.sink.temporary);
    await fetch();
    expect(outcomes).toEqual([blake3Hex(contents[0]!), 'target_unwritable', blake3Hex(contents[2]!)]);
    expect(heard).toEqual([10, 0, 30]);
  });

  test.each([
    [403, 'address_refused'],
    [404, 'object_gone'],
    [405, 'storage_refused'],
    [503, 'storage_busy'],
    [502, 'storage_failed'],
  ])('that are answered %i fail as %s, with the sentence of whoever answered', async (status, code) => {
    const { fetch, outcomes } = await setUp([10, 20], { fast }, (response) => {
      response.statusCode = status;
      response.end('<Message>Not now.</Message>');
    });
    await expect(fetch()).rejects.toMatchObject({ code, message: expect.stringContaining('Not now.') });
    expect(outcomes).toEqual([undefined, undefined]);
  });

  test('whose answer is none, or is too long a refusal, fail, and nothing of it is written', async () => {
    const page = await setUp([10, 20], { fast }, (response) => void response.end('<html>Welcome</html>\n'));
    await expect(page.fetch()).rejects.toMatchObject({ code: 'wrong_answer' });
    expect(page.written()).toEqual([null, null]);
    const long = await setUp([10, 20], { fast }, (response) => void response.writeHead(400).end('x'.repeat(100 * KiB)));
    await expect(long.fetch()).rejects.toMatchObject({ code: 'wrong_answer' });
  });

  test('whose connection breaks leave those that onReceived, and fail as cut', async () => {
    const { contents, fetch, outcomes } = await setUp([10, 20, 30], { fast }, (response, [first, second, third]) => {
      response.writeHead(200, { 'content-length': 1_000 });
      response.write(lineOf([first!, second!, third!]) + first!.toString('latin1'), 'latin1');
      response.write(second!.subarray(0, 5), () => void response.destroy());
    });
    await expect(fetch()).rejects.toMatchObject({ code: 'cut' });
    expect(outcomes).toEqual([blake3Hex(contents[0]!), undefined, undefined]);
  });

  test('that are stopped fail with the reason', async () => {
    const stopped = await setUp([10, 20], { fast }, () => stopped.stop.abort(new Error('Enough.')));
    await expect(stopped.fetch()).rejects.toThrow('Enough.');
    await expect(stopped.fetch()).rejects.toThrow('Enough.');
    expect(stopped.requests).toHaveLength(1);
  });

  test('keep to a limit, and come one by one where it is a slow one', async () => {
    const rate = 500_000;
    const limiterAt = (bytesPerSecond: number) => {
      const clock = createFakeClock();
      return { clock, throttle: createThrottle({ clock, limitAt: () => ({ bytesPerSecond, until: Number.POSITIVE_INFINITY }) }) };
    };
    const { clock, throttle } = limiterAt(rate);
    const times = createTimeSplit(clock.now);
    times.begin();
    const sizes = Array.from({ length: 200 }, () => 10 * KiB);
    const limited = await setUp(sizes, { downloadLimiter: throttle, times, fast });
    const moved = () => limited.heard.reduce((sum, count) => sum + count, 0);
    const { milliseconds } = await inVirtualTime(clock, limited.fetch(), { moves: moved });
    expect(limited.outcomes).toEqual(limited.contents.map((content) => blake3Hex(content)));
    // What is asked for last is paid for by whoever comes next.
    const bytes = 200 * 10 * KiB;
    expect(milliseconds / 1_000).toBeGreaterThan((bytes - 256 * KiB) / rate / 1.05);
    expect(milliseconds / 1_000).toBeLessThan((bytes / rate) * 1.05);
    expect(limited.requests).toHaveLength(8);
    const { elapsed, limit, slowest } = times.spent();
    expect(limit / elapsed).toBeGreaterThan(0.9);
    expect(slowest).toBe('limit');

    const slow = await setUp([10, 20], { downloadLimiter: limiterAt(100_000).throttle, fast });
    await slow.fetch();
    expect(slow.outcomes).toEqual([undefined, undefined]);
    expect(slow.requests).toEqual([]);
  });
});

test('many objects whose answers have no length are asked for twice a few times only', async () => {
  const { contents, requests, outcomes, fetch } = await setUp([10, 20], { fast: true }, (response, given) => {
    response.write(lineOf(given));
    for (const bytes of given) response.write(bytes);
    response.end();
  });
  for (let times = 0; times < 5; times++) await fetch();
  expect(outcomes).toEqual(contents.map((content) => blake3Hex(content)));
  expect(requests).toHaveLength(3 * 2 + 2);
});
