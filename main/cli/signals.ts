/** What of a process matters to stopping. */
export interface StoppableProcess {
  on(event: 'SIGINT' | 'SIGTERM' | 'SIGHUP' | 'disconnect', listener: () => void): unknown;
  off(event: 'SIGINT' | 'SIGTERM' | 'SIGHUP' | 'disconnect', listener: () => void): unknown;
  exit(code: number): void;
  readonly connected?: boolean;
}

/** `npm run` passes a Ctrl-C on that the terminal has delivered already; so soon after it, it is the same. */
const sameKeyMilliseconds = 400;

export interface StopRequest {
  /** Resolves when somebody asks for an end, with what asked. */
  readonly asked: Promise<'SIGINT' | 'SIGTERM' | 'SIGHUP' | 'parent gone'>;
  /** Listens no more: signals mean what they always did. */
  release(): void;
}

/**
 * Listens for the wish to stop: SIGINT, SIGTERM, SIGHUP, and the end of a parent that started this process with an
 * IPC channel. A second signal ends the process at once, with 128 + the signal's number.
 */
export function stopRequest(target: StoppableProcess = process, now: () => number = () => performance.now()): StopRequest {
  const { promise, resolve } = Promise.withResolvers<'SIGINT' | 'SIGTERM' | 'SIGHUP' | 'parent gone'>();
  const numbers = { SIGINT: 2, SIGTERM: 15, SIGHUP: 1 } as const;
  let first: number | null = null;
  const onSignal = (signal: keyof typeof numbers) => () => {
    if (first === null) {
      first = now();
      resolve(signal);
    } else if (now() - first > sameKeyMilliseconds) {
      target.exit(128 + numbers[signal]);
    }
  };
  const listeners = { SIGINT: onSignal('SIGINT'), SIGTERM: onSignal('SIGTERM'), SIGHUP: onSignal('SIGHUP') };
  const onDisconnect = () => resolve('parent gone');
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) target.on(signal, listeners[signal]);
  if (target.connected) target.on('disconnect', onDisconnect);
  return {
    asked: promise,
    release() {
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) target.off(signal, listeners[signal]);
      target.off('disconnect', onDisconnect);
    },
  };
}
