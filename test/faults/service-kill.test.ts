import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, describe, expect, it } from 'vitest';
import type { AuthResult } from '#protocol/hosted/accounts.ts';
import { inAll } from '#test/support/level.ts';
import { callAt, startTestService } from '#test/support/service/start-service.ts';
import { type ServiceProcess, startServiceProcess } from '#test/support/service/start-service-process.ts';
import { copyStartedFolder } from '#test/support/service/started-folder.ts';
import { eventually, processesWith } from '#test/support/system/processes.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

const owner = { email: 'owner@example.com', password: 'correct horse battery staple', team: 'Harbour' };
const cleanups: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** A service in a process of its own. */
async function startProcess(dataDir: string): Promise<ServiceProcess> {
  const started = await startServiceProcess({ dataDir, owner });
  cleanups.push(started.kill);
  return started;
}

const signIn = (url: string) => callAt(url)<AuthResult>('POST', '/v1/auth', { body: { email: owner.email, password: owner.password } });
const isPostmaster = ({ command }: { command: string }) => /(^|\/)postgres -D /.test(command) && !command.startsWith('/bin/sh');
/** Its children look just like it until each has given itself a title. */
const postmasters = async (dataDir: string) => {
  const found = (await processesWith(dataDir)).filter(isPostmaster);
  return found.filter(({ parent }) => !found.some(({ pid }) => pid === parent));
};
const isSupervisor = ({ command }: { command: string }) => command.startsWith('/bin/sh -c ') && command.includes('longshore-postgres');

async function freshFolder(): Promise<string> {
  const { path, remove } = await tempFolder();
  cleanups.push(remove);
  return join(path, 'data');
}

/** One that a service has had already. */
async function usedFolder(): Promise<string> {
  const dataDir = await freshFolder();
  await copyStartedFolder(dataDir, owner);
  return dataDir;
}

describe.skipIf(process.platform !== 'linux')('a service killed by kill -9', () => {
  it('takes its database with it, and goes on with all data when started again', async () => {
    const dataDir = await freshFolder();
    const first = await startProcess(dataDir);
    expect(first.firstRun?.email).toBe(owner.email);
    await first.kill();
    await eventually('its PostgreSQL ends', async () => (await processesWith(dataDir)).length === 0);
    const second = await startProcess(dataDir);
    expect(second.firstRun).toBeUndefined();
    expect((await signIn(second.url)).status).toBe(200);
    await second.stop();
    expect(await processesWith(dataDir)).toEqual([]);
  });

  it('can be started again at once, while its database still ends', inAll('a start after the same kill'), async () => {
    const dataDir = await usedFolder();
    await (await startProcess(dataDir)).kill();
    const second = await startProcess(dataDir);
    expect(await postmasters(dataDir)).toHaveLength(1);
    expect((await signIn(second.url)).status).toBe(200);
    await second.kill();
    await eventually('its PostgreSQL ends', async () => (await processesWith(dataDir)).length === 0);
  });

  it(
    'together with its supervisor, leaves an orphan that the next start ends',
    inAll('a start after a kill that takes its database along'),
    async () => {
      const dataDir = await usedFolder();
      const first = await startProcess(dataDir);
      const before = await processesWith(dataDir);
      const [orphan] = await postmasters(dataDir);
      // Stopped first, so that neither sees the other go.
      first.child.kill('SIGSTOP');
      for (const { pid } of before.filter(isSupervisor)) process.kill(pid, 'SIGKILL');
      await first.kill();
      expect((await postmasters(dataDir)).map(({ pid }) => pid)).toEqual([orphan!.pid]);
      const second = await startProcess(dataDir);
      const now = await postmasters(dataDir);
      expect(now).toHaveLength(1);
      expect(now[0]!.pid).not.toBe(orphan!.pid);
      expect((await signIn(second.url)).status).toBe(200);
      await second.stop();
      expect(await processesWith(dataDir)).toEqual([]);
    },
  );
});

describe.skipIf(process.platform !== 'linux')('a PostgreSQL killed under its service', () => {
  it('is started again, and the service goes on by itself', async () => {
    const at = await startTestService({ privateDatabase: true, logLevel: 'silent' });
    cleanups.push(at.close);
    const whoAmI = () => at.call('GET', '/v1/users/me', { headers: { 'x-user-token': at.userToken } });
    expect((await whoAmI()).status).toBe(200);
    const [server] = await postmasters(at.dataDir);
    const { db } = at.service.services;
    const amidQuery = expect(sql`select pg_sleep(60)`.execute(db)).rejects.toThrow();
    const amidTransaction = db.transaction().execute(async (trx) => {
      await sql`select 1`.execute(trx);
      process.kill(server!.pid, 'SIGKILL');
      await eventually('it is gone', async () => !(await processesWith(at.dataDir)).some(({ pid }) => pid === server!.pid));
      // Its own process outlives the other for a moment.
      await sql`select pg_sleep(60)`.execute(trx);
    });
    await expect(amidTransaction).rejects.toThrow();
    await amidQuery;
    const seen = new Set<number>();
    await eventually('the service answers again', async () => {
      const [now] = await postmasters(at.dataDir);
      const { status } = await whoAmI();
      seen.add(status);
      return status === 200 && now !== undefined && now.pid !== server!.pid;
    });
    // In between it says that it is not available, never that something is wrong with the request.
    expect([...seen].filter((status) => status !== 200 && status !== 503)).toEqual([]);
  });
});
