import { type BlueprintCache, createBlueprintCache } from './blueprint-cache.ts';
import { expandBlueprints } from './blueprint-template.ts';
import { chunkCount, chunkSlice } from './chunks.ts';
import { lineDamages } from './damage.ts';
import { TransferError } from './errors.ts';
import { confirms } from './etags.ts';
import { answerMayBeLost, remedyFor } from './faults.ts';
import { forEachConcurrent } from './for-each-concurrent.ts';
import type { ByteSource } from './ports.ts';
import { quickRetry, troubleOf, withRetries } from './retries.ts';
import { confirmedChunk } from './upload-resume.ts';
import type { ChunkFact, OpenedUpload, UploadJob, UploadPorts } from './upload-types.ts';

/** Enough to fill a line with a long round trip. The gate is shared by all files. */
const defaultConcurrency = 4;
const refusalsAtMost = 3;

/** Sends all unconfirmed chunks with limited concurrency, and adds each to the facts of the upload and of the journal. */
export async function sendChunks<S extends ByteSource>(ports: UploadPorts<S>, job: UploadJob<S>, upload: OpenedUpload): Promise<void> {
  const count = chunkCount(job.source.size, upload.chunkSize);
  const missing: number[] = [];
  for (let index = 0; index < count; index++) if (!upload.chunks.has(index)) missing.push(index);
  if (missing.length === 0) return;

  const cache = createBlueprintCache({
    end: missing.at(-1)! + 1,
    ...(upload.put ? { first: upload.put } : {}),
    now: ports.now,
    async fetch(start, count) {
      const answer = await withRetries(ports, job.signal, () =>
        ports.api.call('createChunkBlueprints', {
          params: { package_id: job.packageId, file_id: upload.fileId },
          query: { start, count, template: true },
          body: { upload_id: upload.uploadId },
          signal: job.signal,
        }),
      );
      return expandBlueprints(answer, count);
    },
  });
  await forEachConcurrent(Math.min(job.concurrency ?? defaultConcurrency, missing.length), missing, async (index, halted) => {
    const chunk = await sendChunk(ports, job, upload, cache, index, halted);
    upload.chunks.set(index, chunk);
    await job.journal.chunkSent(index, chunk);
  });
}

async function sendChunk<S extends ByteSource>(
  ports: UploadPorts<S>,
  job: UploadJob<S>,
  upload: OpenedUpload,
  cache: BlueprintCache,
  index: number,
  halted: () => boolean,
): Promise<ChunkFact> {
  const { source, signal } = job;
  const slice = chunkSlice(index, source.size, upload.chunkSize);
  const md5 = upload.chunkChecksum === 'md5';
  let failures = 0;
  let refusals = 0;
  let wrongBefore: string | null = null;
  const trouble = troubleOf(ports);
  try {
    return await attempts();
  } finally {
    trouble.over();
  }

  // Not `retryUntilDone`: refused blueprints are renewed at once and have a count of their own, and after a lost answer the
  // storage may already have the chunk, which ends the loop without another attempt.
  async function attempts(): Promise<ChunkFact> {
    for (;;) {
      let counted = 0;
      const onBytes = (bytes: number): void => {
        counted += bytes;
        job.onBytes(bytes);
      };
      try {
        const sent = await ports.gate(async () => {
          signal.throwIfAborted();
          if (halted()) throw new Error('Another chunk of this file has failed.');
          // Only after the gate admits the chunk: chunks may wait for long, and blueprints expire.
          const blueprint = await cache.take(index);
          signal.throwIfAborted();
          return ports.send(blueprint, source, slice, { md5, onBytes, signal });
        });
        if (!confirms(upload.chunkChecksum, sent)) {
          // A retry helps, unless the bytes are damaged in the same way each time.
          if (sent.etag === wrongBefore) throw corrupted(index);
          wrongBefore = sent.etag;
          throw mismatch(index);
        }
        if (counted !== slice.length) onBytes(slice.length - counted);
        return { etag: sent.etag, blake3: sent.blake3 };
      } catch (error) {
        if (counted !== 0) job.onBytes(-counted);
        signal.throwIfAborted();
        const remedy = remedyFor(error).kind;
        if (remedy === 'new_blueprints') {
          if (++refusals === refusalsAtMost) throw error;
          cache.discard();
        } else {
          const met = remedy === 'restart_chunk' ? lineDamages(ports, error) : error;
          const wait = quickRetry(met, ++failures, ports.random);
          if (wait === null) throw met;
          trouble.met(met);
          await ports.sleep(wait, signal);
          const confirmed = answerMayBeLost(error) ? await confirmedChunk(ports, job, upload, index) : null;
          if (confirmed) {
            job.onBytes(slice.length);
            return confirmed;
          }
        }
      }
    }
  }
}

function mismatch(index: number): TransferError {
  return new TransferError('chunk_mismatch', `What the storage received of part ${index + 1} is not what was sent.`);
}

/** The same damage twice is not random. */
export function corrupted(index: number, cause?: unknown): TransferError {
  return new TransferError(
    'chunk_spoiled',
    `Part ${index + 1} arrived at the storage with the same wrong bytes twice. Something on the way, or the storage's disk, always changes them. Try another network, and tell whoever runs the service.`,
    { cause },
  );
}
