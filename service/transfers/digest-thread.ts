import { setImmediate as nextTurn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { createDigester } from '#providers/digests.ts';
import type { DigestName, Digests } from '#providers/ports.ts';

/**
 * Digests of parts, made by a thread of their own: MD5 is the slowest thing that a delivery does, and callers of the API would
 * wait for it. One thread for all transfers of a process, started with the first part and ended when none has come for a while.
 */

export interface DigestRequest {
  readonly id: number;
  readonly names: readonly DigestName[];
  /** In shared memory, so that nothing is copied. */
  readonly pieces: readonly Uint8Array[];
}

export interface DigestAnswer {
  readonly id: number;
  readonly digests: Digests;
}

interface Waiting extends DigestRequest {
  readonly resolve: (digests: Digests | Promise<Digests>) => void;
}

/** Milliseconds without work after which the thread ends, and gives its memory back. */
const idleMilliseconds = 60_000;
/** It holds no bytes of its own. */
const resourceLimits = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 4 };

let thread: Worker | null = null;
let lastId = 0;
let idle: NodeJS.Timeout | undefined;
const waiting = new Map<number, Waiting>();

/**
 * Digests of bytes that lie in shared memory, one piece after the other. They are read until it resolves, whatever becomes of
 * the caller meanwhile.
 */
export function digestsByThread(names: readonly DigestName[], pieces: readonly Uint8Array[]): Promise<Digests> {
  clearTimeout(idle);
  const { promise, resolve } = Promise.withResolvers<Digests>();
  const request: DigestRequest = { id: ++lastId, names, pieces };
  waiting.set(request.id, { ...request, resolve });
  thread ??= startThread();
  thread.postMessage(request);
  return promise;
}

function startThread(): Worker {
  const worker = new Worker(new URL('./digest-worker.ts', import.meta.url), { resourceLimits, name: 'digests' });
  worker.on('message', ({ id, digests }: DigestAnswer) => {
    waiting.get(id)?.resolve(digests);
    waiting.delete(id);
    if (waiting.size === 0) idle = setTimeout(() => void worker.terminate(), idleMilliseconds).unref();
  });
  // What it was to do is done here: slower for everybody, and nothing fails for it.
  const ended = (): void => {
    if (thread !== worker) return;
    thread = null;
    for (const { names, pieces, resolve } of waiting.values()) resolve(digestsHere(names, pieces));
    waiting.clear();
  };
  worker.on('error', ended);
  worker.on('exit', ended);
  // It keeps no process from ending.
  worker.unref();
  return worker;
}

async function digestsHere(names: readonly DigestName[], pieces: readonly Uint8Array[]): Promise<Digests> {
  const digester = await createDigester(names);
  for (const piece of pieces) {
    digester.update(piece);
    // Others wait for this thread.
    await nextTurn();
  }
  return digester.digests();
}
