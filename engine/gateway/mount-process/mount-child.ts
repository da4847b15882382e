import { fork } from 'node:child_process';
import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FromMount, ToMount } from './messages.ts';

/** The process of a mount, as whoever has started it sees it. */
export interface MountChild {
  /** Undefined until it has been started. */
  readonly pid: number | undefined;
  /** False where it can be told nothing any more. */
  send(message: ToMount): boolean;
  /** Called once, right after the start. */
  listen(listeners: MountChildListeners): void;
  /**
   * Ends it by force; nothing is heard of it any more. One that waits in the kernel for its disk ends when that answers;
   * nobody waits for it.
   */
  abandon(): void;
}

export interface MountChildListeners {
  readonly message: (message: FromMount) => void;
  readonly error: (error: unknown) => void;
  /** It has ended; `why` is for the log. */
  readonly exit: (why: object) => void;
}

/**
 * Starts one as a child of Node, which runs TypeScript as it is; from a bundle it is a script of its own
 * (main/electron/build.ts). The desktop app starts its own (main/electron/mount-process.ts).
 */
export function forkMount(): MountChild {
  const entry = import.meta.url.endsWith('.ts') ? './child.ts' : './mount-process.js';
  // Node keeps what it has compiled in a folder of its version, and tells of that one.
  const compiled = getCompileCacheDir();
  const child = fork(fileURLToPath(new URL(entry, import.meta.url)), [], {
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    ...(compiled === undefined ? {} : { env: { ...process.env, NODE_COMPILE_CACHE: dirname(compiled) } }),
  });
  return {
    pid: child.pid,
    send(message) {
      if (!child.connected) return false;
      child.send(message, () => undefined);
      return true;
    },
    listen({ message, error, exit }) {
      child.on('message', (data) => message(data as FromMount));
      child.on('error', error);
      child.on('exit', (code, signal) => exit({ code, signal }));
    },
    abandon() {
      child.removeAllListeners();
      child.on('error', () => undefined);
      child.kill('SIGKILL');
      if (child.connected) child.disconnect();
      child.unref();
    },
  };
}
