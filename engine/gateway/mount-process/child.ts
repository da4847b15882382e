import { endProcess } from '#filesystem/end-process.ts';
import { nodeFileSystem } from '#filesystem/node-file-system.ts';
import { markedFileSystem } from './marked-file-system.ts';
import type { Beginning, FromMount, ToMount } from './messages.ts';
import { createMountWorker, type MountWorker } from './worker.ts';

/**
 * The process of one mount (engine/gateway/README.md): started by `start-process.ts`, and ends with whoever started it. In
 * the desktop app it is a utility process of Electron (main/electron/mount-process.ts), which has a port to its parent
 * instead of Node's channel, and is ended by the system with it.
 */

/** Milliseconds for a stop in order; a folder that does not answer would hold it for ever. */
const stopMs = 10_000;

interface ParentPort {
  postMessage(message: FromMount): void;
  on(event: 'message', listener: (event: { readonly data: ToMount }) => void): void;
}
const { parentPort } = process as { readonly parentPort?: ParentPort };

const send = (message: FromMount): void => {
  if (parentPort) parentPort.postMessage(message);
  else if (process.connected) process.send!(message, undefined, undefined, () => undefined);
};

const log = Object.fromEntries(
  (['debug', 'info', 'warn', 'error'] as const).map((level) => [
    level,
    (facts: object, message: string) => send({ type: 'log', level, facts, message }),
  ]),
) as Record<'debug' | 'info' | 'warn' | 'error', (facts: object, message: string) => void>;

let worker: MountWorker | null = null;
let stopping = false;

function stop(): void {
  if (stopping) return;
  stopping = true;
  setTimeout(endProcess, stopMs).unref();
  // What has just been said is on its way to the parent.
  void (worker?.close() ?? Promise.resolve()).finally(() => setImmediate(endProcess));
}

function workerFor(begin: Beginning): MountWorker {
  return createMountWorker(begin, {
    fileSystem: nodeFileSystem,
    send,
    openEngine: async (renewPackageToken) => {
      // Loaded when the first transfer comes: a mount at rest is a small process.
      send({ type: 'loading' });
      const { startEngine } = await import('../../start.ts').finally(() => send({ type: 'ready' }));
      return startEngine({
        dataDir: begin.dataDir,
        serviceUrl: begin.serviceUrl,
        version: begin.version,
        log,
        // The keychain may ask a person; this state is the mount's alone.
        secrets: 'vault',
        allowedRoots: [begin.root],
        renewPackageToken,
        servesMounts: false,
        fileSystem: markedFileSystem(begin, nodeFileSystem),
      });
    },
  });
}

function receive(message: ToMount): void {
  if (message.type === 'begin') {
    worker ??= workerFor(message);
    send({ type: 'ready' });
  } else if (message.type === 'stop') stop();
  else worker?.receive(message);
}

if (parentPort) parentPort.on('message', ({ data }) => receive(data));
else process.on('message', receive);
process.on('disconnect', stop);
// A terminal's Ctrl+C goes to all its processes: the agent decides when this one ends.
process.on('SIGINT', () => undefined);
