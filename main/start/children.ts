import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** The `longshore` command, run as a process of its own. */
const cli = fileURLToPath(new URL('../cli/longshore.ts', import.meta.url));

/** How long a child may take to end by itself. It gives its own work 10 s. */
const patienceMilliseconds = 15_000;

export interface Child {
  readonly name: string;
  readonly pid: number;
  readonly url: string;
  /** Resolves when it has ended, asked or not, with its exit code. */
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
  /** What it says besides the line that it is ready. */
  readonly onLine?: (line: string) => void;
}

/**
 * Starts `longshore service` or `longshore agent` and waits until it says that it is ready. It has a process group of
 * its own, so that a Ctrl-C reaches it in order and not all at once, and an IPC channel, whose end
 * tells it that its parent is gone, however that came.
 */
export async function startChild({ name, args, env = {}, onLine }: ChildOptions): Promise<Child> {
  const child = spawn(process.execPath, [cli, name, ...args], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    detached: process.platform !== 'win32',
    env: { ...process.env, ...env },
  });
  const ended = new Promise<number | null>((resolve) => {
    child.once('exit', (code) => resolve(code));
    child.once('error', () => resolve(null));
  });
  const ready = Promise.withResolvers<string>();
  createInterface({ input: child.stdout! }).on('line', (line) => {
    const url = / is ready at (\S+)$/.exec(line)?.[1];
    if (url === undefined) onLine?.(line);
    else ready.resolve(url);
  });
  const stop = () => stopChild(child, ended);
  const outcome = await Promise.race([ready.promise.then((url) => ({ url })), ended.then((code) => ({ code }))]);
  if ('code' in outcome) throw new ChildFailed(name, outcome.code);
  return { name, pid: child.pid!, url: outcome.url, ended, stop };
}

async function stopChild(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  // The end of the channel is the wish to stop, on every platform.
  if (child.connected) child.disconnect();
  const hard = setTimeout(() => child.kill('SIGKILL'), patienceMilliseconds);
  await ended;
  clearTimeout(hard);
}
