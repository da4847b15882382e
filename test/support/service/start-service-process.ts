import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { FirstRun } from '#service/accounts/first-start.ts';
import type { ServiceOptions } from '#service/server.ts';
import type { SkewedClock } from '../faults/skewed-clock.ts';
import { eventually, type ProcessFacts, processesWith } from '../system/processes.ts';

const program = fileURLToPath(new URL('./service-process.ts', import.meta.url));

/** Of all services that run. None where there is no /proc. */
export const transferProcesses = (): Promise<ProcessFacts[]> => processesWith('/service/transfers/process/child.ts').catch(() => []);

export interface ServiceProcess {
  readonly child: ChildProcess;
  readonly url: string;
  readonly storageUrl: string;
  readonly firstRun?: FirstRun;
  /** By SIGKILL; resolves when it is gone, and its process for transfers has ended by itself. */
  kill(): Promise<void>;
  /** In order, by SIGTERM; resolves when it is gone. */
  stop(): Promise<void>;
}

/**
 * Starts a service in a process of its own (service-process.ts), by a clock that can be put (faults/skewed-clock.ts) where one
 * is given. Rejects with what the service says when it can't start.
 */
export async function startServiceProcess(
  options: Omit<ServiceOptions, 'listen' | 'storage' | 'now'> & Partial<Pick<ServiceOptions, 'listen'>>,
  clock?: SkewedClock,
): Promise<ServiceProcess> {
  const settings = { listen: { host: '127.0.0.1', port: 0 }, ...options, ...(options.roles && { roles: [...options.roles] }) };
  const child = spawn(process.execPath, [...(clock?.execArgv ?? []), program, JSON.stringify(settings)], {
    // It ends with this process, by its standard input.
    stdio: ['pipe', 'pipe', 'inherit'],
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
  const kill = async (): Promise<void> => {
    const left = (await transferProcesses()).filter(({ parent }) => parent === child.pid).map(({ pid }) => pid);
    await end('SIGKILL');
    if (left.length === 0) return;
    await eventually('its process for transfers is gone', async () => (await transferProcesses()).every(({ pid }) => !left.includes(pid)));
  };
  return { child, ...answer, kill, stop: () => end('SIGTERM') };
}
