import { partRanges } from '#providers/parts.ts';
import type { CloudProvider, OpenUpload, StoredPart, UploadPlan } from '#providers/ports.ts';
import type { TransferMemory } from '../part-memory.ts';
import type { Content } from './content.ts';
import type { FileHash } from './file-hash.ts';
import { bufferedPart, streamedPart, twiceReadPart } from './part-bytes.ts';
import { createPartTasks } from './part-tasks.ts';

/** Bytes in buffers of a part that is streamed: a piece that is read, one that waits, one on the connection. */
const streamBytes = 3 * 1024 * 1024;

/** How a file is cut, where the provider leaves that to us: so that some parts fit into memory. */
export function wishedPartSize(plan: UploadPlan, { capacity }: Pick<TransferMemory, 'capacity'>): number {
  // Without a digest before its bytes, a part in order can be streamed: then a large one costs nothing.
  if (plan.order === 'ascending' && plan.partDigests.length === 0) return plan.usualPart;
  return Math.min(plan.usualPart, Math.floor(capacity / 4));
}

export interface PartsRequest {
  readonly provider: CloudProvider;
  readonly memory: TransferMemory;
  /** Parts at the same time. */
  readonly concurrency: number;
  readonly upload: OpenUpload;
  readonly content: Content;
  readonly hash: FileHash;
  readonly stored: (part: StoredPart) => void;
  readonly signal: AbortSignal;
}

/** Sends the parts that the provider does not have. Resolves to all of them, ascending. */
export async function sendParts({ provider, concurrency, upload, stored, signal, ...source }: PartsRequest): Promise<StoredPart[]> {
  const { plan } = provider;
  const { memory } = source;
  const { handle, layout } = upload;
  const parts = new Map(upload.stored.map((part) => [part.number, part]));
  const missing = [...partRanges(layout)].filter(({ number }) => !parts.has(number));
  const isBuffered = missing.every(({ size }) => size <= memory.capacity / 2);
  const isInOrder = (upload.order ?? plan.order) === 'ascending';
  const isStreamed = !isBuffered && isInOrder && plan.partDigests.length === 0;
  const tasks = createPartTasks(isInOrder ? 1 : concurrency, signal);
  const read = isBuffered ? bufferedPart : twiceReadPart;
  try {
    for (const range of missing) {
      const release = await memory.acquire(isBuffered ? range.size : Math.min(streamBytes, memory.capacity / 4), tasks.signal);
      let over = release;
      try {
        const { done, ...bytes } = isStreamed
          ? streamedPart(source, range, tasks.signal)
          : await read(source, range, plan.partDigests, tasks.signal);
        over = () => {
          done();
          release();
        };
        await tasks.start(async () => {
          try {
            const part = await provider.putPart({ handle, ...range, ...bytes }, tasks.signal);
            parts.set(part.number, part);
            stored(part);
          } finally {
            over();
          }
        });
      } catch (error) {
        over();
        throw error;
      }
    }
    await tasks.end();
  } catch (error) {
    await tasks.cancel(error);
    throw error;
  }
  return [...parts.values()].sort((one, other) => one.number - other.number);
}
