import { type ChildProcess, fork as forkNode } from 'node:child_process';
import { EventEmitter } from 'node:events';
import type { utilityProcess as real } from 'electron';

/**
 * Stands in for Electron's `utilityProcess` where its binary cannot run: a child of Node that has no channel of its own but a
 * `process.parentPort`, which utility-process-preload.ts gives it.
 */
class UtilityProcess extends EventEmitter {
  private readonly child: ChildProcess;
  pid: number | undefined;

  constructor(script: string, args: readonly string[] = [], { stdio }: { stdio?: unknown } = {}) {
    super();
    const preload = new URL('./utility-process-preload.ts', import.meta.url).href;
    const streams = stdio as readonly ('ignore' | 'inherit')[];
    this.child = forkNode(script, [...args], { execArgv: ['--import', preload], stdio: [...streams, 'ipc'] });
    this.child.on('spawn', () => {
      this.pid = this.child.pid;
      this.emit('spawn');
    });
    this.child.on('message', (message) => this.emit('message', message));
    this.child.on('exit', (code) => {
      this.pid = undefined;
      this.emit('exit', code);
    });
  }

  postMessage(message: object): void {
    this.child.send(message, () => undefined);
  }

  kill(): boolean {
    return this.child.kill('SIGTERM');
  }
}

export const utilityProcess = {
  fork: (...given: ConstructorParameters<typeof UtilityProcess>) => new UtilityProcess(...given),
} as unknown as Pick<typeof real, 'fork'>;
