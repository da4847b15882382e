import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import Fastify from 'fastify';
import { afterEach, expect, it } from 'vitest';
import { limitAnswerMemory } from '#service/http/answer-memory.ts';
import { toFailure } from '#service/http/failures.ts';

const endings: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

const mebi = 1024 * 1024;
/** More than the system keeps of it on the way to somebody who does not read. */
const large = 'x'.repeat(20 * mebi);

/** An app with 60 MiB for answers: 30 MiB for each address. */
async function setUp() {
  const clock = { now: 0 };
  const app = Fastify();
  limitAnswerMemory(app, { bytes: 60 * mebi, now: () => clock.now });
  const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
  app.setErrorHandler((error, _, reply) => {
    const failure = toFailure(error, log);
    return reply.code(failure.status).send(failure.body);
  });
  app.get('/large', (_, reply) => reply.type('text/html; charset=utf-8').send(large));
  app.get('/small', (_, reply) => reply.send('small'));
  await app.listen({ host: '127.0.0.1', port: 0 });
  endings.push(() => app.close());
  const { port } = app.server.address() as { port: number };
  /** Asks for the large one and reads nothing of it but that it begins. */
  const hold = async (): Promise<Socket> => {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {});
    endings.push(() => socket.destroy());
    socket.write('GET /large HTTP/1.1\r\nhost: x\r\n\r\n');
    await once(socket, 'readable');
    return socket;
  };
  const get = async (path: string) => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`);
    return { status: answer.status, type: answer.headers.get('content-type'), text: await answer.text() };
  };
  return { clock, hold, get };
}

it('answers 429 while others of the address read nothing of theirs, and cuts them once they are slow', async () => {
  const { clock, hold, get } = await setUp();
  const held = await hold();
  const { status, type, text } = await get('/large');
  expect([status, type, JSON.parse(text)]).toMatchObject([429, 'application/json; charset=utf-8', { code: 393217 }]);
  expect(await get('/small')).toMatchObject({ status: 200, text: 'small' });
  clock.now += 60_000;
  const cut = once(held.resume(), 'close');
  expect((await get('/large')).text).toHaveLength(large.length);
  await cut;
});

it('has the memory again of what was read, and of whoever has gone', async () => {
  const { hold, get } = await setUp();
  for (let times = 0; times < 3; times++) expect(await get('/large')).toMatchObject({ status: 200 });
  (await hold()).destroy();
  await expect.poll(async () => (await get('/large')).status).toBe(200);
});
