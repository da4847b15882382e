import { fork } from 'node:child_process';
import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FromTransfers, ToTransfers } from './messages.ts';

/** The process for transfers, as the service sees it. */
export interface TransferChild {
  readonly pid: number | undefined;
  send(message: ToTransfers): void;
  /** Called once, right after the start. `exit` comes last, also where it could not be started. */
  listen(listeners: { readonly message: (message: FromTransfers) => void; readonly exit: (why: object) => void }): void;
  /** By force. */
  kill(): void;
}

/** Bytes for parts are outside of the heap, and bounded by themselves (part-memory.ts). */
const heapMegabytes = 256;
/** A large share for short-lived objects fills up without any need: 60 MB at the same CPU (docs/performance/deliveries.md). */
const semiSpaceMegabytes = 4;

export function forkTransfers(): TransferChild {
  // Node keeps what it has compiled in a folder of its version, and tells of that one.
  const cache = getCompileCacheDir();
  const child = fork(fileURLToPath(new URL('./child.ts', import.meta.url)), [], {
    execArgv: [...process.execArgv, `--max-old-space-size=${heapMegabytes}`, `--max-semi-space-size=${semiSpaceMegabytes}`],
    env: { ...process.env, ...(cache !== undefined && { NODE_COMPILE_CACHE: dirname(cache) }) },
    // Its log goes where the service's goes.
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  return {
    pid: child.pid,
    send(message) {
      if (child.connected) child.send(message, () => undefined);
    },
    listen({ message, exit }) {
      let isOver = false;
      const over = (why: object): void => {
        if (isOver) return;
        isOver = true;
        exit(why);
      };
      child.on('message', (data) => message(data as FromTransfers));
      child.on('error', (error) => {
        if (child.pid === undefined) over({ err: error });
      });
      child.on('exit', (code, signal) => over({ code, signal }));
    },
    kill: () => void child.kill('SIGKILL'),
  };
}
