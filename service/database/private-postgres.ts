import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { hkdfSync, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { chown, mkdir, mkdtemp, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import type { Log } from '../log.ts';
import { fileProblem, StartError } from '../start-error.ts';
import { endOrphan, socketFolderPrefix } from './orphan.ts';
import { findPostgres, type PostgresBinaries } from './postgres-binaries.ts';
import { chooseRunner, commandFor, type Runner } from './unprivileged.ts';

const run = promisify(execFile);
const windows = process.platform === 'win32';
const user = 'longshore';
const socketPort = 5432;
/** The server's log holds warnings only; one that grew past this begins anew. */
const maxLogBytes = 16 * 1024 * 1024;
/** Bytes that a Unix socket's path may have (108 with the closing zero on Linux, 104 on macOS). */
const socketPathLimit = process.platform === 'darwin' ? 103 : 107;

export interface PrivatePostgres {
  readonly connection: pg.ClientConfig;
  /** Shuts it down in order. No process of it is left. */
  close(): Promise<void>;
}

export interface PrivatePostgresOptions {
  /** Its data; the parent exists and is locked by this process. */
  readonly folder: string;
  /** The service's secret: the database's password derives from it. */
  readonly secret: Uint8Array;
  readonly logFile: string;
  readonly log: Log;
  /** PostgreSQL's settings that go before our own. Default: none. */
  readonly settings?: Readonly<Record<string, string | number>>;
}

/**
 * Supervises the server: ends it (fast shutdown) when this process closes the pipe or dies, whichever way, and
 * exits as it exits. $1 is the socket's folder; the rest is the server's command.
 */
const supervisor = `
exec 3<&0
sockets=$1; shift
"$@" </dev/null 3<&- &
server=$!
( cat <&3 >/dev/null 2>&1; kill -INT $server 2>/dev/null ) >/dev/null 2>&1 &
watcher=$!
wait $server
code=$?
kill $watcher 2>/dev/null
rmdir "$sockets" 2>/dev/null
exit $code`;

/**
 * Starts the service's own PostgreSQL over a folder, making it at the first start. On POSIX it listens on a
 * Unix socket in a private temporary folder and on no port; on Windows on a loopback port, with a password
 * everywhere. Should it end unexpectedly it is started again. Errors: `StartError`.
 */
export async function startPrivatePostgres(options: PrivatePostgresOptions): Promise<PrivatePostgres> {
  const binaries = await findPostgres();
  await endOrphan(options.folder, options.log);
  const runner = await chooseRunner(options.folder, binaries.postgres);
  const sockets = await makeSocketFolder(runner);
  try {
    await initialise(options.folder, binaries, runner, passwordFrom(options.secret), sockets);
    const port = windows ? await freePort() : socketPort;
    return await supervise(options, binaries, runner, sockets, connectionTo({ port, socketFolder: sockets }, options.secret));
  } catch (error) {
    await rm(sockets, { recursive: true, force: true });
    throw error;
  }
}

/** How the server of a service with this secret is reached. */
export function connectionTo(at: { readonly port: number; readonly socketFolder: string }, secret: Uint8Array): pg.ClientConfig {
  return { host: windows ? '127.0.0.1' : at.socketFolder, port: at.port, user, password: passwordFrom(secret), database: 'postgres' };
}

const passwordFrom = (secret: Uint8Array): string =>
  Buffer.from(hkdfSync('sha256', secret, '', 'longshore private postgres', 24)).toString('base64url');

/** A folder that only the server's user can enter, with a path short enough for a socket. */
async function makeSocketFolder(runner: Runner): Promise<string> {
  const fits = (folder: string) => join(folder, `${socketFolderPrefix}XXXXXX`, `.s.PGSQL.${socketPort}`).length <= socketPathLimit;
  // The system's folder for temporaries may be private to root; /tmp is open to every user.
  const parent = windows || (runner.how !== 'uid' && fits(tmpdir())) ? tmpdir() : '/tmp';
  const folder = await mkdtemp(join(parent, socketFolderPrefix));
  if (runner.how === 'uid') await chown(folder, runner.uid, runner.gid);
  return folder;
}

/** Makes the cluster under another name and renames it when it is whole, so that a half-made one is never used. */
async function initialise(folder: string, binaries: PostgresBinaries, runner: Runner, password: string, sockets: string): Promise<void> {
  const made = await stat(join(folder, 'PG_VERSION')).catch(() => null);
  if (made) return;
  const unfinished = `${folder}.new`;
  const passwordFile = join(sockets, 'password');
  try {
    await rm(unfinished, { recursive: true, force: true });
    await mkdir(unfinished, { mode: 0o700 });
    await writeFile(passwordFile, password, { mode: 0o600 });
    if (runner.how === 'uid') for (const path of [unfinished, passwordFile]) await chown(path, runner.uid, runner.gid);
    const command = commandFor(runner, binaries.initdb, [
      `--pgdata=${unfinished}`,
      `--username=${user}`,
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--locale=C',
      '--data-checksums',
      '--no-instructions',
    ]);
    await run(command.program, [...command.args], { ...command.as, cwd: '/', env: environment() });
    await rename(unfinished, folder);
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true }).catch(() => undefined);
    throw explain(error, folder);
  } finally {
    await rm(passwordFile, { force: true });
  }
}

