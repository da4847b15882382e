import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { cpuSecondsOf } from '../measure/processes.ts';

/** A peer's server. It lives no longer than this process, however that ends. */
export interface Guarded {
  /** CPU time of all its processes so far. */
  cpuSeconds(): number;
  stop(): Promise<void>;
}

export interface GuardedOptions {
  readonly program: string;
  readonly args: readonly string[];
  /** Its folder; what it says goes to `output.txt` there. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  /** Any answer there, whatever its status, means that it is ready. */
  readonly url: string;
  readonly signal: AbortSignal;
}

/** The shell holds our end of a pipe: when it closes, because we ask or because we are gone, the server is told to end. */
const guard = '"$@" <&- & server=$!; cat >/dev/null; kill "$server"; wait "$server"';
const patienceMilliseconds = 15_000;

export async function startGuarded({ program, args, folder, env, url, signal }: GuardedOptions): Promise<Guarded> {
  signal.throwIfAborted();
  const outputFile = join(folder, 'output.txt');
  const output = openSync(outputFile, 'a');
  const child = spawn('/bin/sh', ['-c', guard, 'guard', program, ...args], {
    cwd: folder,
    env,
    stdio: ['pipe', output, output],
    // A Ctrl-C is for us; we end it in order.
    detached: true,
  });
  closeSync(output);
  const ended = new Promise<void>((resolve, reject) => {
    child.once('exit', () => resolve());
    child.once('error', reject);
  });
  const stop = (): Promise<void> => stopGuarded(child, ended);
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

async function stopGuarded(child: ChildProcess, ended: Promise<void>): Promise<void> {
  child.stdin?.on('error', () => undefined);
  child.stdin?.end();
  const hard = setTimeout(() => {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  }, patienceMilliseconds);
  await ended;
  clearTimeout(hard);
}
