import { createBatch, finalizeBatch, type UploadCapabilities } from '#client/batch-file-calls.ts';
import { batchPutLimits } from '#client/batch-put.ts';
import { joinedDigests } from '#client/chunks.ts';
import type { HostedClient } from '#client/hosted.ts';
import { limits, smallFileSize } from '#protocol/limits.ts';
import { blake3Hex } from '../../io/digests.ts';
import { isoOf } from '../../io/file-time.ts';
import { type BatchCalls, createBatchCalls } from '../batch-calls.ts';
import { filesPerBatch } from '../concurrency/limits.ts';
import type { JobContext, JobPorts } from '../job.ts';
import type { PlanRules } from '../pipeline/plan.ts';
import type { Outcome, Outcomes } from '../pipeline/settle.ts';
import { type FileRecord, packageIdOf, type UploadRecord } from '../record.ts';
import { type CreatedFile, type SentFile, type StorageRequests, sendCreatedFiles } from './send-created.ts';
import { sendable } from './sendable.ts';

/**
 * Uploads a batch of small files and empty folders: one call creates them, one request sends them, one call finalizes
 * them, and each step is noted for all of them. So no file has its own waiting procedure, which is most of the cost of a
 * small file (docs/decisions/0028). A file with any problem is left to `sendFile`, which does the same in more steps,
 * continues from the notes, and handles the problem.
 */

export interface UploadBatchPorts {
  readonly ports: JobPorts;
  readonly api: HostedClient;
  /** Where the storage has none, or refuses them, each file has a request of its own. */
  readonly requests: StorageRequests | null;
  readonly context: JobContext;
}

/** Which files go in batches, and how many in one. */
export function uploadRules(
  { maxFiles, batchPutUrl }: Pick<UploadCapabilities, 'maxFiles' | 'batchPutUrl'>,
  { chunkSize = Infinity }: Pick<UploadRecord['request'], 'chunkSize'>,
): PlanRules {
  const most = Math.min(smallFileSize, chunkSize);
  return {
    shares: ({ size, remote }) => remote.state !== 'open' && size <= most,
    most: {
      files: Math.min(filesPerBatch, maxFiles),
      bytes: batchPutUrl === null ? Number.POSITIVE_INFINITY : batchPutLimits.bytes,
    },
  };
}

/** Sends the batch. Throws what ends the transfer, and the signal's reason. */
export async function uploadBatch(batchPorts: UploadBatchPorts, record: UploadRecord, files: readonly FileRecord[]): Promise<Outcomes> {
  const { ports, api, requests, context } = batchPorts;
  const { store, fileSemaphore } = ports;
  const { activity, signal } = context;
  const calls = createBatchCalls(fileSemaphore, context, files.length);
  const progress = activity.beginFiles(files);
  const through = new Set<FileRecord>();
  let sentBytes = 0;
  const complete = (done: readonly { readonly file: FileRecord; readonly digest: string }[]): void => {
    store.writer.write(() => {
      for (const { file, digest } of done) store.files.completed(file.id, digest);
    });
    for (const { file } of done) {
      progress.complete(file);
      through.add(file);
    }
  };
  try {
    const { created, folders } = await create(batchPorts, calls, record, files);
    complete(folders.map((file) => ({ file, digest: '' })));
    const job = { packageId: packageIdOf(record), api, requests, onBytes: progress.add };
    const { sent, failures, lost } = await sendCreatedFiles(ports, calls, job, created, context);
    for (const { file } of sent) sentBytes += file.size;
    signal.throwIfAborted();
    const finalized = await finalize(batchPorts, calls, record, sent);
    for (const { file } of finalized) sentBytes -= file.size;
    complete(finalized);
    signal.throwIfAborted();
    const started = new Set(created.map(({ file }) => file));
    const outcomeOf = (file: FileRecord): Outcome => {
      if (through.has(file)) return { file, is: 'done' };
      // What is noted by now keeps bytes from going twice.
      const now = started.has(file) ? (store.files.one(file.id) ?? file) : file;
      return failures.has(file) ? { file: now, is: 'failed', error: failures.get(file) } : { file: now, is: 'missed' };
    };
    return { files: files.map(outcomeOf), lost };
  } finally {
    progress.stop(sentBytes);
  }
}

interface Created {
  /** They have to be sent. */
  readonly created: readonly CreatedFile[];
  /** Nothing of them is left to do. */
  readonly folders: readonly FileRecord[];
}

/** Creates the files; those that this does not begin are created again when they are sent one by one. */
async function create(
  { ports, api, context: { signal } }: UploadBatchPorts,
  calls: BatchCalls,
  record: UploadRecord,
  all: readonly FileRecord[],
): Promise<Created> {
  const { store } = ports;
  const files = await sendable(all, ports, record, signal);
  if (files.length === 0) return { created: [], folders: [] };
  const { chunkSize } = record.request;
  const asked = chunkSize === undefined ? {} : { chunk_size: chunkSize };
  const bodies = files.map(({ kind, name, path, size, modifiedAt }) => ({
    kind,
    name,
    path,
    last_modified: isoOf(modifiedAt),
    ...(kind === 'file' ? { size, ...asked } : {}),
  }));
  const answers = await calls.ask(() => createBatch({ api, packageId: packageIdOf(record), signal }, bodies));
  const created: CreatedFile[] = [];
  const folders: FileRecord[] = [];
  answers?.forEach(({ file: made, create_blueprint: createBlueprint, upload_id: uploadId, put_blueprint: put }, index) => {
    const file = files[index]!;
    if (!made) return;
    if (file.kind === 'directory') {
      folders.push(file);
      return;
    }
    const upload = {
      fileId: made.id,
      chunkSize: made.chunk_size || chunkSize || limits.defaultChunkSize,
      chunkChecksum: made.chunk_checksum ?? 'none',
    };
    if (upload.chunkSize < file.size) return;
    if (uploadId !== undefined && put) {
      created.push({ file, creation: { state: 'opened', upload: { ...upload, uploadId, put, chunks: new Map() } } });
    } else if (createBlueprint) created.push({ file, creation: { state: 'created', upload, createBlueprint } });
  });
  store.writer.write(() => {
    for (const { file, creation } of created) {
      if (creation.state === 'created') continue;
      const { fileId, uploadId, chunkSize, chunkChecksum } = creation.upload;
      store.files.started(file.id, { fileId, uploadId, chunkSize, chunkChecksum });
    }
  });
  // Committed before the first byte is sent: from here on no confirmed chunk is sent again.
  await store.writer.committed();
  signal.throwIfAborted();
  return { created, folders };
}

interface Finalized {
  readonly file: FileRecord;
  readonly digest: string;
}

async function finalize(
  { api, context: { signal } }: UploadBatchPorts,
  calls: BatchCalls,
  record: UploadRecord,
  sent: readonly SentFile[],
): Promise<readonly Finalized[]> {
  if (sent.length === 0) return [];
  const digests = sent.map(({ chunk }) => `blake3:${blake3Hex(joinedDigests([chunk.blake3]))}`);
  const bodies = sent.map(({ file, upload, chunk }, index) => ({
    file_id: upload.fileId,
    chunk_extras: [{ part_number: '1', etag: chunk.etag }],
    file_extras: { upload_id: upload.uploadId, digest: digests[index]! },
    size: file.size,
    chunk_size: upload.chunkSize,
  }));
  const answers = await calls.ask(() => finalizeBatch({ api, packageId: packageIdOf(record), signal }, bodies));
  if (answers === null) return [];
  return sent.flatMap(({ file }, index) => (answers[index]!.error ? [] : [{ file, digest: digests[index]! }]));
}
