import { once } from 'node:events';
import { createServer } from 'node:net';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newClient } from '#service/database/clients.ts';
import { connectionOf } from '#service/database/connection-of.ts';
import { openDatabase } from '#service/database/database.ts';
import { databaseProbe } from '#service/database/probe.ts';
import { createLogger } from '#service/log.ts';
import { longshoreHere } from '#test/support/engine/command-line.ts';
import { hasReplicatedPostgres, type ReplicatedPostgres, startReplicatedPostgres } from '#test/support/service/replicated-postgres.ts';
import { newSender } from '#test/support/service/sender.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { eventually } from '#test/support/system/processes.ts';

/** A database address that names a PostgreSQL and its copy, which answers what only reads. */
describe.skipIf(!hasReplicatedPostgres())('a database of two servers', () => {
  let postgres: ReplicatedPostgres;
  let url: string;
  let t: TestService;
  beforeAll(async () => {
    postgres = await startReplicatedPostgres({ readable: true });
    // The copy is named first.
    url = `postgres://longshore@${postgres.servers.toReversed().join()}/longshore?target_session_attrs=read-write`;
    t = await startTestService({ databaseUrl: url, processes: 1 });
  });
  afterAll(async () => {
    await t?.close();
    await postgres?.close();
  });

  const portOf = async (of: string): Promise<number> => {
    const client = newClient(connectionOf(of));
    await client.connect();
    const { rows } = await client.query<{ port: number }>('select inet_server_port() as port');
    await client.end();
    return rows[0]!.port;
  };
  const [primary, copy] = [0, 1].map((index) => () => Number(postgres.servers[index]!.split(':')[1])) as [() => number, () => number];

  it('is used by its primary, in whatever order they are named', async () => {
    expect(await portOf(url)).toBe(primary());
    expect(await portOf(`postgres://longshore@${postgres.servers.join()}/longshore`)).toBe(primary());
    await newSender(t, { name: 'Before' });
    expect(await databaseProbe(connectionOf(url)).look(new AbortController().signal)).toEqual({ database: null, migrations: null });
  });

  it('says of each why it is not used, where none is the primary', async () => {
    const gone = createServer().listen(0, '127.0.0.1');
    await once(gone, 'listening');
    const { port } = gone.address() as { port: number };
    await new Promise((resolve) => gone.close(resolve));
    const none = `postgres://longshore:secret@${postgres.servers[1]},127.0.0.1:${port}/longshore`;
    await expect(portOf(none)).rejects.toThrow(
      `none of its servers is the primary (${postgres.servers[1]} is a copy; 127.0.0.1:${port}: connect ECONNREFUSED 127.0.0.1:${port})`,
    );
    const { code, stderr } = await longshoreHere(['admin', 'team', 'list', '--data-dir', t.dataDir, '--database-url', none]);
    expect([code, stderr]).toEqual([
      expect.any(Number),
      expect.stringContaining(`The database at ${postgres.servers[1]}, 127.0.0.1:${port} cannot be used`),
    ]);
    expect(stderr).not.toContain('secret');
  });

  it('goes on by the copy once that is the primary: calls, jobs, messages between processes, and commands', async () => {
    await postgres.switchOver();
    await eventually(
      'calls are answered',
      async () => (await t.call('GET', '/v1/users/me', { headers: { 'x-user-token': t.userToken } })).status === 200,
    );
    expect(await portOf(url)).toBe(copy());
    const sender = await newSender(t, { name: 'After', recipients: ['a@x.org'] });
    await sender.send('', 'a.txt', Buffer.from('a'));
    expect((await sender.finalize()).status).toBe(204);
    // The mail is a job that was added after the switch, and told of by a message.
    await eventually('its mail was sent', async () => {
      const rows = await t.service.services.db.selectFrom('messages').select('recipient').execute();
      return rows.some(({ recipient }) => recipient === 'a@x.org');
    });
    const { code, stdout, stderr } = await longshoreHere(['admin', 'team', 'list', '--data-dir', t.dataDir, '--database-url', url]);
    expect([code, stdout], stderr).toEqual([0, expect.stringContaining('harbour')]);
  });
});

describe.skipIf(!hasReplicatedPostgres())('a primary whose machine is gone', () => {
  it('is given up by all connections once another one is found', async () => {
    const postgres = await startReplicatedPostgres({ readable: true });
    const url = `postgres://longshore@${postgres.servers.join()}/longshore`;
    const db = openDatabase(connectionOf(url), createLogger('silent'), 2);
    try {
      const asked = () => sql<{ port: number }>`select inet_server_port() as port`.execute(db);
      // Both connections of the pool are open, and one of them waits for an answer that will not come.
      await Promise.all([asked(), asked()]);
      const waiting = sql`select pg_sleep(600)`.execute(db).then(
        () => 'answered',
        (error: Error) => error.message,
      );
      await postgres.switchFromSilent();
      // Whoever connects next finds the new primary: an event channel, a probe.
      await eventually('the new primary is found', async () => {
        const other = newClient(connectionOf(url));
        const found = await other.connect().then(
          () => true,
          () => false,
        );
        await other.end();
        return found;
      });
      expect(await waiting).toContain('no primary any more');
      await eventually('the pool has connections to the new primary', async () => {
        const { rows } = await asked().catch(() => ({ rows: [] }));
        return `127.0.0.1:${rows[0]?.port}` === postgres.servers[1];
      });

      // What is written there would be lost: nobody goes back to it.
      await postgres.formerComesBack();
      await eventually('it is known as a former primary', async () => {
        const other = newClient(connectionOf(url));
        const said = await other.connect().then(
          () => 'connected',
          (error: Error) => error.message,
        );
        await other.end();
        expect(said).not.toBe('connected');
        return said.includes(`${postgres.servers[0]} is a former primary (timeline 1, where 2 has begun)`);
      });
    } finally {
      await db.destroy();
      await postgres.close();
    }
  });
});
