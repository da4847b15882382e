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
import { makeDirs } from '#filesystem/make-dirs.ts';
import type { Log } from '../log.ts';
import { fileProblem, otherKey, StartError } from '../start-error.ts';
import { clusterFolder } from './cluster-folder.ts';
import { endOrphan, socketFolderPrefix } from './orphan.ts';
import { findPostgres, type PostgresBinaries } from './postgres-binaries.ts';
import { chooseRunner, commandFor, type Runner } from './unprivileged.ts';

const run = promisify(execFile);
const windows = process.platform === 'win32';
const user = 'longshore';
const socketPort = 5432;
/** The server's log contains warnings only; a log larger than this is restarted from empty. */
const maxLogBytes = 16 * 1024 * 1024;
/** Maximum bytes of a Unix socket's path (108 with the closing zero on Linux, 104 on macOS). */
const socketPathLimit = process.platform === 'darwin' ? 103 : 107;

interface PrivatePostgres {
  readonly connection: pg.ClientConfig;
  /** Shuts the server down cleanly. None of its processes is left running. */
  close(): Promise<void>;
}

interface PrivatePostgresOptions {
  /** The data folder, or the mount point of its disk (cluster-folder.ts); the parent exists and is locked by this process. */
  readonly folder: string;
  /** The service's secret: the database's password derives from it. */
  readonly secret: Uint8Array;
  readonly logFile: string;
  readonly log: Log;
  /** PostgreSQL settings that override our own. Default: none. */
  readonly settings?: Readonly<Record<string, string | number>>;
}

/**
 * Supervises the server: stops it (fast shutdown) when this process closes the pipe or ends for any reason, and exits
 * with its exit code. $1 is the socket's folder; the rest is the server's command.
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
 * Starts the service's own PostgreSQL over a folder, and initialises it at the first start. On POSIX it listens on a
 * Unix socket in a private temporary folder and on no port; on Windows on a loopback port. A password is always
 * required. If the server ends unexpectedly, it is started again. Errors: `StartError`.
 */
