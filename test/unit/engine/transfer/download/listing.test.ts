import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, describe, expect, test } from 'vitest';
import { createHostedClient } from '#client/hosted.ts';
import type { Fetcher } from '#client/ports.ts';
import { createByteBlocks } from '#engine/io/byte-blocks.ts';
import { createTransport } from '#engine/io/transport.ts';
import { createJsonItems } from '#engine/transfer/download/json-items.ts';
import { createListingReader, fetchListing } from '#engine/transfer/download/listing.ts';
import { createYielder } from '#engine/transfer/download/yielder.ts';
import type { File } from '#protocol/hosted/files.ts';
import { startHttpServer } from '#test/support/system/http-server.ts';

const endings: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

const record = (name: string, more: Partial<File> = {}): File => ({
  id: name,
  kind: 'file',
  path: 'f',
  name,
  size: 1,
  last_modified: '2026-01-01T00:00:00.000Z',
  virus_detected: false,
  ...more,
});

/** The text in blocks of so many bytes. */
function inBlocks(text: string, bytes: number): Buffer[] {
  const whole = Buffer.from(text);
  return Array.from({ length: Math.ceil(whole.length / bytes) }, (_, index) => whole.subarray(index * bytes, (index + 1) * bytes));
}

function jsonItems(blocks: readonly Buffer[]): unknown[] {
  const items = createJsonItems();
  const found = blocks.flatMap((block) => [...items.take(block)]);
  if (!items.isWhole()) throw new Error('cut off');
  return found;
}

async function checkedListing(blocks: readonly Buffer[]): Promise<File[]> {
  const reader = createListingReader();
  for (const block of blocks) await reader.take(block);
  expect(reader.isWhole()).toBe(true);
  return reader.files;
}

describe('the items of a JSON list', () => {
  const items = [{ a: 'say "}]" \\', b: [{ c: '\u20ac' }] }, { d: null }, {}];

  test.each([1, 2, 3, 7, 1_000])('are the same in blocks of %i bytes', (bytes) => {
    for (const indent of [0, 2]) expect(jsonItems(inBlocks(JSON.stringify(items, null, indent), bytes))).toEqual(items);
    expect(jsonItems(inBlocks(' [ ] ', bytes))).toEqual([]);
  });

  test.each([
    ['{}', 'no list'],
    ['<html>', 'no list'],
    ['[1]', 'no list'],
    ['[{}] x', 'no list'],
    ['[{}', 'cut off'],
    ['[{},', 'cut off'],
    ['', 'cut off'],
    ['[{a}]', 'no JSON'],
    [`[{"a":"${'x'.repeat(1_100_000)}`, 'longer than'],
  ])('%.10s… is refused', (text, why) => {
    expect(() => jsonItems(inBlocks(text, 65_536))).toThrow(why);
  });
});

test('a listing with two records of one path and name is refused, and says which', async () => {
  const listing = [record('a'), record('A'), record('a', { path: 'g' }), record('b\u202egnp'), record('b\u202egnp')];
  await expect(checkedListing(inBlocks(JSON.stringify(listing), 100))).rejects.toMatchObject({
    error: 'package_unusable',
    message: expect.stringContaining('it names "f/b\uFFFDgnp" twice.'),
  });
  expect(await checkedListing(inBlocks(JSON.stringify(listing.slice(0, 4)), 100))).toHaveLength(4);
});

test('others get their turn after 5 ms of work, and no oftener', async () => {
  let now = 0;
  const stop = new AbortController();
  const turn = createYielder(stop.signal, () => now);
  let others = 0;
  const other = setInterval(() => others++, 0);
  for (let step = 0; step < 100; step++) {
    now += 0.5;
    const before = others;
    const pause = turn();
    expect(pause === undefined).toBe(now % 5 !== 0);
    await pause;
    while (pause && others === before) await new Promise((resolve) => setImmediate(resolve));
  }
  clearInterval(other);
  now += 5;
  stop.abort(new Error('stopped'));
  await expect(turn()).rejects.toThrow('stopped');
});

