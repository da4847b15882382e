import { chunkCount, digestOfChunks } from './chunks.ts';
import { lineDamages } from './damage.ts';
import { ServiceError, TransferError } from './errors.ts';
import { remedyFor } from './faults.ts';
import { singleCalls } from './file-calls.ts';
import type { ByteSource } from './ports.ts';
import { quickRetry, troubleOf, withRetries } from './retries.ts';
import { corrupted, sendChunks } from './upload-chunks.ts';
import { beginUpload } from './upload-create.ts';
import { countConfirmed, openUpload, withRestarts } from './upload-open.ts';
import { forget, takeOverConfirmed } from './upload-resume.ts';
import type { Creation, OpenedUpload, UploadedFile, UploadJob, UploadPorts } from './upload-types.ts';

export type * from './upload-types.ts';

/**
 * Uploads one file: create, begin, blueprints, chunks, finalize (contract/files-and-blueprints.md §1). Resumes from the
 * facts of an earlier run. Short network problems are retried here; every other failure is thrown for `remedyFor` to
 * classify, and a later call with the journal's facts resumes from there. Confirmed chunks are not sent again. When the
 * promise settles, no work is left running.
 */
export function uploadFile<S extends ByteSource>(ports: UploadPorts<S>, job: UploadJob<S>): Promise<UploadedFile> {
  return withRestarts(job, async (current) => {
    const opened = await openUpload(ports, current);
    if (opened.state === 'done') return opened.file;
    const { upload, isFresh } = opened;
    if (!isFresh) {
      countConfirmed(current, upload);
      // If all chunks are noted, finalizing checks them.
      if (upload.chunks.size < chunkCount(current.source.size, upload.chunkSize)) await takeOverConfirmed(ports, current, upload);
    }
    return sendAndFinalize(ports, current, upload);
  });
}

/** A file that was created just now. */
export type NewUpload = Exclude<Creation, { readonly state: 'done' }>;

/**
 * Begins the upload of a file that was created just now, where it has not begun, and sends its chunks. It is not
 * finalized, since one call can do that for many. Retries and failures as those of `uploadFile`, which can go on from the
 * journal's facts.
 */
export async function sendCreated<S extends ByteSource>(
  ports: UploadPorts<S>,
  job: UploadJob<S>,
  creation: NewUpload,
): Promise<OpenedUpload> {
  const upload =
    creation.state === 'opened'
      ? creation.upload
      : { ...(await beginUpload(ports, job, creation.upload, creation.createBlueprint)), chunks: new Map() };
  await sendChunks(ports, job, upload);
  return upload;
}

async function sendAndFinalize<S extends ByteSource>(
  ports: UploadPorts<S>,
  job: UploadJob<S>,
  upload: OpenedUpload,
): Promise<UploadedFile> {
  /** The storage's etags of wrong chunks; undefined where it has none. */
  const wrongBefore = new Map<number, string | undefined>();
  const trouble = troubleOf(ports);
  try {
    for (let failures = 1; ; failures++) {
      await sendChunks(ports, job, upload);
      try {
        const digest = await finalize(ports, job, upload);
        const file = { fileId: upload.fileId, digest };
        await job.journal.finalized(file);
        return file;
      } catch (error) {
        job.signal.throwIfAborted();
        if (remedyFor(error).kind !== 'restart_chunk') throw error;
        const wrong = await findWrong(ports, job, upload, error);
        if (wrong.size === 0)
          throw new TransferError('chunk_spoiled', `The service refuses to put the file together: ${(error as Error).message}`, {
            cause: error,
          });
        for (const [index, etag] of wrong) {
          if (wrongBefore.has(index) && wrongBefore.get(index) === etag) throw corrupted(index, error);
          wrongBefore.set(index, etag);
        }
        const damage = lineDamages(ports, error);
        const wait = quickRetry(damage, failures, ports.random);
        if (wait === null) throw damage;
        trouble.met(damage);
        await ports.sleep(wait, job.signal);
      }
    }
  } finally {
    trouble.over();
  }
}

async function finalize<S extends ByteSource>(ports: UploadPorts<S>, job: UploadJob<S>, upload: OpenedUpload): Promise<string> {
  const calls = ports.calls ?? singleCalls({ api: ports.api, packageId: job.packageId, signal: job.signal });
  const chunks = [...upload.chunks].sort(([a], [b]) => a - b);
  const digest = await digestOfChunks(
    ports.digest,
    chunks.map(([, chunk]) => chunk.blake3),
  );
  await withRetries(ports, job.signal, () =>
    calls.finalize(upload.fileId, {
      chunk_extras: chunks.map(([index, { etag }]) => ({ part_number: String(index + 1), etag })),
      file_extras: { upload_id: upload.uploadId, digest },
      size: job.source.size,
      chunk_size: upload.chunkSize,
    }),
  );
  return digest;
}

/**
 * The chunks behind a `chunk_wrong`, already removed from the facts: those that contradict the storage's list, so that
 * many wrong chunks cost only one more round; otherwise the one that the service names.
 */
async function findWrong<S extends ByteSource>(
  ports: UploadPorts<S>,
  job: UploadJob<S>,
  upload: OpenedUpload,
  error: unknown,
): Promise<ReadonlyMap<number, string | undefined>> {
  const contradicted = await takeOverConfirmed(ports, job, upload);
  if (contradicted.size > 0) return contradicted;
  const named = error instanceof ServiceError ? Number(error.details['chunk']) - 1 : Number.NaN;
  const etag = upload.chunks.get(named)?.etag;
  if (etag === undefined) return new Map();
  await forget(job, upload, [named]);
  return new Map([[named, etag]]);
}
