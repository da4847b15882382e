/// <reference lib="webworker" />
import { createBLAKE3, createMD5, type IHasher } from 'hash-wasm';
import type { Pack, WorkerAnswer, WorkerTask } from './worker-tasks.ts';

/**
 * Computes digests outside the page's main thread. It also runs timers: a page in the background is woken once a minute
 * at most, but its workers are not throttled.
 */
declare const self: DedicatedWorkerGlobalScope;

const stopped = new Set<number>();
let blake3: Promise<IHasher> | null = null;
let md5: Promise<IHasher> | null = null;
/** Hashers are reused, so digests are computed one after the other. */
let last: Promise<unknown> = Promise.resolve();

self.onmessage = ({ data: task }: MessageEvent<WorkerTask>) => {
  switch (task.kind) {
    case 'stop':
      stopped.add(task.id);
      break;
    case 'wait':
      setTimeout(() => answer({ id: task.id, ok: true }), task.milliseconds);
      break;
    case 'digest':
      last = last.then(() => settle(task.id, () => digestOfBytes(task.bytes, task.md5)));
      break;
    case 'hash':
      last = last.then(() => settle(task.id, () => digestOfBlob(task.blob, task.md5, task.id)));
      break;
    case 'pack':
      last = last.then(() => settle(task.id, async () => ({ pack: await packOf(task.blob, task.sizes) })));
      break;
  }
};

async function settle(id: number, work: () => Promise<Digests | { readonly pack: Pack }>): Promise<void> {
  try {
    if (!stopped.has(id)) answer({ id, ok: true, ...(await work()) });
  } catch (error) {
    answer({
      id,
      ok: false,
      name: error instanceof Error ? error.name : 'Error',
      message: error instanceof Error ? error.message : String(error),
    });
  }
  stopped.delete(id);
}

interface Digests {
  blake3: string;
  md5?: string;
}

async function hashers(wantsMd5: boolean): Promise<IHasher[]> {
  blake3 ??= createBLAKE3();
  if (wantsMd5) md5 ??= createMD5();
  const wanted = wantsMd5 ? [await blake3, await md5!] : [await blake3];
  for (const hasher of wanted) hasher.init();
  return wanted;
}

function end([first, second]: readonly IHasher[]): Digests {
  return { blake3: first!.digest('hex'), ...(second ? { md5: second.digest('hex') } : {}) };
}

async function digestOfBytes(bytes: Uint8Array, wantsMd5: boolean): Promise<Digests> {
  const wanted = await hashers(wantsMd5);
  for (const hasher of wanted) hasher.update(bytes);
  return end(wanted);
}

/** Reads by the browser's stream: reading slice by slice costs half as much again. */
async function digestOfBlob(blob: Blob, wantsMd5: boolean, id: number): Promise<Digests> {
  const wanted = await hashers(wantsMd5);
  const reader = blob.stream().getReader();
  let length = 0;
  try {
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      if (stopped.has(id)) throw new DOMException('This digest is not wanted any more.', 'AbortError');
      length += piece.value.length;
      for (const hasher of wanted) hasher.update(piece.value);
    }
  } catch (error) {
    void reader.cancel().catch(() => undefined);
    if (!stopped.has(id)) await refusalOf(blob);
    throw error;
  }
  if (length !== blob.size) throw new DOMException('The file is shorter than it was.', 'NotReadableError');
  return end(wanted);
}

/** A broken stream does not give the reason. A read of the same bytes does: it rejects with its `DOMException`. */
async function refusalOf(blob: Blob): Promise<void> {
  if (blob.size > 0) await blob.slice(0, 1).arrayBuffer();
}

/** For small files one read of all costs as much as a read of one. */
async function packOf(blob: Blob, sizes: readonly number[]): Promise<Pack> {
  const bytes = await blob.arrayBuffer();
  const [hasher] = await hashers(false);
  let at = 0;
  const blake3 = sizes.map((size) => {
    hasher!.init();
    hasher!.update(new Uint8Array(bytes, at, size));
    at += size;
    return hasher!.digest('hex');
  });
  return { bytes, blake3 };
}

function answer(message: WorkerAnswer): void {
  // The bytes of a pack are transferred, not copied.
  self.postMessage(message, message.ok && message.pack ? [message.pack.bytes] : []);
}
