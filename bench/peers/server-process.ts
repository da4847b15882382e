import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { cpuSecondsOf } from '../measure/processes.ts';

/** A peer's server. It ends with this process at the latest, also when this process is killed. */
interface ServerProcess {
  /** CPU time of all its processes so far. */
  cpuSeconds(): number;
  stop(): Promise<void>;
}

interface ServerProcessOptions {
  readonly program: string;
  readonly args: readonly string[];
  /** Its folder; its output is written to `output.txt` there. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  /** The server is ready when it answers here, with any status. */
  readonly url: string;
  readonly signal: AbortSignal;
}

/** The shell reads a pipe of ours. When the pipe closes, because of `stop` or because this process is gone, it ends the server. */
const guard = '"$@" <&- & server=$!; cat >/dev/null; kill "$server"; wait "$server"';
const patienceMilliseconds = 15_000;

export async function startServerProcess({ program, args, folder, env, url, signal }: ServerProcessOptions): Promise<ServerProcess> {
  signal.throwIfAborted();
  const outputFile = join(folder, 'output.txt');
  const output = openSync(outputFile, 'a');
  const child = spawn('/bin/sh', ['-c', guard, 'guard', program, ...args], {
    cwd: folder,
    env,
    stdio: ['pipe', output, output],
    // Ctrl-C must reach only this process, which then stops the server.
    detached: true,
  });
  closeSync(output);
  const ended = new Promise<void>((resolve, reject) => {
    child.once('exit', () => resolve());
    child.once('error', reject);
  });
  const stop = (): Promise<void> => stopServerProcess(child, ended);
  try {
    await answering(url, signal);
  } catch (cause) {
    await stop();
    signal.throwIfAborted();
    throw new Error(`${program} did not start: ${(await readFile(outputFile, 'utf8')).trim().slice(-2_000)}`, { cause });
  }
  return { cpuSeconds: () => cpuSecondsOf(child.pid!), stop };
}

async function answering(url: string, signal: AbortSignal): Promise<void> {
  const until = performance.now() + patienceMilliseconds;
  for (;;) {
    try {
      await (await fetch(url, { signal })).arrayBuffer();
      return;
    } catch (error) {
      if (signal.aborted || performance.now() > until) throw error;
      await sleep(25, undefined, { signal });
    }
  }
}

async function stopServerProcess(child: ChildProcess, ended: Promise<void>): Promise<void> {
  child.stdin?.on('error', () => undefined);
  child.stdin?.end();
  const hard = setTimeout(() => {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  }, patienceMilliseconds);
  await ended;
  clearTimeout(hard);
}
