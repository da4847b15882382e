/** The part of `process` that stop requests need. */
interface StoppableProcess {
  on(event: 'SIGINT' | 'SIGTERM' | 'SIGHUP' | 'disconnect', listener: () => void): unknown;
  off(event: 'SIGINT' | 'SIGTERM' | 'SIGHUP' | 'disconnect', listener: () => void): unknown;
  readonly pid: number;
  kill(pid: number, signal: NodeJS.Signals): unknown;
  readonly connected?: boolean;
}

/**
 * `npm run` forwards a Ctrl-C that the terminal has already delivered. A second signal within this time counts as the
 * same key press.
 */
const sameKeyMilliseconds = 400;

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export interface StopRequest {
  /** Resolves on a stop request, with its source. */
  readonly asked: Promise<'SIGINT' | 'SIGTERM' | 'SIGHUP' | 'parent gone'>;
  /** Stops listening: signals have their default effect again. */
  release(): void;
}

/**
 * Listens for stop requests: SIGINT, SIGTERM, SIGHUP, and the end of a parent that started this process with an IPC
 * channel. A second signal ends the process at once, as if nobody listened to it: `process.exit` would wait for threads whose disk
 * does not answer.
 */
export function stopRequest(target: StoppableProcess = process, now: () => number = () => performance.now()): StopRequest {
  const { promise, resolve } = Promise.withResolvers<'SIGINT' | 'SIGTERM' | 'SIGHUP' | 'parent gone'>();
  let first: number | null = null;
  const release = (): void => {
    for (const signal of signals) target.off(signal, listeners[signal]);
    target.off('disconnect', onDisconnect);
  };
  const onSignal = (signal: (typeof signals)[number]) => () => {
    if (first === null) {
      first = now();
      resolve(signal);
    } else if (now() - first > sameKeyMilliseconds) {
      release();
      target.kill(target.pid, signal);
    }
  };
  const listeners = { SIGINT: onSignal('SIGINT'), SIGTERM: onSignal('SIGTERM'), SIGHUP: onSignal('SIGHUP') };
  const onDisconnect = () => resolve('parent gone');
  for (const signal of signals) target.on(signal, listeners[signal]);
  if (target.connected) target.on('disconnect', onDisconnect);
  return { asked: promise, release };
}
