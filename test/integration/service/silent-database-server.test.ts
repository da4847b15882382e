import { connect, createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { newClient, newPool } from '#service/database/clients.ts';
import { connectionOf } from '#service/database/connection-of.ts';
import { emptyTestDatabase, type TestPostgres } from '#test/support/service/postgres.ts';
import { eventually } from '#test/support/system/processes.ts';

/** A database address of which one server takes connections and says nothing, as a machine that hangs. */

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await emptyTestDatabase();
});
afterAll(() => postgres?.close());

interface Front {
  readonly port: number;
  readonly open: ReadonlySet<Socket>;
  accepted(): number;
  /** Whether what is connected from now on has an answer. */
  answers: boolean;
}

interface Watcher {
  /** Before anything is answered. */
  onConnection?(): void;
  onAnswer?(): void;
  onClose?(): void;
}

/** Stands before the database. */
async function startFront(answers: boolean, { onConnection, onAnswer, onClose }: Watcher = {}): Promise<Front> {
  const { hostname, port } = new URL(postgres.url);
  const folder = decodeURIComponent(hostname);
  const open = new Set<Socket>();
  let accepted = 0;
  const server: Server = createServer((near) => {
    accepted += 1;
    onConnection?.();
    open.add(near);
    near
      .on('error', () => undefined)
      .once('close', () => {
        open.delete(near);
        onClose?.();
      });
    if (!front.answers) return void near.resume();
    const far = folder.startsWith('/') ? connect(`${folder}/.s.PGSQL.${port}`) : connect(Number(port), folder);
    far.on('error', () => near.destroy()).once('close', () => near.destroy());
    near.once('close', () => far.destroy());
    near.pipe(far);
    far.once('data', () => onAnswer?.()).pipe(near);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    for (const socket of open) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  const front: Front = { port: (server.address() as { port: number }).port, open, accepted: () => accepted, answers };
  return front;
}

function connectionTo(fronts: readonly Front[]) {
  const { username, password, pathname } = new URL(postgres.url);
  return connectionOf(`postgres://${username}:${password}@${fronts.map(({ port }) => `127.0.0.1:${port}`).join()}${pathname}`);
}

it('the others are asked while it is silent: once for all connections of a pool, and nothing stays open to it', async () => {
  const events: string[] = [];
  const silent = await startFront(false, { onClose: () => void events.push('the silent one is dropped') });
  const real = await startFront(true, { onAnswer: () => void events.push('the other answers') });
  const pool = newPool(connectionTo([silent, real]), { max: 8 });
  const clients = await Promise.all(Array.from({ length: 8 }, () => pool.connect()));
  expect(await Promise.all(clients.map(async (client) => (await client.query('select 1 as it')).rows))).toEqual(
    Array.from({ length: 8 }, () => [{ it: 1 }]),
  );
  // Not only once that had been given up.
  expect(events[0]).toBe('the other answers');
  expect(silent.accepted()).toBe(1);
  await eventually('the silent one is dropped', async () => silent.open.size === 0);
  for (const client of clients) client.release();
  await pool.end();
  await eventually('none is left', async () => real.open.size === 0);
});

it('where it was the primary, another one that is it now is found, and whoever waits for the silent one is told', async () => {
  const first = await startFront(true);
  const openWhenAsked: number[] = [];
  const second = await startFront(true, { onConnection: () => void openWhenAsked.push(first.open.size) });
  const connection = connectionTo([first, second]);
  const old = newClient(connection);
  await old.connect();
  expect([old.port, second.accepted()]).toEqual([first.port, 0]);
  first.answers = false;
  const waiting = old.query('select pg_sleep(600)').then(
    () => 'answered',
    (error: Error) => error.message,
  );

  const connected = async () => {
    const client = newClient(connection);
    await client.connect();
    return client;
  };
  // Whoever goes by the answer of the moment before is cut once the other is found, and told to come again.
  const next = await connected().catch(async (error: Error) => {
    expect(error).toMatchObject({ code: '57P03', message: expect.stringContaining(`127.0.0.1:${first.port}`) });
    return await connected();
  });
  expect(next.port).toBe(second.port);
  // While that of the one who waits was open, and one more.
  expect(openWhenAsked[0]).toBeGreaterThan(1);
  expect(await waiting).toContain('no primary any more');
  await eventually('nothing is open to the silent one', async () => first.open.size === 0);
  await next.end();
  await eventually('none is left', async () => second.open.size === 0);
});