/** What the server needs of the environment, and nothing of its secrets. */
function environment(): NodeJS.ProcessEnv {
  const kept = ['PATH', 'SystemRoot', 'TEMP', 'TMP'].flatMap((name) =>
    process.env[name] === undefined ? [] : [[name, process.env[name]]],
  );
  return { ...Object.fromEntries(kept), LC_ALL: 'C', TZ: 'UTC' };
}

/** Turns what PostgreSQL's programs print into a sentence. */
function explain(error: unknown, folder: string): unknown {
  const printed =
    error instanceof Error && 'stderr' in error ? String(error.stderr) : error instanceof Error ? error.message : String(error);
  if (/No space left on device|Disk quota exceeded/.test(printed))
    return fileProblem(Object.assign(new Error(printed), { code: 'ENOSPC' }), folder);
  if (/Read-only file system/.test(printed)) return fileProblem(Object.assign(new Error(printed), { code: 'EROFS' }), folder);
  if (/Permission denied/.test(printed)) return fileProblem(Object.assign(new Error(printed), { code: 'EACCES' }), folder);
  const known = fileProblem(error, folder);
  if (known instanceof StartError) return known;
  const said = printed.match(/(?:FATAL|PANIC|error): *(.+)/)?.[1] ?? printed.trim().split('\n').at(-1) ?? '';
  return new StartError('database_cannot_start', `PostgreSQL could not be started over ${folder}: ${said}`, { cause: error });
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  return typeof address === 'object' && address ? address.port : randomInt(49_152, 65_536);
}

/**
 * What the server keeps of its files in memory, in MiB: a sixteenth of the machine's. It is taken as it is used. A
 * million packages have indexes of 1.3 GB, which 128 MiB would bring in from the system's cache again and again.
 */
export function sharedMegabytes(memory: number): number {
  return Math.min(1_024, Math.max(128, Math.floor(memory / 16 / 2 ** 20)));
}

/** Bytes that this process may use: the machine's, or what its container is held to. */
const memoryHere = (): number => Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);

