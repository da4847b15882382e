import { Worker } from 'node:worker_threads';

/** What the thread is told. */
interface Ending {
  readonly milliseconds: number;
  /** One line, for standard error. */
  readonly line: string;
}

/**
 * Ends this process by SIGKILL after so long, unless that is taken back, and says `line` on standard error. A thread of its own does
 * it: while the event loop stands in a call about a disk that does not answer, no timer of that loop comes.
 *
 * @returns takes it back
 */
export function endProcessAfter(milliseconds: number, line: string): () => void {
  const worker = new Worker(`(${end})()`, {
    ...{ eval: true, name: 'end-process', env: {}, execArgv: [] },
    workerData: { milliseconds, line } satisfies Ending,
  });
  worker.unref();
  // A system that can start no further thread still has the timers of the event loop.
  worker.on('error', () => undefined);
  return () => void worker.terminate();
}

/** Runs from its source text, as a module would load 40 MB into its thread. So it uses nothing outside of itself. */
function end(): void {
  const { Worker: Thread, workerData } = process.getBuiltinModule('node:worker_threads');
  const { milliseconds, line } = workerData as Ending;
  setTimeout(() => {
    // Standard error may be a file on that disk, so another thread waits for it.
    const write = `process.getBuiltinModule('node:fs').writeSync(2, ${JSON.stringify(`${line}\n`)}); process.kill(process.pid, 'SIGKILL')`;
    new Thread(write, { eval: true, env: {}, execArgv: [] });
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), 1_000);
  }, milliseconds);
}
