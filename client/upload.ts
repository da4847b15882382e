import { chunkCount, chunkSlice, digestOfChunks } from './chunks.ts';
import { MoveError, ServiceError } from './errors.ts';
import { remedyFor } from './faults.ts';
import { singleCalls } from './file-calls.ts';
import type { ByteSource } from './ports.ts';
import { withRetries } from './retries.ts';
import { sendChunks, spoiled } from './upload-chunks.ts';
import { beginUpload, createFile } from './upload-create.ts';
import { forget, takeOverConfirmed } from './upload-resume.ts';
import type { BegunUpload, Creation, UploadedFile, UploadFacts, UploadJob, UploadPorts } from './upload-types.ts';

export type * from './upload-types.ts';

const beginningsAtMost = 3;

/**
 * Uploads one file: create, begin, blueprints, chunks, finalize (interface §4.2), going on from whatever
 * the facts say was done before. Quick hiccups are tried again here; every other failure is thrown for
 * `remedyFor` to sort, and a later call with the journal's facts goes on from there. What the storage has
 * confirmed is not sent again. When it settles, nothing of it runs any more.
 */
export async function uploadFile<S extends ByteSource>(ports: UploadPorts<S>, job: UploadJob<S>): Promise<UploadedFile> {
  let facts: UploadFacts = job.facts;
  for (let beginnings = 1; ; beginnings++) {
    let counted = 0;
    const onBytes = (count: number): void => {
      counted += count;
      job.onBytes(count);
    };
    try {
      return await run(ports, { ...job, facts, onBytes });
    } catch (error) {
      job.signal.throwIfAborted();
      if (remedyFor(error).kind !== 'restart_file' || beginnings === beginningsAtMost) throw error;
      job.onBytes(-counted);
      await job.journal.chunksForgotten('all');
      facts = { chunks: new Map(), finalized: false };
    }
  }
}

async function run<S extends ByteSource>(ports: UploadPorts<S>, job: UploadJob<S>): Promise<UploadedFile> {
  const creation = (await fromFacts(job)) ?? (await createFile(ports, job));
  switch (creation.state) {
    case 'done':
      return creation.file;
    case 'created': {
      const uploadId = await beginUpload(ports, job, creation.createBlueprint);
      return sendAndFinalize(ports, job, { ...creation.upload, uploadId, chunks: new Map() });
    }
    case 'begun': {
      const { upload } = creation;
      for (const index of upload.chunks.keys()) job.onBytes(chunkSlice(index, job.source.size, upload.chunkSize).length);
      // With every chunk noted there is nothing to ask: finalizing is the question. Nor with none sent.
      const asks = !upload.put && upload.chunks.size < chunkCount(job.source.size, upload.chunkSize);
      if (asks) await takeOverConfirmed(ports, job, upload);
      return sendAndFinalize(ports, job, upload);
    }
  }
}

/** Where the facts say that the last run got to; `null` when the file has yet to be created. */
async function fromFacts<S extends ByteSource>({ facts, journal }: UploadJob<S>): Promise<Creation | null> {
  const { fileId, createBlueprint, chunkChecksum, chunkSize, uploadId } = facts;
  if (fileId === undefined || chunkChecksum === undefined || !chunkSize) return null;
  const upload = { fileId, chunkChecksum, chunkSize };
  if (uploadId !== undefined) return { state: 'begun', upload: { ...upload, uploadId, chunks: new Map(facts.chunks) } };
  if (createBlueprint === undefined) return null;
  if (createBlueprint) return { state: 'created', upload, createBlueprint };
  await journal.finalized('');
  return { state: 'done', file: { fileId, digest: '' } };
}

async function sendAndFinalize<S extends ByteSource>(ports: UploadPorts<S>, job: UploadJob<S>, upload: BegunUpload): Promise<UploadedFile> {
  const wrongBefore = new Set<number>();
  for (;;) {
    await sendChunks(ports, job, upload);
    try {
      const digest = await finalize(ports, job, upload);
      await job.journal.finalized(digest);
      return { fileId: upload.fileId, digest };
    } catch (error) {
      job.signal.throwIfAborted();
      if (remedyFor(error).kind !== 'restart_chunk') throw error;
      const wrong = await findWrong(ports, job, upload, error);
      const again = wrong.find((index) => wrongBefore.has(index));
      if (again !== undefined) throw spoiled(again, error);
      if (wrong.length === 0)
        throw new MoveError('chunk_spoiled', `The service refuses to put the file together: ${(error as Error).message}`, { cause: error });
      for (const index of wrong) wrongBefore.add(index);
    }
  }
}

async function finalize<S extends ByteSource>(ports: UploadPorts<S>, job: UploadJob<S>, upload: BegunUpload): Promise<string> {
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
 * The chunks behind a `chunk_wrong`, already forgotten: those that the storage's list contradicts, so that
 * many wrong ones cost one more round, or else the one that the service names.
 */
async function findWrong<S extends ByteSource>(
  ports: UploadPorts<S>,
  job: UploadJob<S>,
  upload: BegunUpload,
  error: unknown,
): Promise<readonly number[]> {
  const contradicted = await takeOverConfirmed(ports, job, upload);
  if (contradicted.length > 0) return contradicted;
  const named = error instanceof ServiceError ? Number(error.details['chunk']) - 1 : Number.NaN;
  if (!upload.chunks.has(named)) return [];
  await forget(job, upload, [named]);
  return [named];
}
