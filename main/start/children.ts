import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** The `longshore` command, run as a process of its own. */
const cli = fileURLToPath(new URL('../cli/longshore.ts', import.meta.url));

/**
 * By default V8 gives short-lived objects up to 48 MiB, which an agent fills and never needs: a smaller share takes
 * 45 MB off its memory and, measured, no speed and no CPU. What lived a little longer, as each of thousands of small
 * files does, would pile up to three times what is in use before it is cleared: here to 1.4 times, which takes another
 * 50 MB off for a tenth of such files' CPU (docs/decisions/0010). Node takes both only from its command line.
 */
const nodeFlags = { service: [], agent: ['--max-semi-space-size=4', '--heap-growing-percent=40'] } as const;

/**
 * glibc gives each thread heaps of its own, which keep what they once had: one for all takes 20 to 30 MB off an agent
 * that has moved thousands of small files, and costs no CPU (measured). Other systems ignore it.
 */
const processEnv = { service: {}, agent: { MALLOC_ARENA_MAX: '1' } } as const;

/** How long a child may take to end by itself. It gives its own work 10 s. */
const patienceMilliseconds = 15_000;

export interface Child {
  readonly name: string;
  readonly pid: number | undefined;
  /** Its address, once it answers there. Rejects with ChildFailed when it ends before. */
  readonly ready: Promise<string>;
  /** Resolves when it has ended, asked or not, with its exit code; `null` after a signal. */
  readonly ended: Promise<number | null>;
  /** Lets it end in order; ends it hard when it does not. */
  stop(): Promise<void>;
}

/** A child that ended before it was ready. It has said why on stderr. */
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
  /** On top of the environment of this process. */
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Starts `longshore service` or `longshore agent`. It has a process group of its own, so that a Ctrl-C reaches it in
 * order and not all at once, and an IPC channel, whose end tells it that its parent is gone, however that came.
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
  // Whoever waits for it hears of a failure; nobody has to.
  ready.catch(() => undefined);
  return { name, pid: child.pid, ready, ended, stop: () => stopChild(child, ended) };
}

async function stopChild(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  // The end of the channel is the wish to stop, on every platform.
  if (child.connected) child.disconnect();
  const hard = setTimeout(() => child.kill('SIGKILL'), patienceMilliseconds);
  await ended;
  clearTimeout(hard);
}