test('what small pieces take in memory is what they hold', () => {
  const blocks = createByteBlocks();
  const slab = Buffer.alloc(65_536, 'x');
  for (let index = 0; index < 100_000; index++) blocks.append(slab.subarray(0, 1));
  expect(blocks.length).toBe(100_000);
  const kept = [...blocks.taken()];
  expect(Buffer.concat(kept).equals(Buffer.alloc(100_000, 'x'))).toBe(true);
  expect(kept.reduce((sum, { buffer }) => sum + buffer.byteLength, 0)).toBeLessThan(300_000);
});

// What waits to be collected is no memory that the listing needs, and on a busy machine it waits long.
setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

async function listed(answer: Parameters<typeof startHttpServer>[0]) {
  const server = await startHttpServer(answer);
  const transport = createTransport();
  endings.push(server.close, transport.close);
  const client = (fetcher: Fetcher) => createHostedClient({ baseUrl: server.url, fetcher });
  return { server, listing: () => fetchListing(transport, client, 'p') };
}

describe('a listing that is cut off', () => {
  const text = JSON.stringify([record('a'), record('b')]);

  test('anywhere is asked for again, and none of it is used', async () => {
    let at = 1;
    const { listing } = await listed((_, response) => void response.end(text.slice(0, at)));
    for (; at < text.length; at += 7) {
      await expect(listing()).rejects.toMatchObject({ error: 'service_unreachable', message: expect.stringContaining('cut off') });
    }
  });

  test('by the end of its connection is asked for again, too', async () => {
    const { listing } = await listed((_, response) => {
      response.writeHead(200);
      response.write(text.slice(0, -1), () => response.destroy());
    });
    await expect(listing()).rejects.toMatchObject({ error: 'service_unreachable' });
  });
});

describe('a listing that is too long', () => {
  test('is not read where it says so beforehand', async () => {
    const { server, listing } = await listed((_, response) => {
      response.writeHead(200, { 'content-length': 300 * 1024 * 1024 });
      response.write('[');
    });
    await expect(listing()).rejects.toMatchObject({ error: 'package_unusable', message: expect.stringContaining('256 MiB') });
    expect(server.requests).toHaveLength(1);
  });

  test('takes less than 100 MB and ends in words, where it goes on and on', async () => {
    let records = 0;
    // Each name once: a second one would end it.
    const nextPiece = (): Buffer =>
      Buffer.from(Array.from({ length: 200 }, () => `${JSON.stringify(record(String(records++).padStart(128, 'x')))},`).join(''));
    const memoryUsed = (): number => {
      collectGarbage();
      const { arrayBuffers, heapUsed } = process.memoryUsage();
      return arrayBuffers + heapUsed;
    };
    let before = 0;
    let most = 0;
    let sent = 0;
    let samples = 0;
    const { server, listing } = await listed((_, response) => {
      response.writeHead(200);
      response.write('[');
      const more = (): void => {
        while (!response.destroyed) {
          const piece = nextPiece();
          sent += piece.length;
          if (!response.write(piece)) break;
        }
        // Memory is looked at by what was sent, as often on a slow machine as on a quick one. It grows to the end, and each look
        // collects the garbage of all that this process has loaded.
        if (sent >= (samples + 1) * 15 * 1024 * 1024) {
          samples += 1;
          most = Math.max(most, memoryUsed() - before);
        }
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    });
    before = memoryUsed();
    await expect(listing()).rejects.toMatchObject({ error: 'package_unusable', message: expect.stringContaining('64 MiB') });
    expect(samples).toBeGreaterThan(3);
    // The server is in this process, too.
    expect(most).toBeLessThan(100e6);
    expect(server.requests).toHaveLength(1);
  });

  test('an answer that is none is told as with every call', async () => {
    const { listing } = await listed((_, response) => void response.end('<html>a portal of a hotel</html>'));
    await expect(listing()).rejects.toMatchObject({ error: 'service_refused', message: expect.stringContaining('not JSON') });
    const { listing: other } = await listed((_, response) => void response.end('{"files":[]}'));
    await expect(other()).rejects.toMatchObject({ error: 'package_unusable', message: expect.stringContaining('no list of files') });
  });
});
