import { execFileSync } from 'node:child_process';
import { copyFile, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type RunningService, type ServiceOptions, startService } from '#service/server.ts';
import { inAll } from '#test/support/level.ts';
import { emptyTestDatabase } from '#test/support/service/postgres.ts';
import { ownerEmail, ownerPassword, startTestService } from '#test/support/service/start-service.ts';
import { copyStartedFolder } from '#test/support/service/started-folder.ts';
import { processesWith } from '#test/support/system/processes.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

const anyPort = { host: '127.0.0.1', port: 0 };
const cleanups: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function folder(): Promise<string> {
  const { path, remove } = await tempFolder();
  cleanups.push(remove);
  return path;
}

/** One in which a service has been before: the first start takes longest. */
async function usedFolder(): Promise<string> {
  const dataDir = join(await folder(), 'data');
  await copyStartedFolder(dataDir, { email: ownerEmail, password: ownerPassword, team: 'Harbour' });
  return dataDir;
}

const start = (dataDir: string, options: Partial<ServiceOptions> = {}): Promise<RunningService> =>
  startService({ listen: anyPort, dataDir, logLevel: 'silent', ...options });

describe('a start that cannot succeed says why, and leaves nothing running', () => {
  it('when another service uses the folder, which goes on', async () => {
    const first = await startTestService();
    cleanups.push(first.close);
    await expect(start(first.dataDir)).rejects.toMatchObject({
      code: 'data_folder_in_use',
      retryable: true,
      message: `Another service (process ${process.pid}) is using the data folder ${first.dataDir}. Stop it, or choose another data folder.`,
    });
    expect((await first.call('GET', '/v1/users/me', { headers: { 'x-api-key': first.apiKey } })).status).toBe(200);
  });

  it('when its port is taken', async () => {
    const path = await usedFolder();
    const other = createServer().listen(0, '127.0.0.1');
    cleanups.push(() => other.close());
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as { port: number };
    await expect(start(path, { listen: { host: '127.0.0.1', port } })).rejects.toMatchObject({
      code: 'port_taken',
      message: expect.stringContaining(`Port ${port} on 127.0.0.1 is taken by another program.`),
    });
    await expect(start(path, { storageListen: { host: '127.0.0.1', port } })).rejects.toMatchObject({
      code: 'port_taken',
      message: expect.stringContaining('--storage-listen'),
    });
    expect(await processesWith(path)).toEqual([]);
    cleanups.push((await start(path)).close);
  });

  it('when the address is not of this machine', async () => {
    await expect(start(await folder(), { listen: { host: '203.0.113.1', port: 0 } })).rejects.toMatchObject({
      code: 'address_unavailable',
    });
  });

  it('when a file is where the folder should be', async () => {
    const path = join(await folder(), 'file');
    await writeFile(path, '');
    await expect(start(path)).rejects.toMatchObject({ code: 'data_folder_unwritable', message: expect.stringContaining(path) });
    await expect(start(join(path, 'below'))).rejects.toMatchObject({ code: 'data_folder_unwritable' });
  });

  it('when its key is damaged', async () => {
    const path = await folder();
    await writeFile(join(path, 'secret.key'), 'short\n');
    await expect(start(path)).rejects.toMatchObject({ code: 'secret_key_unreadable', message: expect.stringContaining('backup') });
  });

  it('when the database does not answer, without telling its password', async () => {
    const databaseUrl = 'postgres://mia:hunter2@127.0.0.1:1/longshore';
    const error = await start(await folder(), { databaseUrl }).catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      code: 'database_unreachable',
      retryable: true,
      message: expect.stringContaining('127.0.0.1:1/longshore'),
    });
    expect(String(error)).not.toContain('hunter2');
  });

  it('when an option is wrong; and the folder can be used afterwards, past what an interrupted start has left', async () => {
    const path = await folder();
    const wrong = [
      [{ owner: { email: 'mia' } }, 'e-mail'],
      [{ owner: { password: 'short' } }, 'password'],
      [{ owner: { team: ' ' } }, 'Team'],
      [{ publicUrl: 'files.example.com' }, 'files.example.com'],
      [{ storageUrl: 'ftp://x' }, 's3://'],
    ] as const;
    for (const [options, word] of wrong) {
      await expect(start(path, options)).rejects.toMatchObject({ message: expect.stringContaining(word) });
      expect(await processesWith(path)).toEqual([]);
    }
    await mkdir(join(path, 'postgres.new'));
    await writeFile(join(path, 'postgres.new', 'PG_VERSION'), '18\n');
    const running = await start(path);
    cleanups.push(running.close);
    expect(running.firstRun).toBeDefined();
  });
});

/** A small file system of its own, where this user may mount one. */
async function mounted(options: string): Promise<string | null> {
  const path = await folder();
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', path], { stdio: 'ignore' });
  } catch {
    return null;
  }
  cleanups.push(() => execFileSync('umount', [path]));
  return path;
}
const canMount = await mounted('size=1m');

