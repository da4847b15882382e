import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { databaseProbe } from '#service/database/probe.ts';
import { worksSince } from '#service/database/versions.ts';
import { createReadiness } from '#service/readiness.ts';
import { storageProbe } from '#service/storage-probe.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';

let at: TestService;
beforeAll(async () => {
  at = await startTestService({ processes: 1 });
});
afterAll(() => at?.close());

/** Listens, takes connections, and never says anything. */
async function silent() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, port: (server.address() as AddressInfo).port };
}

it('a database that takes connections and says nothing is named in time, and its connection is closed', async () => {
  const { server, port } = await silent();
  const connected = once(server, 'connection') as Promise<[Socket]>;
  const probe = databaseProbe({ connectionString: `postgres://someone:sesame@127.0.0.1:${port}/files` });
  const late = { status: 'failed', reason: 'It did not answer within 0.2 s.' };
  expect(await createReadiness([probe], { limitMilliseconds: 200 }).report()).toEqual({
    status: 'not_ready',
    checks: { database: late, migrations: late },
  });
  const [socket] = await connected;
  if (!socket.destroyed) await once(socket.resume(), 'close');
  server.close();
});

it('a database of a newer version is reached, and is for this service if that version says so', async () => {
  const { db } = at.service.services;
  const probe = databaseProbe({ connectionString: at.databaseUrl! });
  expect(await createReadiness([probe]).report()).toMatchObject({ status: 'ready' });
  const newer = { name: '9999-of-a-later-version', timestamp: new Date().toISOString() };
  await db
    .insertInto('kysely_migration' as never)
    .values(newer as never)
    .execute();
  const tablesOf = async (works_since: string) => {
    await db.updateTable('service_facts').set({ value: works_since }).where('name', '=', 'works_since').execute();
    return (await createReadiness([probe]).report()).checks['migrations'];
  };
  expect(await tablesOf('9999-of-a-later-version')).toEqual({
    status: 'failed',
    reason: 'The tables are of a newer version than this service.',
  });
  // The later version has only added to what this one knows: old nodes go on beside new ones.
  expect(await tablesOf(worksSince)).toEqual({ status: 'ok' });
});

it('a storage whose port is gone is not ready, though its disk is there', async () => {
  const { server, port } = await silent();
  server.close();
  await once(server, 'close');
  const { storage } = at.service.services;
  const reports = [at.storageUrl, `http://127.0.0.1:${port}`].map((url) =>
    createReadiness([storageProbe({ storage, url, folder: null }, null)]).report(),
  );
  const [there, gone] = await Promise.all(reports);
  expect(there).toEqual({ status: 'ready', checks: { storage: { status: 'ok' } } });
  expect(gone).toEqual({ status: 'not_ready', checks: { storage: { status: 'failed', reason: 'It cannot be reached.' } } });
});
