import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { linuxWindow, startWanLink, type WanLink, type WanLinkOptions } from '#bench/peers/wan-link.ts';
import { seededBytes } from '#test/support/system/file-tree.ts';

/** Sends back what comes. */
let echo: Server;
const lines: WanLink[] = [];
beforeEach(async () => {
  echo = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => undefined);
    socket.pipe(socket);
  }).listen(0, '127.0.0.1');
  await once(echo, 'listening');
});
afterEach(async () => {
  for (const line of lines.splice(0)) await line.stop();
  echo.close();
});

async function lineTo(options: Partial<WanLinkOptions>): Promise<WanLink> {
  const line = await startWanLink({ roundTripMs: 0, broken: 0, random: () => 0, window: linuxWindow, ...options });
  line.upstream = { host: '127.0.0.1', port: (echo.address() as AddressInfo).port };
  lines.push(line);
  return line;
}

const through = (line: WanLink, bytes: Buffer): Promise<Buffer> => {
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(line.url).port), allowHalfOpen: true });
  socket.end(bytes);
  return buffer(socket);
};

it('carries every byte both ways, and the end behind them', async () => {
  const line = await lineTo({ roundTripMs: 20 });
  const bytes = seededBytes(5 * 1024 * 1024 + 7, 1);
  expect((await through(line, bytes)).equals(bytes)).toBe(true);
  expect(line.count).toEqual({ opened: 1, broken: 0 });
});

it('takes a round trip for the greeting and one for the answer, never less', async () => {
  const line = await lineTo({ roundTripMs: 60 });
  const started = performance.now();
  await through(line, Buffer.from('x'));
  expect(performance.now() - started).toBeGreaterThanOrEqual(119);
});

it('has no more of a connection under way than its window, which begins with ten segments', async () => {
  const narrow = await lineTo({ roundTripMs: 20, window: 32 * 1024 });
  const bytes = seededBytes(14_600 + 10 * 32 * 1024, 3);
  const started = performance.now();
  expect((await through(narrow, bytes)).equals(bytes)).toBe(true);
  // Greeting, the first segments, ten windows, and the last way back.
  expect(performance.now() - started).toBeGreaterThanOrEqual(20 + 20 + 10 * 20);
});

it('breaks as many connections as it is told, and counts them', async () => {
  const draws = [0.9, 0, 0.1, 0.9]; // whether the first breaks; the second, and where; the third
  const line = await lineTo({ broken: 0.5, random: () => draws.shift()! });
  const bytes = seededBytes(100_000, 2);
  expect((await through(line, bytes)).equals(bytes)).toBe(true);
  await expect(through(line, bytes)).rejects.toMatchObject({ code: 'ECONNRESET' });
  expect((await through(line, bytes)).equals(bytes)).toBe(true);
  expect(line.count).toEqual({ opened: 3, broken: 1 });
});