describe.skipIf(canMount === null)('on a disk that', () => {
  it(
    'is full, a start says so and succeeds once there is room',
    inAll('a disk that is read-only; faults/database-full for one that is full'),
    async () => {
      const path = (await mounted('size=8m'))!;
      await expect(start(join(path, 'data'))).rejects.toMatchObject({ code: 'disk_full', message: expect.stringContaining('is full') });
      expect(await processesWith(path)).toEqual([]);
      execFileSync('mount', ['-o', 'remount,size=400m', path]);
      const running = await start(join(path, 'data'));
      expect(running.firstRun).toBeDefined();
      await running.close();
    },
  );

  it('is read-only, a start says so', async () => {
    const path = (await mounted('size=8m'))!;
    execFileSync('mount', ['-o', 'remount,ro', path]);
    await expect(start(join(path, 'data'))).rejects.toMatchObject({
      code: 'data_folder_unwritable',
      message: expect.stringContaining('read-only'),
    });
  });
});

describe('the first start', () => {
  it(
    'makes what is given, and tells nothing at the second',
    inAll('cli-crossing is given an owner and a Team; service/restart starts again; unit/service/data-folder'),
    async () => {
      const dataDir = join(await folder(), 'deep', 'data');
      const first = await start(dataDir, { owner: { email: ownerEmail, password: ownerPassword, team: 'Ärger & Söhne' } });
      expect(first.firstRun).toEqual({
        email: ownerEmail,
        password: ownerPassword,
        team: 'Ärger & Söhne',
        teamId: expect.any(String),
        generated: [],
      });
      const team = await first.services.db.selectFrom('teams').select(['name', 'subdomain']).execute();
      expect(team).toEqual([{ name: 'Ärger & Söhne', subdomain: 'arger-sohne' }]);
      await first.close();
      const second = await start(dataDir, { owner: { email: 'other@example.com' } });
      cleanups.push(second.close);
      expect(second.firstRun).toBeUndefined();
      expect(await second.services.db.selectFrom('users').select('email').execute()).toEqual([{ email: ownerEmail }]);
    },
  );

  it('generates what is not given, strong and keeping secrets to this user', async () => {
    const dataDir = join(await folder(), 'data');
    const running = await start(dataDir);
    cleanups.push(running.close);
    expect(running.firstRun).toMatchObject({
      email: 'owner@longshore.local',
      password: expect.stringMatching(/^[a-z2-9]{6}(-[a-z2-9]{6}){3}$/),
      team: 'My Team',
      generated: ['email', 'password', 'team'],
    });
    expect((await stat(join(dataDir, 'secret.key'))).mode & 0o777).toBe(0o600);
    expect((await stat(join(dataDir, 'postgres'))).mode & 0o777).toBe(0o700);
    expect((await stat(dataDir)).mode & 0o066).toBe(0);
  });
});

it('closing leaves no process, socket or lock, and can be asked for twice', async () => {
  const dataDir = await usedFolder();
  const running = await start(dataDir);
  const [server] = (await processesWith(dataDir)).filter(({ command }) => command.includes('postgres'));
  const sockets = /unix_socket_directories=(\S+)/.exec(server!.command)![1]!;
  await Promise.all([running.close(), running.close()]);
  expect(await processesWith(dataDir)).toEqual([]);
  await expect(stat(sockets)).rejects.toMatchObject({ code: 'ENOENT' });
  await expect(fetch(running.url)).rejects.toThrow();
  await (await start(dataDir)).close();
});

it('closing waits for a request that is under way', async () => {
  const at = await startTestService();
  const body = JSON.stringify({ name: 'Slow', state: 'active' });
  let finish = () => {};
  const slow = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(body.slice(0, 5)));
      finish = () => {
        controller.enqueue(new TextEncoder().encode(body.slice(5)));
        controller.close();
      };
    },
  });
  const answer = fetch(`${at.url}/v1/teams/${at.teamId}/api_keys`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-user-token': at.userToken },
    body: slow,
    duplex: 'half',
  } as RequestInit);
  // A second request makes sure that the first has arrived.
  await at.call('GET', '/healthz');
  const closed = at.close();
  finish();
  expect((await answer).status).toBe(201);
  await closed;
});

it('a key file moved with its data opens it elsewhere', async () => {
  const at = await startTestService();
  cleanups.push(at.close);
  const copy = await folder();
  await copyFile(join(at.dataDir, 'secret.key'), join(copy, 'secret.key'));
  expect((await readFile(join(copy, 'secret.key'), 'utf8')).trim()).toHaveLength(43);
  const empty = await emptyTestDatabase();
  cleanups.push(empty.close);
  const running = await start(copy, { databaseUrl: empty.url });
  cleanups.push(running.close);
  const answer = await fetch(`${running.url}/v1/users/me`, { headers: { 'x-user-token': at.userToken } });
  // The token verifies there; its user does not exist.
  expect(answer.status).toBe(401);
});
