import { execFile } from 'node:child_process';
import { readFile, realpath, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Log } from '../log.ts';
import { StartError } from '../start-error.ts';

const run = promisify(execFile);

/** Prefix of the temporary folder that holds the private PostgreSQL's socket. */
export const socketFolderPrefix = 'longshore-pg-';

interface PidFile {
  readonly pid: number;
  readonly port: number;
  /** Empty if it listens on no socket. */
  readonly socketFolder: string;
}

/** The content of `postmaster.pid` (its lines: pid, data folder, start time, port, socket folder, …). */
export async function readPidFile(dataFolder: string): Promise<PidFile | null> {
  const text = await readFile(join(dataFolder, 'postmaster.pid'), 'utf8').catch(() => null);
  const lines = text?.split('\n') ?? [];
  const pid = Number(lines[0]);
  return Number.isSafeInteger(pid) && pid > 1 ? { pid, port: Number(lines[3]), socketFolder: lines[4] ?? '' } : null;
}

const commandLine = async (pid: number): Promise<string> => {
  if (process.platform === 'linux') return (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).replaceAll('\0', ' ');
  if (process.platform === 'win32') return (await run('tasklist', ['/FI', `PID eq ${pid}`]).catch(() => ({ stdout: '' }))).stdout;
  return (await run('ps', ['-o', 'command=', '-p', String(pid)]).catch(() => ({ stdout: '' }))).stdout;
};

/** Whether the process is a postmaster of this folder, and not another process that reused its pid. */
async function isPostmasterOf(pid: number, dataFolder: string): Promise<boolean> {
  const line = await commandLine(pid);
  if (process.platform === 'win32') return line.includes('postgres');
  const folders = [dataFolder, await realpath(dataFolder).catch(() => dataFolder)];
  return line.includes('postgres') && folders.some((folder) => line.includes(`-D ${folder} `));
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // The process is gone already, as intended.
  }
}

/**
 * Ends a PostgreSQL that an earlier service left behind on this folder, because the service was killed together with
 * its supervisor. The caller holds the data folder's lock, so nobody else can be using it.
 */
export async function endOrphan(dataFolder: string, log: Log): Promise<void> {
  const found = await readPidFile(dataFolder);
  if (!found) return;
  if (await isPostmasterOf(found.pid, dataFolder)) {
    log.warn({ pid: found.pid }, 'ending the PostgreSQL that an earlier service left behind');
    // Fast shutdown, then immediate; never SIGKILL, which would leave its workers running on the files.
    for (const [name, patience] of [
      ['SIGINT', 20_000],
      ['SIGQUIT', 10_000],
    ] as const) {
      signal(found.pid, name);
      const until = Date.now() + patience;
      while (Date.now() < until && (await isPostmasterOf(found.pid, dataFolder))) await sleep(20);
    }
    if (await isPostmasterOf(found.pid, dataFolder)) {
      throw new StartError(
        'database_cannot_start',
        `A PostgreSQL (process ${found.pid}) is using ${dataFolder} and does not end. End it, then start again.`,
        { retryable: true },
      );
    }
  }
  if (basename(found.socketFolder).startsWith(socketFolderPrefix)) await rm(found.socketFolder, { recursive: true, force: true });
}
