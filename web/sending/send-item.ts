import { type ChunkBounds, chunkSizeFor } from '#client/chunks.ts';
import type { DamageCount } from '#client/damage.ts';
import type { FileCalls } from '#client/file-calls.ts';
import type { ChunkSender } from '#client/ports.ts';
import { uploadFile } from '#client/upload.ts';
import { fitsInBatch } from './batching-sender.ts';
import { type BrowserSource, createChunkSender, createSliceHasher } from './chunk-sender.ts';
import { countMoves, type Item, journalOf, noFacts } from './item.ts';
import { isSmall } from './queues.ts';
import type { SendingPorts } from './sending-types.ts';

interface ItemToSend {
  readonly packageId: string;
  readonly item: Item;
  /** Batch calls; null where the service has none. */
  readonly calls: FileCalls | null;
  /** Sends small files in batches and respects the gate by itself; null where the storage does not support batches. */
  readonly batchingSender: ChunkSender<BrowserSource> | null;
  readonly signal: AbortSignal;
  /** Counts the package's damaged chunks. */
  readonly damages: DamageCount;
  /** Called for a failure that is retried at once. */
  readonly onTrouble: (fault: unknown) => void;
  /** Called when the item's `sent` has grown. */
  readonly onMove: () => void;
  /** The limits from which the chunk size is chosen at the start. */
  readonly bounds: () => ChunkBounds;
}

/** Sends one item with `client/`'s upload, resuming from its facts. Rejects with the failure. */
export async function sendItem(
  ports: SendingPorts,
  { packageId, item, calls, batchingSender, bounds, signal, damages, onTrouble, onMove }: ItemToSend,
): Promise<void> {
  const { api, fetcher, store, workers, gate, now, random } = ports;
  const shares = calls !== null && isSmall(item);
  const inBatch = shares && fitsInBatch(item.size) ? batchingSender : null;
  await uploadFile(
    {
      api,
      ...(shares ? { calls } : {}),
      storage: fetcher,
      send: inBatch ?? createChunkSender(workers),
      hashSlice: createSliceHasher(workers),
      digest: async (bytes) => (await workers.digest(bytes, false)).blake3,
      gate: inBatch ? (work) => work() : gate,
      now,
      sleep: workers.sleep,
      random,
      damages,
      trouble(fault) {
        onTrouble(fault);
        return () => undefined;
      },
    },
    {
      packageId,
      file: {
        kind: item.kind,
        name: item.name,
        path: item.path,
        lastModified: new Date(item.lastModified).toISOString(),
        ...(isSmall(item) ? {} : { chunkSize: chunkSizeFor(item.size, bounds()) }),
      },
      source: { size: item.size, file: item.file },
      facts: item.facts.state === 'finalized' ? noFacts : item.facts,
      journal: journalOf(store, packageId, item),
      signal,
      onBytes: countMoves(item, onMove),
    },
  );
}
