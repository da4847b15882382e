import { chunkCount, chunkSlice } from './chunks.ts';
import { ServiceError, TransferError } from './errors.ts';
import { confirms } from './etags.ts';
import type { ByteSource } from './ports.ts';
import { withRetries } from './retries.ts';
import type { ChunkFact, OpenedUpload, UploadJob, UploadPorts } from './upload-types.ts';

/**
 * Asks the storage for its confirmed chunks and updates our facts. A chunk that the storage has but that is not noted
 * (the process died in between) is taken over if its etag is the digest of our bytes, which are read again here. A
 * noted chunk that the storage does not have, or has with other bytes, is dropped. Returns the dropped ones with the
 * storage's etags.
 */
export async function takeOverConfirmed<S extends ByteSource>(
  ports: UploadPorts<S>,
  job: UploadJob<S>,
  upload: OpenedUpload,
): Promise<ReadonlyMap<number, string | undefined>> {
  const held = await heldByStorage(ports, job, upload);
  const forgotten = new Map<number, string | undefined>();
  for (const [index, chunk] of upload.chunks) {
    if (held.get(index) !== chunk.etag) forgotten.set(index, held.get(index));
  }
  await forget(job, upload, [...forgotten.keys()]);
  for (const [index, etag] of held) {
    if (upload.chunks.has(index)) continue;
    const chunk = await ours(ports, job, upload, index, etag);
    if (!chunk) continue;
    upload.chunks.set(index, chunk);
    await job.journal.chunkSent(index, chunk);
    job.onBytes(sliceOf(job, upload, index).length);
  }
  return forgotten;
}

/** The fact of one chunk, if the storage has confirmed it although its answer was lost. */
export async function confirmedChunk<S extends ByteSource>(
  ports: UploadPorts<S>,
  job: UploadJob<S>,
  upload: OpenedUpload,
  index: number,
): Promise<ChunkFact | null> {
  const etag = (await heldByStorage(ports, job, upload)).get(index);
  return etag === undefined ? null : ours(ports, job, upload, index, etag);
}

/** Removes chunks from the facts, so that they are sent again. */
export async function forget<S extends ByteSource>(job: UploadJob<S>, upload: OpenedUpload, indexes: readonly number[]): Promise<void> {
  if (indexes.length === 0) return;
  for (const index of indexes) {
    if (upload.chunks.delete(index)) job.onBytes(-sliceOf(job, upload, index).length);
  }
  await job.journal.chunksForgotten(indexes);
}

/** Etags by index, of chunks that have the expected size. */
async function heldByStorage<S extends ByteSource>(
  ports: UploadPorts<S>,
  job: UploadJob<S>,
  upload: OpenedUpload,
): Promise<Map<number, string>> {
  const count = chunkCount(job.source.size, upload.chunkSize);
  const held = new Map<number, string>();
  for (const part of await listed(ports, job, upload)) {
    const index = Number(part.part_number) - 1;
    if (Number.isInteger(index) && index >= 0 && index < count && part.size === sliceOf(job, upload, index).length) {
      held.set(index, part.etag.replace(/^"(.*)"$/, '$1'));
    }
  }
  return held;
}

async function listed<S extends ByteSource>(ports: UploadPorts<S>, job: UploadJob<S>, upload: OpenedUpload) {
  try {
    return await withRetries(ports, job.signal, () =>
      ports.api.call('listUploadedChunks', {
        params: { package_id: job.packageId, file_id: upload.fileId },
        query: { upload_id: upload.uploadId },
        signal: job.signal,
      }),
    );
  } catch (error) {
    // The file was finalized but not noted, or was replaced or deleted: creating it again finds out which.
    if (error instanceof ServiceError && (error.error === 'state_conflict' || error.error === 'not_found')) {
      throw new TransferError('upload_gone', 'The unfinished upload of this file is gone from the service.', { cause: error });
    }
    throw error;
  }
}

/** The fact of a chunk if the storage holds our bytes; `null` where its etag cannot tell that. */
async function ours<S extends ByteSource>(
  ports: UploadPorts<S>,
  job: UploadJob<S>,
  upload: OpenedUpload,
  index: number,
  etag: string,
): Promise<ChunkFact | null> {
  if (upload.chunkChecksum === 'none') return null;
  const md5 = upload.chunkChecksum === 'md5';
  const digests = await ports.hashSlice(job.source, sliceOf(job, upload, index), { md5, signal: job.signal });
  return confirms(upload.chunkChecksum, { etag, ...digests }) ? { etag, blake3: digests.blake3 } : null;
}

function sliceOf<S extends ByteSource>(job: UploadJob<S>, upload: OpenedUpload, index: number) {
  return chunkSlice(index, job.source.size, upload.chunkSize);
}
