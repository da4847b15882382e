import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AskedPages, PagesFacts } from './service-process.ts';

/** A service in a process of its own that serves the pages as they are now, with a Portal to send to. */
export interface PagesService extends PagesFacts {
  /** Throws away the stored bytes of all packages. */
  emptyStorage(): void;
  /** Throws away those of uploads that nobody has finalized. */
  emptyUploads(): void;
  stop(): Promise<void>;
}

/** @param folder of its own */
export async function startPagesService(folder: string, webDir: string, signal: AbortSignal): Promise<PagesService> {
  signal.throwIfAborted();
  // As root the service runs its PostgreSQL as another user, which needs to traverse this folder.
  if (process.getuid?.() === 0) chmodSync(folder, 0o711);
  const child = fork(fileURLToPath(new URL('service-process.ts', import.meta.url)), { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const stop = () => end(child);
  try {
    child.send({ folder, webDir } satisfies AskedPages);
    const ended = once(child, 'exit').then(() => [{ error: 'it ended by itself' }]);
    const [answer] = (await Promise.race([once(child, 'message', { signal }), ended])) as [PagesFacts | { error: string }];
    if ('error' in answer) throw new Error(`The service did not start: ${answer.error}`);
    return {
      ...answer,
      emptyStorage: () => empty(join(folder, 'objects', 'objects')),
      emptyUploads: () => empty(join(folder, 'objects', 'uploads')),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Of what lies in the shards of local storage. */
function empty(shards: string): void {
  for (const shard of readdirSync(shards)) {
    for (const name of readdirSync(join(shards, shard))) rmSync(join(shards, shard, name), { recursive: true, force: true });
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}
