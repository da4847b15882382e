import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, chown, mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, describe, expect, it } from 'vitest';
import { findPostgres } from '#service/database/postgres-binaries.ts';
import { startPrivatePostgres } from '#service/database/private-postgres.ts';
import { chooseRunner } from '#service/database/unprivileged.ts';
import { firstOf, inAll } from '#test/support/level.ts';
import { processesWith } from '#test/support/system/processes.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

const quiet = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function folder(mode: number): Promise<string> {
  const { path, remove } = await tempFolder();
  cleanups.push(remove);
  const made = join(path, 'private');
  await mkdir(made);
  await chmod(made, mode);
  return made;
}

async function start(parent: string, secret = randomBytes(32)) {
  const postgres = await startPrivatePostgres({
    folder: join(parent, 'postgres'),
    secret,
    logFile: join(parent, 'postgres.log'),
    log: quiet,
  });
  cleanups.push(postgres.close);
  return postgres;
}

async function query(connection: pg.ClientConfig, sql: string): Promise<Record<string, string>[]> {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    return (await client.query<Record<string, string>>(sql)).rows;
  } finally {
    await client.end();
  }
}

/** The user that the server runs as, as the whole machine sees it. */
async function userOfServer(parent: string): Promise<number> {
  const [server] = (await processesWith(parent)).filter(
    ({ command }) => /(^|\/)postgres -D /.test(command) && !command.startsWith('/bin/sh'),
  );
  return Number(/^Uid:\s+(\d+)/m.exec(await readFile(`/proc/${server!.pid}/status`, 'utf8'))![1]);
}

describe.skipIf(process.platform === 'win32')('the private PostgreSQL', () => {
  it('is safe against a crash, listens on a socket only, and wants its password', async () => {
    const { connection } = await start(await folder(0o711));
    const settings = await query(
      connection,
      `select name, setting from pg_settings where name in ('fsync', 'full_page_writes', 'synchronous_commit', 'data_checksums', 'listen_addresses', 'server_encoding')`,
    );
    expect(Object.fromEntries(settings.map(({ name, setting }) => [name, setting]))).toEqual({
      fsync: 'on',
      full_page_writes: 'on',
      synchronous_commit: 'on',
      data_checksums: 'on',
      listen_addresses: '',
      server_encoding: 'UTF8',
    });
    await expect(query({ ...connection, password: 'wrong' }, 'select 1')).rejects.toMatchObject({ code: '28P01' });
    // Case is folded beyond ASCII, for searches by name.
    expect(await query(connection, `select lower('ÄÉØ') as lower`)).toEqual([{ lower: 'äéø' }]);
  });
});

describe.skipIf(process.getuid?.() !== 0)('under root, the private PostgreSQL', () => {
  it('says of a key that is not its own what to do', async () => {
    const parent = await folder(0o711);
    const { close } = await start(parent);
    await close();
    await expect(start(parent)).rejects.toMatchObject({
      code: 'secret_key_of_another_service',
      message: expect.stringContaining('a service with another key. Copy the file secret.key'),
    });
  });

  it('runs as a user without power where that one can reach the folder', async () => {
    const parent = await folder(0o711);
    await start(parent);
    expect(await userOfServer(parent)).not.toBe(0);
  });

  it('runs in a user namespace where only root can reach the folder, and there again', inAll('runs as a user without power'), async () => {
    const parent = await folder(0o700);
    const secret = randomBytes(32);
    for (let round = 0; round < 2; round += 1) {
      const postgres = await startPrivatePostgres({ folder: join(parent, 'postgres'), secret, logFile: join(parent, 'log'), log: quiet });
      expect(await query(postgres.connection, 'select 1 as one')).toEqual([{ one: 1 }]);
      expect(await userOfServer(parent)).toBe(0);
      await postgres.close();
      expect(await processesWith(parent)).toEqual([]);
    }
  });

  it('says what to do where no way works', async () => {
    const data = join(await folder(0o700), 'postgres');
    await mkdir(data);
    await chown(data, 65_534, 65_534);
    const { postgres } = await findPostgres();
    await expect(chooseRunner(data, postgres)).rejects.toMatchObject({
      code: 'database_cannot_start',
      message: expect.stringContaining('Start the service as an ordinary user'),
    });
  });
});

/** Mounting needs root, and a system that lets it. */
const canMount = await (async () => {
  const { path, remove } = await tempFolder();
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', path], { stdio: 'ignore' }).status === 0;
  if (mounted) spawnSync('umount', [path], { stdio: 'ignore' });
  await remove();
  return mounted;
})();

/** A folder with a disk of its own at `postgres`. */
async function withDisk(size: string): Promise<{ readonly parent: string; readonly disk: string }> {
  const parent = await folder(0o711);
  const disk = join(parent, 'postgres');
  await mkdir(disk);
  expect(spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=0755`, 'tmpfs', disk]).status).toBe(0);
  cleanups.push(async () => spawnSync('umount', ['-l', disk]));
  return { parent, disk };
}

describe.skipIf(!canMount)(`a disk for the private PostgreSQL${canMount ? '' : ' (left out: this user may not mount one)'}`, () => {
  it.each(
    firstOf([
      ['an empty one', []],
      ['one with lost+found', ['lost+found']],
    ]),
  )('is taken at the first start and again: %s', async (_, names) => {
    const { parent, disk } = await withDisk('300m');
    for (const name of names) await mkdir(join(disk, name), { mode: 0o700 });
    const secret = randomBytes(32);
    for (const statement of ['create table kept (n int)', 'insert into kept values (7)']) {
      const postgres = await startPrivatePostgres({ folder: disk, secret, logFile: join(parent, 'log'), log: quiet });
      await query(postgres.connection, statement);
      await postgres.close();
    }
    expect((await readdir(disk)).sort()).toEqual([...names, 'data'].sort());
  });
});
