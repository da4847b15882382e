import type { Static } from 'typebox';
import type { BatchCreated, BatchFinalized, BatchResult } from '#protocol/hosted/file-batches.ts';
import type { CreateFile } from '#protocol/hosted/files.ts';
import { type BatchCallRules, batchedOrSingle, checkAnswerCount, maxFilesPerCall } from './batch-calls.ts';
import { createBatcher } from './batcher.ts';
import type { HostedClient } from './calls.ts';
import { TransferError } from './errors.ts';
import { type CreatedFile, type FileCalls, type FileCallsOptions, singleCalls } from './file-calls.ts';
import { refusalIn } from './refusals.ts';

/** The service's capabilities for many small files (docs/decisions/0010). */
export interface UploadCapabilities {
  /** Files in one batch call; 0: the service has no such call. */
  readonly maxFiles: number;
  /** Files in one call that creates and finalizes; 0: the service has no such call. */
  readonly maxRecords: number;
  /** The storage's address for batch requests with many small parts. */
  readonly batchPutUrl: string | null;
  /** The largest chunk that it accepts, in bytes. */
  readonly maxChunkSize: number;
}

export async function uploadCapabilities(api: HostedClient<'packageSpec'>, signal: AbortSignal): Promise<UploadCapabilities> {
  const spec = await api.call('packageSpec', { signal });
  return {
    maxFiles: spec.max_batch_files ?? 0,
    maxRecords: spec.max_batch_records ?? 0,
    batchPutUrl: spec.many_parts_url ?? null,
    maxChunkSize: spec.max_chunk_size,
  };
}

interface BatchedCallsOptions extends FileCallsOptions, BatchCallRules {
  readonly api: HostedClient<'createFile' | 'finalizeFile' | 'createFiles' | 'finalizeFiles'>;
}

type InPackage<Names extends 'createFiles' | 'finalizeFiles'> = Pick<FileCallsOptions, 'packageId' | 'signal'> & {
  readonly api: HostedClient<Names>;
};

/**
 * Creates many files in one call. Each file has its own result, in the order of the request. Failures are
 * `ServiceError`s and `TransferError`s.
 */
export async function createBatch(
  { api, packageId, signal }: InPackage<'createFiles'>,
  files: readonly Static<typeof CreateFile>[],
): Promise<readonly BatchCreated[]> {
  const answer = await api.call('createFiles', { params: { package_id: packageId }, body: { files: [...files] }, signal });
  return checkAnswerCount(files, answer.files);
}

/** Finalizes many files in one call, with results like those of `createMany`. */
export async function finalizeBatch(
  { api, packageId, signal }: InPackage<'finalizeFiles'>,
  files: readonly BatchResult[],
): Promise<readonly BatchFinalized[]> {
  const answer = await api.call('finalizeFiles', { params: { package_id: packageId }, body: { files: [...files] }, signal });
  return checkAnswerCount(files, answer.files);
}

/** Characters. A body may have 4 MiB, and a character up to four bytes. */
const maxBodyLength = 768 * 1024;

/**
 * Batches calls: files that arrive within a few milliseconds, or while an earlier call is running, share one call.
 * Where the service turns out not to have these calls, each file has its own.
 */
export function batchedCalls(options: BatchedCallsOptions): FileCalls {
  const { linger } = options;
  const single = singleCalls(options);
  const rules = { maxItems: Math.min(options.maxFiles, maxFilesPerCall), maxWeight: maxBodyLength, linger };
  const either = batchedOrSingle();

  const create = createBatcher<Static<typeof CreateFile>, BatchCreated>({
    ...rules,
    weightOf: ({ name, path }) => name.length + path.length + 200,
    run: (files) => createBatch(options, files),
  });
  const finalize = createBatcher<BatchResult, BatchFinalized>({
    ...rules,
    weightOf: ({ chunk_extras }) => chunk_extras.length * 120 + 400,
    run: (files) => finalizeBatch(options, files),
  });

  return {
    create: (body) =>
      either(
        async () => createdFrom(await create(body)),
        () => single.create(body),
      ),
    finalize: (fileId, body) =>
      either(
        async () => {
          const { error } = await finalize({ file_id: fileId, ...body });
          if (error) throw refusalIn(error);
        },
        () => single.finalize(fileId, body),
      ),
  };
}

function createdFrom({ file, create_blueprint, upload_id, put_blueprint, error }: BatchCreated): CreatedFile {
  if (error) throw refusalIn(error);
  if (!file) throw new TransferError('wrong_answer', 'The service answered for a file with neither the file nor an error.');
  const opened = upload_id !== undefined && put_blueprint ? { uploadId: upload_id, put: put_blueprint } : null;
  return { file, createBlueprint: create_blueprint ?? null, opened };
}
