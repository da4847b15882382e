import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';

/** One measured run of a command, from its start to its end. */

export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  /** The whole environment, so that what this machine is set to changes nothing. */
  readonly env: Readonly<Record<string, string>>;
}

interface CommandCost {
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly peakBytes: number;
}

export interface CommandPorts {
  /** GNU time. */
  readonly time: string;
  /** A folder of our own. */
  readonly folder: string;
  readonly signal: AbortSignal;
}

/** A command that failed; the message ends with its output. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed';
}

/** How much of what a failing command said is kept. */
const keptOutput = 2_000;

/**
 * Runs it under GNU time, in a process group of its own, which the signal ends as a whole.
 *
 * @throws CommandFailed; the signal's reason
 */
export async function measureCommand({ program, args, env }: Command, { time, folder, signal }: CommandPorts): Promise<CommandCost> {
  signal.throwIfAborted();
  const report = join(folder, 'time.txt');
  const started = performance.now();
  const child = spawn(time, ['--quiet', '-f', '%U %S %M', '-o', report, program, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env,
    detached: true,
  });
  let output = '';
  const keep = (bytes: Buffer): void => {
    output = (output + bytes.toString()).slice(-keptOutput);
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  const stop = (): void => {
    if (child.pid !== undefined) endGroup(child.pid);
  };
  signal.addEventListener('abort', stop);
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    });
    const seconds = (performance.now() - started) / 1_000;
    signal.throwIfAborted();
    if (code !== 0) throw new CommandFailed(`${basename(program)} ended with ${code ?? 'a signal'}: ${output.trim() || 'it said nothing'}`);
    const [user, system, kilobytes] = (await readFile(report, 'utf8')).trim().split(' ').map(Number);
    return { seconds, cpuSeconds: user! + system!, peakBytes: kilobytes! * 1024 };
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

function endGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}
