import {
  batchPutLimits,
  createBatchingSender as createSenderOf,
  type BatchingSenderPorts as PortsOf,
  progressByPart,
} from '#client/batch-put.ts';
import type { ChunkSender } from '#client/ports.ts';
import { batchPutAddress, batchPutHead } from '#protocol/storage/batch-put.ts';
import { batchContentType } from '#protocol/storage/requests.ts';
import { type BrowserSource, fileOf } from './chunk-sender.ts';
import { transmit } from './transmit.ts';
import type { Workers } from './workers.ts';

interface BatchingSenderPorts extends Pick<PortsOf<BrowserSource>, 'gate' | 'url' | 'signal' | 'linger'> {
  readonly workers: Workers;
}

/** Whether a file is small enough for a batch. */
export const fitsInBatch = (size: number): boolean => size <= batchPutLimits.partBytes;

/**
 * Sends small files in batches, since each request costs a browser some milliseconds regardless of its size. A worker
 * reads all files of a batch at once and computes each digest; the bytes that were read are the bytes that are sent.
 * Where a file cannot be read, or the storage does not support batches, each file is sent by `single`.
 */
export function createBatchingSender(
  { workers, ...ports }: BatchingSenderPorts,
  single: ChunkSender<BrowserSource>,
): ChunkSender<BrowserSource> {
  const send = createSenderOf<BrowserSource>({
    ...ports,
    single,
    async put(url, parts, signal) {
      const files = parts.map(({ source }) => fileOf(source));
      const read = await workers.pack(files).catch(() => null);
      if (read === null || read.bytes.byteLength !== files.reduce((sum, { size }) => sum + size, 0)) {
        return { blake3: parts.map(() => null), text: '' };
      }
      const named = parts.map(({ blueprint, slice }) => ({ blueprint, length: slice.length }));
      const head = new TextEncoder().encode(batchPutHead(named));
      const { text } = await transmit({
        method: 'POST',
        url: batchPutAddress(url, named),
        headers: { 'content-type': batchContentType },
        body: new Blob([head, read.bytes]),
        onBytes: progressByPart(parts, head.length),
        signal,
      });
      return { blake3: read.blake3, text };
    },
  });
  return async (blueprint, source, slice, options) => {
    // A file that must be chosen again must not fail the others.
    fileOf(source);
    return send(blueprint, source, slice, options);
  };
}
