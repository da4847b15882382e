import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '#main/start/ports.ts';
import { openClamd } from '#service/viruses/clamd.ts';
import { installPackage } from '../system/install-package.ts';
import { eventually } from '../system/processes.ts';
import { tempFolder } from '../system/temp-folder.ts';

const program = '/usr/sbin/clamd';
export const hasClamd = (): boolean => existsSync(program);

/**
 * Sees to it that ClamAV's daemon is there: finds it, or on Debian and its kin installs it when this user may.
 *
 * @returns null when it is there, else why not, as a sentence
 */
export function bringClamd(say: (text: string) => void): string | null {
  if (hasClamd()) return null;
  const why = 'The tests of scanning for viruses are skipped: there is no clamd here';
  say('There is no clamd here: installing it for the tests of scanning for viruses.');
  const problem = installPackage('clamav-daemon');
  if (problem) return `${why}, ${problem}.`;
  return hasClamd() ? null : `${why}, even after installing the package clamav-daemon.`;
}

/** What the test's only signature finds: harmless, and nobody else's scanner knows it. */
export const testVirus = 'LONGSHORE-TEST-VIRUS-IT-HARMS-NOBODY-5c1e';
export const testVirusName = 'Longshore.Test.UNOFFICIAL';

export interface RunningClamd {
  readonly url: string;
  readonly socket: string;
  /** Kills it at once; `start` has it listen at the same addresses again. */
  kill(): Promise<void>;
  start(): Promise<void>;
  /** From now on it takes connections and says nothing, until it goes on. */
  hang(): void;
  goOn(): void;
  close(): Promise<void>;
}

/** Bytes: small, so that tests reach them. */
export const clamdLimits = { maxFileSize: 512 * 1024, streamMaxLength: 1024 * 1024 };

/** Starts clamd with a signature of our own, in a folder and process of its own; both go with `close`. */
export async function startClamd(): Promise<RunningClamd> {
  const folder = await tempFolder();
  const port = await freePort(0);
  const [database, socket, log] = ['db', 'socket', 'log'].map((name) => join(folder.path, name)) as [string, string, string];
  await mkdir(database);
  await writeFile(join(database, 'test.ndb'), `Longshore.Test:0:*:${Buffer.from(testVirus).toString('hex')}\n`);
  const settings = [
    'Foreground yes',
    `DatabaseDirectory ${database}`,
    `LocalSocket ${socket}`,
    'TCPAddr 127.0.0.1',
    `TCPSocket ${port}`,
    `LogFile ${log}`,
    `TemporaryDirectory ${folder.path}`,
    `StreamMaxLength ${clamdLimits.streamMaxLength}`,
    `MaxFileSize ${clamdLimits.maxFileSize}`,
    'AlertExceedsMax yes',
    'ConcurrentDatabaseReload no',
    'SelfCheck 0',
    // As root it would become another user, who may not read the folder.
    ...(process.getuid?.() === 0 ? ['User root'] : []),
  ];
  await writeFile(join(folder.path, 'clamd.conf'), `${settings.join('\n')}\n`);
  let child: ChildProcess | null = null;
  const kill = async (): Promise<void> => {
    if (child && child.exitCode === null && child.signalCode === null) {
      const exit = once(child, 'exit');
      child.kill('SIGKILL');
      await exit;
    }
    child = null;
  };
  const start = async (): Promise<void> => {
    const started = spawn(program, ['-c', join(folder.path, 'clamd.conf')], { stdio: 'ignore' });
    child = started;
    const scanner = openClamd({ host: '127.0.0.1', port });
    await eventually('clamd answers', async () => {
      if (started.exitCode !== null) throw new Error(`clamd did not start: ${await readFile(log, 'utf8').catch(() => 'no log')}`);
      return await scanner.version(AbortSignal.timeout(5_000)).then(
        () => true,
        () => false,
      );
    });
  };
  const close = async (): Promise<void> => {
    await kill();
    await folder.remove();
  };
  await start().catch(async (error: unknown) => {
    await close();
    throw error;
  });
  const hang = (): void => void child!.kill('SIGSTOP');
  const goOn = (): void => void child!.kill('SIGCONT');
  return { url: `tcp://127.0.0.1:${port}`, socket, kill, start, hang, goOn, close };
}