export async function startPrivatePostgres(given: PrivatePostgresOptions): Promise<PrivatePostgres> {
  const options = { ...given, folder: await clusterFolder(given.folder) };
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

/** The connection settings of the server of a service with this secret. */
export function connectionTo(at: { readonly port: number; readonly socketFolder: string }, secret: Uint8Array): pg.ClientConfig {
  return { host: windows ? '127.0.0.1' : at.socketFolder, port: at.port, user, password: passwordFrom(secret), database: 'postgres' };
}

const passwordFrom = (secret: Uint8Array): string =>
  Buffer.from(hkdfSync('sha256', secret, '', 'longshore private postgres', 24)).toString('base64url');

/** A folder that only the server's user can enter, with a path short enough for a socket. */
async function makeSocketFolder(runner: Runner): Promise<string> {
  const fits = (folder: string) => join(folder, `${socketFolderPrefix}XXXXXX`, `.s.PGSQL.${socketPort}`).length <= socketPathLimit;
  // The system's temporary folder may be private to root; /tmp is open to every user.
  const parent = windows || (runner.how !== 'uid' && fits(tmpdir())) ? tmpdir() : '/tmp';
  const folder = await mkdtemp(join(parent, socketFolderPrefix));
  if (runner.how === 'uid') await chown(folder, runner.uid, runner.gid);
  return folder;
}

/** Creates the cluster under a temporary name and renames it when it is complete, so that a partial one is never used. */
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

/** The environment variables that the server needs, without any secrets. */
function environment(): NodeJS.ProcessEnv {
  const kept = ['PATH', 'SystemRoot', 'TEMP', 'TMP'].flatMap((name) =>
    process.env[name] === undefined ? [] : [[name, process.env[name]]],
  );
  return { ...Object.fromEntries(kept), LC_ALL: 'C', TZ: 'UTC' };
}

/** Converts the output of PostgreSQL's programs into a sentence. */
function explain(error: unknown, folder: string): unknown {
  const printed =
    error instanceof Error && 'stderr' in error ? String(error.stderr) : error instanceof Error ? error.message : String(error);
  if (/No space left on device|Disk quota exceeded/.test(printed))
    return fileProblem(Object.assign(new Error(printed), { code: 'ENOSPC' }), folder);
  if (/Read-only file system/.test(printed)) return fileProblem(Object.assign(new Error(printed), { code: 'EROFS' }), folder);
  if (/Permission denied/.test(printed)) return fileProblem(Object.assign(new Error(printed), { code: 'EACCES' }), folder);
  const known = fileProblem(error, folder);
  if (known instanceof StartError) return known;
  const said =
    printed.match(/(?:FATAL|PANIC|error): *(?!the database system is starting up)(.+)/)?.[1] ?? printed.trim().split('\n').at(-1) ?? '';
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
 * The size of the server's page cache, in MiB: a sixteenth of the machine's memory. It is allocated as it is used. A
 * million packages have indexes of 1.3 GB, and 128 MiB would load them from the system's cache again and again.
 */
export function sharedMegabytes(memory: number): number {
  return Math.min(1_024, Math.max(128, Math.floor(memory / 16 / 2 ** 20)));
}

/** Bytes that this process may use: the machine's memory, or its container's limit. */
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
    // Our statements are short: JIT compilation costs more than it saves.
    jit: 'off',
    log_min_messages: 'warning',
    log_statement: 'none',
    ...others,
  };
  return ['-D', folder, ...Object.entries(values).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
}

/** If a server ran for this many milliseconds, its end was not caused by a problem at its start. */
const longLife = 60_000;
const longestPause = 30_000;

/**
 * Backoff in milliseconds before the server is restarted: none at first, then growing with each run that ended soon,
 * as on a full disk.
 */
const restartPause = (shortLives: number): number => (shortLives <= 1 ? 0 : Math.min(longestPause, 500 * 2 ** (shortLives - 2)));

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
      // Its own process group: Ctrl-C in a terminal is for the service, which then shuts everything down in order.
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
  const stopping = new AbortController();
  let shortLives = 0;
  const watch = (child: ChildProcess) => {
    const begunAt = Date.now();
    child.once('exit', (code) => {
      child.stdin?.destroy();
      if (closing) return;
      shortLives = Date.now() - begunAt < longLife ? shortLives + 1 : 0;
      log.error({ code, onceAMinute: 'PostgreSQL ended' }, 'PostgreSQL ended unexpectedly; starting it again');
      restarting = restart(restartPause(shortLives));
    });
  };
  const restart = async (first: number) => {
    for (let pause = first; !closing; pause = restartPause(++shortLives)) {
      await sleep(pause, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (closing) return;
      try {
        await endOrphan(folder, log);
        makeDirs(sockets, 0o700);
        if (runner.how === 'uid') await chown(sockets, runner.uid, runner.gid);
        server = await launch();
        watch(server);
        return;
      } catch (error) {
        log.error({ err: error, onceAMinute: 'PostgreSQL not started' }, 'PostgreSQL could not be started again; it is tried again later');
      }
    }
  };
  const close = async () => {
    closing = true;
    stopping.abort();
    await restarting;
    await stop(server, binaries, folder);
    await rm(sockets, { recursive: true, force: true });
  };

  try {
    await waitUntilReady(server, connection);
  } catch (error) {
    closing = true;
    await stop(server, binaries, folder);
    if (isWrongPassword(error)) throw otherKey(error);
    const log = await readFile(logFile).catch(() => Buffer.alloc(0));
    const printed = log.subarray(log.length >= from ? from : 0).toString();
    throw explain(printed ? Object.assign(new Error(printed), { cause: error }) : error, folder);
  }
  watch(server);
  return { connection, close };
}

/** Its password is made of the service's secret. */
const isWrongPassword = (error: unknown): boolean => error instanceof pg.DatabaseError && error.code === '28P01';

const sizeOf = async (path: string): Promise<number> => (await stat(path).catch(() => null))?.size ?? 0;

/** Retries until the server accepts connections. Recovery after a crash may take a while. */
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
      // No socket yet, or not accepting connections yet; retrying does not help with any other error.
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
