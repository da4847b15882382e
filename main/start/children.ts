import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** The `longshore` command, run as a child process. */
const cli = fileURLToPath(new URL('../cli/longshore.js', import.meta.url));

/**
 * By default V8 gives short-lived objects up to 192 MiB (on a machine of 24 GiB), and a process fills that sooner or later
 * without any need. An agent with a smaller share has 45 MB less and, measured, the same speed and CPU. In the service it
 * also shortens the pauses that callers wait for (docs/performance/deliveries.md).
 *
 * Objects that live a little longer, as for each of thousands of small files, would grow to three times the memory in use
 * before a collection. In an agent they grow to 1.4 times, which takes another 50 MB off, for a tenth of the CPU of such
 * files (docs/decisions/0010). Node accepts that flag only on its command line, and the other also in NODE_OPTIONS, where
 * units and images set it.
 */
export const nodeFlags = { service: ['--max-semi-space-size=8'], agent: ['--max-semi-space-size=4', '--heap-growing-percent=40'] } as const;

/**
 * glibc gives each thread heaps of its own, which do not shrink: one for all takes 20 to 30 MB off an agent that has
 * moved thousands of small files, and costs no CPU (measured). Buffers of half a MiB and more lie outside of it, and go back
 * to the system when they are freed: after the first one glibc would put them amid the rest (another 10 to 20 MB). Other systems ignore both.
 *
 * In a service neither is more than runs differ by: after 30,000 small files 273 to 313 MB with them, 305 to 315 without.
 */
export const processEnv = { service: {}, agent: { MALLOC_ARENA_MAX: '1', MALLOC_MMAP_THRESHOLD_: '524288' } } as const;

/** Timeout for a child's clean shutdown. The child gives its own work 10 s. */
const patienceMilliseconds = 15_000;

export interface Child {
  readonly name: string;
  readonly pid: number | undefined;
  /** The child's address, once it is ready. Rejects with ChildFailed when the child exits before. */
  readonly ready: Promise<string>;
  /** Resolves at the child's exit, requested or not, with its exit code; `null` after a signal. */
  readonly ended: Promise<number | null>;
  /** Stops the child cleanly, and kills it after the timeout. */
  stop(): Promise<void>;
}

/** A child that exited before it was ready. It has printed the reason on stderr. */
export class ChildFailed extends Error {
  override readonly name = 'ChildFailed';
  readonly code: number;
  readonly retryable = false;

  constructor(name: string, exitCode: number | null) {
    super(`The ${name} could not be started.`);
    this.code = exitCode ?? 1;
  }
}

export interface ChildOptions {
  readonly name: 'service' | 'agent';
  readonly args: readonly string[];
  /** Added to this process's environment. */
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Starts `longshore service` or `longshore agent`. The child has its own process group, so that a Ctrl-C does not stop
 * all children at the same time; it also has an IPC channel, which closes when the parent is gone for any reason.
 */
export function startChild({ name, args, env = {} }: ChildOptions): Child {
  const child = spawn(process.execPath, [...nodeFlags[name], cli, name, ...args], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    detached: process.platform !== 'win32',
    env: { ...processEnv[name], ...process.env, ...env },
  });
  const ended = new Promise<number | null>((resolve) => {
    child.once('exit', (code) => resolve(code));
    child.once('error', () => resolve(null));
  });
  const ready = new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout! }).on('line', (line) => {
      const url = / is ready at (\S+)$/.exec(line)?.[1];
      if (url !== undefined) resolve(url);
    });
    void ended.then((code) => reject(new ChildFailed(name, code)));
  });
  // Avoids an unhandled rejection when nobody awaits `ready`.
  ready.catch(() => undefined);
  return { name, pid: child.pid, ready, ended, stop: () => stopChild(child, ended) };
}

async function stopChild(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  // Closing the channel is the stop request, on every platform.
  if (child.connected) child.disconnect();
  const hard = setTimeout(() => child.kill('SIGKILL'), patienceMilliseconds);
  await ended;
  clearTimeout(hard);
}
