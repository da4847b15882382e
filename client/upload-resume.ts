import { chunkCount, chunkSlice } from './chunks.ts';
import { MoveError, ServiceError } from './errors.ts';
import { confirms } from './etags.ts';
import type { ByteSource } from './ports.ts';
import { withRetries } from './retries.ts';
import type { BegunUpload, ChunkFact, UploadJob, UploadPorts } from './upload-types.ts';

/**
 * Asks the storage what it has confirmed, and brings our facts in line. A chunk that it has and we did not
 * note (we died in between) is taken over where its etag is the digest of our bytes, read again here. One
 * that we noted and it has not, or has otherwise, is forgotten. Gives the forgotten indexes.
 */
export async function takeOverConfirmed<S extends ByteSource>(
  ports: UploadPorts<S>,
  job: UploadJob<S>,
  upload: BegunUpload,
): Promise<readonly number[]> {
  const held = await heldByStorage(ports, job, upload);
  const forgotten: number[] = [];
  for (const [index, chunk] of upload.chunks) {
    if (held.get(index) !== chunk.etag) forgotten.push(index);
  }
  await forget(job, upload, forgotten);
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

/** The fact of one chunk, where the storage has confirmed it though its answer did not reach us. */
export async function confirmedChunk<S extends ByteSource>(
  ports: UploadPorts<S>,
  job: UploadJob<S>,
  upload: BegunUpload,
  index: number,
): Promise<ChunkFact | null> {
  const etag = (await heldByStorage(ports, job, upload)).get(index);
  return etag === undefined ? null : ours(ports, job, upload, index, etag);
}

/** Drops chunks from the facts, so that they go out again. */
export async function forget<S extends ByteSource>(job: UploadJob<S>, upload: BegunUpload, indexes: readonly number[]): Promise<void> {
  if (indexes.length === 0) return;
  for (const index of indexes) {
    if (upload.chunks.delete(index)) job.onBytes(-sliceOf(job, upload, index).length);
  }
  await job.journal.chunksForgotten(indexes);
}

/** Etags by index, of chunks that have the size they must have. */
async function heldByStorage<S extends ByteSource>(
  ports: UploadPorts<S>,
  job: UploadJob<S>,
  upload: BegunUpload,
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

async function listed<S extends ByteSource>(ports: UploadPorts<S>, job: UploadJob<S>, upload: BegunUpload) {
  try {
    return await withRetries(ports, job.signal, () =>
      ports.api.call('listUploadedChunks', {
        params: { package_id: job.packageId, file_id: upload.fileId },
        query: { upload_id: upload.uploadId },
        signal: job.signal,
      }),
    );
  } catch (error) {
    // Finalized though we did not note it, replaced, or deleted: creating it again finds out which.
    if (error instanceof ServiceError && (error.error === 'state_conflict' || error.error === 'not_found')) {
      throw new MoveError('upload_gone', 'The unfinished upload of this file is gone from the service.', { cause: error });
    }
    throw error;
  }
}

/** The fact of a chunk that the storage holds, where it holds our bytes; `null` where that cannot be told from its etag. */
async function ours<S extends ByteSource>(
  ports: UploadPorts<S>,
  job: UploadJob<S>,
  upload: BegunUpload,
  index: number,
  etag: string,
): Promise<ChunkFact | null> {
  if (upload.chunkChecksum === 'none') return null;
  const md5 = upload.chunkChecksum === 'md5';
  const digests = await ports.hashSlice(job.source, sliceOf(job, upload, index), { md5, signal: job.signal });
  return confirms(upload.chunkChecksum, { etag, ...digests }) ? { etag, blake3: digests.blake3 } : null;
}

function sliceOf<S extends ByteSource>(job: UploadJob<S>, upload: BegunUpload, index: number) {
  return chunkSlice(index, job.source.size, upload.chunkSize);
}
