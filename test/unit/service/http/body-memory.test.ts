import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import Fastify from 'fastify';
import { afterEach, expect, it, vi } from 'vitest';
import { limitBodyMemory } from '#service/http/body-memory.ts';
import { toFailure } from '#service/http/failures.ts';

const endings: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

const kibi = 1024;

/** An app with 200 KiB for bodies: 100 KiB for each address. */
async function setUp() {
  const clock = { now: 0 };
  const app = Fastify();
  limitBodyMemory(app, { bytes: 200 * kibi, now: () => clock.now });
  const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
  app.setErrorHandler((error, _, reply) => {
    const failure = toFailure(error, log);
    return reply.code(failure.status).send(failure.body);
  });
  app.post('/', async (request) => JSON.stringify(request.body).length);
  await app.listen({ host: '127.0.0.1', port: 0 });
  endings.push(() => app.close());
  const { port } = app.server.address() as { port: number };
  /** Sends so many KiB of a body of 120 KiB or so, and keeps the connection open. */
  const hold = async (sent: number, size = 120): Promise<Socket> => {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {});
    endings.push(() => socket.destroy());
    socket.write(`POST / HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${size * kibi}\r\n\r\n`);
    const [accepted] = (await once(app.server, 'connection')) as [Socket];
    socket.write('x'.repeat(sent * kibi));
    await vi.waitFor(() => expect(accepted.bytesRead).toBeGreaterThan(sent * kibi), { timeout: 30_000, interval: 5 });
    return socket;
  };
  const post = async (size: number) => {
    const answer = await fetch(`http://127.0.0.1:${port}/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify('x'.repeat(size * kibi - 2)),
    });
    return { status: answer.status, body: await answer.json() };
  };
  return { clock, hold, post };
}

it('accepts bodies as they are received, and delays none for others that are incomplete', async () => {
  const { hold, post } = await setUp();
  for (let times = 0; times < 20; times++) await hold(1);
  expect(await post(70)).toEqual({ status: 200, body: 70 * kibi });
});

it('answers 429 when there is no memory for a body, and cuts senders that have become slow', async () => {
  const { clock, hold, post } = await setUp();
  const slow = await hold(90);
  expect(await post(30)).toMatchObject({ status: 429, body: { code: 393217 } });
  // Small ones need none of it.
  expect(await post(10)).toEqual({ status: 200, body: 10 * kibi });
  clock.now += 60_000;
  const cut = once(slow, 'close');
  expect(await post(30)).toEqual({ status: 200, body: 30 * kibi });
  await cut;
});

it('discards bytes that are received after the answer', async () => {
  const { hold, post } = await setUp();
  // More than the app takes: it says so at once.
  const refused = await hold(1, 2_000);
  const sent = Promise.withResolvers<void>();
  refused.write('x'.repeat(1_999 * kibi), () => sent.resolve());
  await Promise.race([sent.promise, once(refused, 'close')]);
  expect(await post(90)).toEqual({ status: 200, body: 90 * kibi });
});
