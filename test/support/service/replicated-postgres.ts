import { execFile } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '#main/start/ports.ts';
import { runAfterUs } from './databases/remove-after-exit.ts';
import { haproxyDatabaseConfig, startHaproxy } from './haproxy.ts';

const run = promisify(execFile);
const host = '127.0.0.1';

/** Debian's programs: those of the package that tests have otherwise make no copy of a running server. */
const found = (): string | undefined => {
  const copier = globSync('/usr/lib/postgresql/*/bin/pg_basebackup').at(-1);
  return copier && dirname(copier);
};
export const hasReplicatedPostgres = (): boolean => found() !== undefined && existsSync('/usr/sbin/runuser') && process.getuid?.() === 0;

/** Waits until whoever started it is gone, ends the servers in the folder $1 at once, and removes it. */
const endAfterUs = `
cat >/dev/null
for file in "$1"/*/postmaster.pid; do
  [ -e "$file" ] || continue
  pid=$(head -n 1 "$file")
  kill -QUIT "$pid"
  kill -CONT $(ps -o pid= --pid "$pid" --ppid "$pid")
done
for wait in $(seq 100); do ls "$1"/*/postmaster.pid >/dev/null 2>&1 || break; sleep 0.2; done
rm -rf "$1"`;

/** A server's first process and those that serve its connections. */
async function processesOf(folder: string): Promise<readonly number[]> {
  const first = (await readFile(join(folder, 'postmaster.pid'), 'utf8')).split('\n')[0]!;
  const { stdout } = await run('ps', ['-o', 'pid=', '--pid', first, '--ppid', first]);
  return stdout.trim().split(/\s+/).map(Number);
}

/** One that serves a connection may have ended since it was found. */
function signalIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

export interface ReplicatedPostgres {
  /** Leads to the primary, whichever it is. */
  readonly url: string;
  /** Host and port of both: the primary, and its copy. */
  readonly servers: readonly [primary: string, copy: string];
  /** The primary, at once, with all connections cut. */
  restart(): Promise<void>;
  /** The primary ends, and the copy that followed it is the primary from now on. */
  switchOver(): Promise<void>;
  /** The same where the primary's machine is gone: it neither answers nor says that it will not. */
  switchFromSilent(): Promise<void>;
  /** The machine that was gone is back, as a second primary, and the one that was switched to is gone for good. */
  formerComesBack(): Promise<void>;
  close(): Promise<void>;
}

/**
 * A PostgreSQL and its streaming copy, behind a HAProxy that leads to the one that is primary. `readable`: the copy answers what
 * only reads, as it does where nobody says otherwise.
 */
export async function startReplicatedPostgres({ readable = false } = {}): Promise<ReplicatedPostgres> {
  const bin = found()!;
  // PostgreSQL does not run as root, and its user reaches no folder that is private to root.
  const folder = await mkdtemp('/var/tmp/longshore-replicated-');
  const forget = runAfterUs(endAfterUs, folder);
  await run('chown', ['postgres:postgres', folder]);
  const as = (program: string, ...args: string[]) => run('runuser', ['-u', 'postgres', '--', join(bin, program), ...args], { cwd: folder });
  const at = (name: string) => join(folder, name);
  const ctl = (name: string, ...args: string[]) => as('pg_ctl', '-D', at(name), '-l', at(`${name}.log`), '-w', ...args);
  const ports = { primary: await freePort(0), standby: await freePort(0), front: await freePort(0) };
  const configure = (name: 'primary' | 'standby') =>
    appendFile(
      join(at(name), 'postgresql.conf'),
      `
listen_addresses = '${host}'
port = ${ports[name]}
unix_socket_directories = '${folder}'
max_connections = 300
fsync = off
hot_standby = ${readable ? 'on' : 'off'}
wal_retrieve_retry_interval = 200ms
`,
    );
  const running = new Set<string>();
  let stopped: readonly number[] = [];
  await as('initdb', '--no-sync', '-D', at('primary'), '-U', 'longshore', '--auth=trust', '--encoding=UTF8', '--locale=C.UTF-8');
  await configure('primary');
  await ctl('primary', 'start');
  running.add('primary');
  await as('createdb', '-h', host, '-p', String(ports.primary), '-U', 'longshore', 'longshore');
  await as(
    'pg_basebackup',
    '-h',
    host,
    '-p',
    String(ports.primary),
    '-U',
    'longshore',
    '-D',
    at('standby'),
    '-R',
    '-X',
    'stream',
    '-c',
    'fast',
    '--no-sync',
  );
  await configure('standby');
  // Until it is promoted it answers nobody, so there is nothing to wait for.
  await as('pg_ctl', '-D', at('standby'), '-l', at('standby.log'), '-W', 'start');
  running.add('standby');
  // A commit is told once the copy has it; otherwise what was told is lost with the primary.
  await appendFile(join(at('primary'), 'postgresql.conf'), "synchronous_standby_names = '*'\n");
  await ctl('primary', 'reload');
  const front = await startHaproxy(ports.front, haproxyDatabaseConfig(ports.front, [ports.primary, ports.standby]));
  return {
    url: `postgres://longshore@${host}:${ports.front}/longshore`,
    servers: [`${host}:${ports.primary}`, `${host}:${ports.standby}`],
    restart: async () => void (await ctl('primary', '-m', 'fast', 'restart')),
    async switchOver() {
      await ctl('primary', '-m', 'fast', 'stop');
      running.delete('primary');
      await ctl('standby', 'promote');
    },
    async switchFromSilent() {
      stopped = await processesOf(at('primary'));
      for (const pid of stopped) signalIfThere(pid, 'SIGSTOP');
      await ctl('standby', 'promote');
    },
    async formerComesBack() {
      for (const pid of stopped) signalIfThere(pid, 'SIGCONT');
      stopped = [];
      await ctl('standby', '-m', 'immediate', 'stop');
      running.delete('standby');
    },
    async close() {
      await front.close();
      for (const pid of stopped) signalIfThere(pid, 'SIGCONT');
      for (const name of running) await ctl(name, '-m', 'immediate', 'stop').catch(() => undefined);
      await rm(folder, { recursive: true, force: true });
      forget();
    },
  };
}
