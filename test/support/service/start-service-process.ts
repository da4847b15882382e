import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { FirstRun } from '#service/accounts/first-start.ts';
import type { ServiceOptions } from '#service/server.ts';
import type { SkewedClock } from '../faults/skewed-clock.ts';

const program = fileURLToPath(new URL('./service-process.ts', import.meta.url));

export interface ServiceProcess {
  readonly child: ChildProcess;
  readonly url: string;
  readonly storageUrl: string;
  readonly firstRun?: FirstRun;
  /** By SIGKILL; resolves when it is gone. */
  kill(): Promise<void>;
  /** In order, by SIGTERM; resolves when it is gone. */
  stop(): Promise<void>;
}

/**
 * Starts a service in a process of its own (service-process.ts), by a clock that can be put (faults/skewed-clock.ts) where one
 * is given. Rejects with what the service says when it can't start.
 */
export async function startServiceProcess(
  options: Omit<ServiceOptions, 'listen' | 'storage' | 'now'>,
  clock?: SkewedClock,
): Promise<ServiceProcess> {
  const settings = { listen: { host: '127.0.0.1', port: 0 }, ...options };
  const child = spawn(process.execPath, [...(clock?.execArgv ?? []), program, JSON.stringify(settings)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...clock?.env },
  });
  const gone = once(child, 'exit');
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    child.kill(signal);
    await gone;
  };
  const line = once(createInterface(child.stdout!), 'line') as Promise<[string]>;
  const [text] = await Promise.race([line, gone.then(() => ['{"error":"The process ended at once."}'] as const)]);
  const answer = JSON.parse(text) as { url: string; storageUrl: string; firstRun?: FirstRun; error?: string };
  if (answer.error !== undefined) throw new Error(answer.error);
  return { child, ...answer, kill: () => end('SIGKILL'), stop: () => end('SIGTERM') };
}
