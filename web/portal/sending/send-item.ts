import { chunkCount } from '#client/chunks.ts';
import type { FileCalls } from '#client/file-calls.ts';
import { uploadFile } from '#client/upload.ts';
import { createChunkSender, createSliceHasher } from './chunk-sender.ts';
import { type Item, journalOf } from './item.ts';
import { isSmall } from './queues.ts';
import type { SendingPorts } from './sending-types.ts';

/** Bytes. Of a file that is larger; the less of it, the less a broken connection costs. */
const chunkSize = 32 * 1024 * 1024;

export interface ItemToSend {
  readonly packageId: string;
  readonly item: Item;
  /** Calls that many files share; null where the service has none. */
  readonly calls: FileCalls | null;
  readonly signal: AbortSignal;
}

/** Sends one item by what `client/` knows of uploads, from where its facts say that it stands. Rejects with what failed. */
export async function sendItem(ports: SendingPorts, { packageId, item, calls, signal }: ItemToSend): Promise<void> {
  const { api, fetcher, store, workers, gate, now, random } = ports;
  const shares = calls !== null && isSmall(item) && chunkCount(item.size, chunkSize) === 1;
  item.sent = 0;
  const { digest } = await uploadFile(
    {
      api,
      ...(shares ? { calls } : {}),
      storage: fetcher,
      send: createChunkSender(workers),
      hashSlice: createSliceHasher(workers),
      digest: async (bytes) => (await workers.digest(bytes, false)).blake3,
      gate,
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