function settings(folder: string, sockets: string, port: number, others: PrivatePostgresOptions['settings']): string[] {
  const values = {
    listen_addresses: windows ? '127.0.0.1' : '',
    unix_socket_directories: windows ? '' : sockets,
    unix_socket_permissions: '0700',
    port,
    max_connections: 64,
    shared_buffers: `${sharedMegabytes(memoryHere())}MB`,
    fsync: 'on',
    // Our statements are short: compiling them costs more than it saves.
    jit: 'off',
    log_min_messages: 'warning',
    log_statement: 'none',
    ...others,
  };
  return ['-D', folder, ...Object.entries(values).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
}

async function supervise(
  { folder, logFile, log, settings: others }: PrivatePostgresOptions,
  binaries: PostgresBinaries,
  runner: Runner,
  sockets: string,
  connection: pg.ClientConfig,
): Promise<PrivatePostgres> {
  const command = [binaries.postgres, ...settings(folder, sockets, connection.port!, others)];
  const launch = async (): Promise<ChildProcess> => {
    const sink = await open(logFile, (await sizeOf(logFile)) > maxLogBytes ? 'w' : 'a', 0o600);
    try {
      const { program, args, as } = windows
        ? commandFor(runner, command[0]!, command.slice(1))
        : commandFor(runner, '/bin/sh', ['-c', supervisor, 'longshore-postgres', sockets, ...command]);
      // A group of its own: Ctrl-C in a terminal is for the service, which then closes things in order.
      const child = spawn(program, [...args], {
        ...as,
        cwd: '/',
        env: environment(),
        stdio: ['pipe', sink.fd, sink.fd],
        detached: !windows,
      });
      child.stdin?.on('error', () => undefined);
      await once(child, 'spawn');
      return child;
    } finally {
      await sink.close();
    }
  };

  const from = await sizeOf(logFile);
  let server = await launch();
  let closing = false;
  let restarting: Promise<void> = Promise.resolve();
  const watch = (child: ChildProcess) =>
    child.once('exit', (code) => {
      child.stdin?.destroy();
      if (closing) return;
      log.error({ code }, 'PostgreSQL ended unexpectedly; starting it again');
      restarting = restart();
    });
  const restart = async () => {
    while (!closing) {
      try {
        await endOrphan(folder, log);
        await mkdir(sockets, { recursive: true, mode: 0o700 });
        if (runner.how === 'uid') await chown(sockets, runner.uid, runner.gid);
        server = await launch();
        watch(server);
        return;
      } catch (error) {
        log.error({ err: error }, 'PostgreSQL could not be started again; trying once more in a second');
        await sleep(1_000);
      }
    }
  };
  const close = async () => {
    closing = true;
    await restarting;
    await stop(server, binaries, folder);
    await rm(sockets, { recursive: true, force: true });
  };

  try {
    await waitUntilReady(server, connection);
  } catch (error) {
    closing = true;
    await stop(server, binaries, folder);
    const log = await readFile(logFile).catch(() => Buffer.alloc(0));
    const printed = log.subarray(log.length >= from ? from : 0).toString();
    throw explain(printed ? Object.assign(new Error(printed), { cause: error }) : error, folder);
  }
  watch(server);
  return { connection, close };
}

const sizeOf = async (path: string): Promise<number> => (await stat(path).catch(() => null))?.size ?? 0;

/** Connects until the server takes connections. Recovery after a crash may take it a while. */
async function waitUntilReady(server: ChildProcess, connection: pg.ClientConfig): Promise<void> {
  const until = Date.now() + 120_000;
  while (Date.now() < until) {
    if (server.exitCode !== null || server.signalCode !== null)
      throw new Error(`PostgreSQL ended with ${server.exitCode ?? server.signalCode}`);
    const client = new pg.Client({ ...connection, connectionTimeoutMillis: 5_000 });
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.end();
      return;
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : '';
      await client.end().catch(() => undefined);
      // No socket yet, or not taking connections yet; all else will not get better.
      if (!['ENOENT', 'ECONNREFUSED', '57P03'].includes(code)) throw error;
      await sleep(15);
    }
  }
  throw new Error('PostgreSQL did not become ready within 2 minutes');
}

async function stop(server: ChildProcess, binaries: PostgresBinaries, folder: string): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const gone = once(server, 'exit');
  if (windows) await run(binaries.pgCtl, ['stop', '-m', 'fast', '-D', folder]).catch(() => server.kill());
  else server.stdin?.end();
  await gone;
}
