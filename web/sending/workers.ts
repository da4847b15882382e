import type { Pack, WorkerAnswer, WorkerTask } from './worker-tasks.ts';

/** In hex. */
export interface Digests {
  readonly blake3: string;
  readonly md5?: string;
}

export interface Workers {
  /** BLAKE3 (and MD5) of a blob, read in the worker. Rejects with the `DOMException` of a failed read. */
  hash(blob: Blob, md5: boolean, signal: AbortSignal): Promise<Digests>;
  /** The same for bytes in memory. */
  digest(bytes: Uint8Array, md5: boolean): Promise<Digests>;
  /** Reads small files in one call: their concatenated bytes, and the digest of each. */
  pack(files: readonly File[]): Promise<Pack>;
  /** A timer that is exact in a background page too. Rejects when the signal fires. */
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>;
  close(): void;
}

/** The task without its id. */
type Asked = WorkerTask extends infer T ? (T extends WorkerTask ? Omit<T, 'id'> : never) : never;
type Done = Extract<WorkerAnswer, { ok: true }>;

interface Waiting {
  readonly resolve: (answer: Done) => void;
  readonly reject: (error: unknown) => void;
}

/** Starts at most `most` workers, on first use. Each task is given to the worker with the fewest tasks. */
export function createWorkers(make: () => Worker, most: number): Workers {
  const pool: { readonly worker: Worker; readonly waiting: Map<number, Waiting> }[] = [];
  let nextId = 0;

  function start(): (typeof pool)[number] {
    const worker = make();
    const waiting = new Map<number, Waiting>();
    worker.onmessage = ({ data }: MessageEvent<WorkerAnswer>) => {
      const asked = waiting.get(data.id);
      waiting.delete(data.id);
      if (data.ok) asked?.resolve(data);
      else asked?.reject(new DOMException(data.message, data.name));
    };
    worker.onerror = (event) => {
      event.preventDefault();
      const failure = new Error(`A worker of this page does not start: ${event.message || 'it could not be loaded'}.`);
      for (const asked of waiting.values()) asked.reject(failure);
      waiting.clear();
      pool.splice(pool.indexOf(member), 1);
    };
    const member = { worker, waiting };
    pool.push(member);
    return member;
  }

  function idlest(): (typeof pool)[number] {
    const least = pool.reduce<(typeof pool)[number] | null>(
      (best, one) => (best === null || one.waiting.size < best.waiting.size ? one : best),
      null,
    );
    return least === null || (least.waiting.size > 0 && pool.length < most) ? start() : least;
  }

  function ask(task: Asked, signal?: AbortSignal): Promise<Done> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const { worker, waiting } = idlest();
      const id = nextId++;
      const stop = (): void => {
        if (!waiting.delete(id)) return;
        if (task.kind === 'hash') worker.postMessage({ id, kind: 'stop' } satisfies WorkerTask);
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', stop, { once: true });
      const settled = (): void => signal?.removeEventListener('abort', stop);
      waiting.set(id, {
        resolve(answer) {
          settled();
          resolve(answer);
        },
        reject(error) {
          settled();
          reject(error);
        },
      });
      worker.postMessage({ id, ...task } satisfies WorkerTask);
    });
  }

  return {
    async hash(blob, md5, signal) {
      return digestsIn(await ask({ kind: 'hash', blob, md5 }, signal));
    },
    digest: async (bytes, md5) => digestsIn(await ask({ kind: 'digest', bytes, md5 })),
    async pack(files) {
      const { pack } = await ask({ kind: 'pack', blob: new Blob([...files]), sizes: files.map(({ size }) => size) });
      return pack!;
    },
    async sleep(milliseconds, signal) {
      await ask({ kind: 'wait', milliseconds }, signal);
    },
    close() {
      for (const { worker } of pool.splice(0)) worker.terminate();
    },
  };
}

function digestsIn({ blake3, md5 }: Done): Digests {
  return { blake3: blake3!, ...(md5 === undefined ? {} : { md5 }) };
}
