import { chunkCount } from '#client/chunks.ts';
import type { FileCalls } from '#client/file-calls.ts';
import type { ChunkSender } from '#client/ports.ts';
import { uploadFile } from '#client/upload.ts';
import { type BrowserSource, createChunkSender, createSliceHasher } from './chunk-sender.ts';
import { type Item, journalOf } from './item.ts';
import { sharesRequest } from './many-sender.ts';
import { isSmall } from './queues.ts';
import type { SendingPorts } from './sending-types.ts';

/** Bytes. Of a file that is larger; the less of it, the less a broken connection costs. */
const chunkSize = 32 * 1024 * 1024;

export interface ItemToSend {
  readonly packageId: string;
  readonly item: Item;
  /** Calls that many files share; null where the service has none. */
  readonly calls: FileCalls | null;
  /** Sends small files many in a request, and holds to the gate by itself; null where the storage takes one by one. */
  readonly many: ChunkSender<BrowserSource> | null;
  readonly signal: AbortSignal;
}

/** Sends one item by what `client/` knows of uploads, from where its facts say that it stands. Rejects with what failed. */
export async function sendItem(ports: SendingPorts, { packageId, item, calls, many, signal }: ItemToSend): Promise<void> {
  const { api, fetcher, store, workers, gate, now, random } = ports;
  const shares = calls !== null && isSmall(item) && chunkCount(item.size, chunkSize) === 1;
  const inMany = shares && sharesRequest(item.size) ? many : null;
  item.sent = 0;
  const { digest } = await uploadFile(
    {
      api,
      ...(shares ? { calls } : {}),
      storage: fetcher,
      send: inMany ?? createChunkSender(workers),
      hashSlice: createSliceHasher(workers),
      digest: async (bytes) => (await workers.digest(bytes, false)).blake3,
      gate: inMany ? (work) => work() : gate,
      now,
      sleep: workers.sleep,
      random,
    },
    {
      packageId,
      file: {
        kind: item.kind,
        name: item.name,
        path: item.path,
        lastModified: new Date(item.lastModified).toISOString(),
        ...(item.size > chunkSize ? { chunkSize } : {}),
      },
      source: { size: item.size, file: item.file },
      facts: item.facts,
      journal: journalOf(store, packageId, item),
      signal,
      onBytes(count) {
        item.sent += count;
      },
    },
  );
  item.facts = { ...item.facts, digest };
}
