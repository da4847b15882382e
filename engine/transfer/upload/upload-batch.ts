import { createBatch, finalizeBatch, type UploadCapabilities } from '#client/batch-file-calls.ts';
import type { BatchPutRequests, PartToSend } from '#client/batch-put.ts';
import { batchPutLimits } from '#client/batch-put.ts';
import { joinedDigests } from '#client/chunks.ts';
import { lineDamages } from '#client/damage.ts';
import { TransferError } from '#client/errors.ts';
import { confirms } from '#client/etags.ts';
import type { HostedClient } from '#client/hosted.ts';
import type { SentChunk } from '#client/ports.ts';
import type { OpenUpload } from '#client/upload.ts';
import { limits, smallFileSize } from '#protocol/limits.ts';
import type { Blueprint } from '#protocol/schema.ts';
import { checkSource, pathGuardFor } from '../../folders/path-guard.ts';
import { blake3Hex } from '../../io/digests.ts';
import { createSmallSource, type SmallSource } from '../../io/disk-source.ts';
import { isoOf } from '../../io/file-time.ts';
import type { FilesActivity } from '../activity.ts';
import { type BatchCalls, createBatchCalls } from '../batch-calls.ts';
import { filesPerBatch } from '../concurrency/limits.ts';
import type { JobContext, JobPorts } from '../job.ts';
import type { PlanRules } from '../pipeline/plan.ts';
import type { Outcome, Outcomes } from '../pipeline/settle.ts';
import { type FileRecord, packageIdOf, type UploadRecord } from '../record.ts';

/**
 * Uploads a batch of small files: one call creates them, one request sends them, one call finalizes them, and each step
 * is noted for all of them. So no file has its own waiting procedure, which is most of the cost of a small file
 * (docs/decisions/0028). A file with any problem is left to `sendFile`, which does the same in more steps, continues
 * from the notes, and handles the problem.
 */

interface UploadBatchPorts {
  readonly ports: Pick<JobPorts, 'store' | 'fileSemaphore' | 'pathGuard' | 'fileSystem'>;
  readonly api: HostedClient;
  readonly requests: BatchPutRequests<SmallSource>;
  readonly context: JobContext;
}

/** Which files go in batches, and how many in one. `allowed`: whether the storage still takes batch requests. */
export function uploadRules(
  { maxFiles, batchPutUrl }: Pick<UploadCapabilities, 'maxFiles' | 'batchPutUrl'>,
  allowed: boolean,
  { chunkSize = Infinity }: Pick<UploadRecord['request'], 'chunkSize'>,
): PlanRules {
  const most = Math.min(smallFileSize, chunkSize);
  return {
    shares: ({ kind, size, remote }) => kind === 'file' && remote.state !== 'open' && size <= most,
    most: { files: batchPutUrl !== null && allowed ? Math.min(filesPerBatch, maxFiles) : 0, bytes: batchPutLimits.bytes },
  };
}

/** Sends the batch. Throws what ends the transfer, and the signal's reason. */
export async function uploadBatch(batchPorts: UploadBatchPorts, record: UploadRecord, files: readonly FileRecord[]): Promise<Outcomes> {
  const { store, fileSemaphore } = batchPorts.ports;
  const { activity, signal } = batchPorts.context;
  const calls = createBatchCalls(fileSemaphore, batchPorts.context, files.length);
  const progress = activity.beginFiles(files);
  let sentBytes = 0;
  try {
    const started = await begin(batchPorts, calls, record, files);
    const { sent, failures, lost } = await sendParts(batchPorts, calls, started, progress);
    store.writer.write(() => {
      for (const { file, chunk } of sent) store.files.chunkDone(file.id, 0, chunk);
    });
    for (const { file } of sent) sentBytes += file.size;
    signal.throwIfAborted();
    const complete = await finalize(batchPorts, calls, record, sent);
    store.writer.write(() => {
      for (const { file, digest } of complete) store.files.completed(file.id, digest);
    });
    const through = new Set<FileRecord>();
    for (const { file } of complete) {
      sentBytes -= file.size;
      progress.complete(file);
      through.add(file);
    }
    signal.throwIfAborted();
    const noted = new Map(started.map((one) => [one.file, asNoted(one)]));
    const outcomeOf = (file: FileRecord): Outcome => {
      if (through.has(file)) return { file, is: 'done' };
      const now = noted.get(file) ?? file;
      return failures.has(file) ? { file: now, is: 'failed', error: failures.get(file) } : { file: now, is: 'missed' };
    };
    return { files: files.map(outcomeOf), lost };
  } finally {
    progress.stop(sentBytes);
  }
}

/** A file whose upload has begun and is noted. */
interface StartedFile {
  readonly file: FileRecord;
  readonly upload: OpenUpload;
  readonly put: Blueprint;
}

const asNoted = ({ file, upload }: StartedFile): FileRecord => ({ ...file, remote: { state: 'open', ...upload } });

/** Creates the files; those that this does not begin are created again when they are sent one by one. */
async function begin(
  { ports, api, context: { signal } }: UploadBatchPorts,
  calls: BatchCalls,
  record: UploadRecord,
  all: readonly FileRecord[],
): Promise<readonly StartedFile[]> {
  const guard = pathGuardFor(ports, record);
  const files = guard ? all.filter((file) => isInside(() => checkSource(guard, file, ports.fileSystem))) : all;
  if (files.length === 0) return [];
  const { chunkSize } = record.request;
  const asked = chunkSize === undefined ? {} : { chunk_size: chunkSize };
  const bodies = files.map(({ name, path, size, modifiedAt }) => ({
    kind: 'file' as const,
    name,
    path,
    last_modified: isoOf(modifiedAt),
    size,
    ...asked,
  }));
  const answers = await calls.ask(() => createBatch({ api, packageId: packageIdOf(record), signal }, bodies));
  const started: StartedFile[] = [];
  answers?.forEach(({ file: made, upload_id: uploadId, put_blueprint: put }, index) => {
    const file = files[index]!;
    const size = made?.chunk_size || chunkSize || limits.defaultChunkSize;
    // Only local storage accepts many parts in one request, and its etag is not an MD5.
    if (!made || uploadId === undefined || !put || made.chunk_checksum === 'md5' || size < file.size) return;
    const chunkChecksum = made.chunk_checksum ?? 'none';
    started.push({ file, upload: { fileId: made.id, uploadId, chunkSize: size, chunkChecksum }, put });
  });
  ports.store.writer.write(() => {
    for (const { file, upload } of started) ports.store.files.started(file.id, upload);
  });
  // Committed before the first byte is sent: from here on no confirmed chunk is sent again.
  await ports.store.writer.committed();
  signal.throwIfAborted();
  return started;
}

function isInside(look: () => void): boolean {
  try {
    look();
    return true;
  } catch {
    return false;
  }
}

interface Sent extends StartedFile {
  readonly chunk: SentChunk;
  readonly digest: string;
}

interface SendResult {
  /** Files that the storage has confirmed. */
  readonly sent: readonly Sent[];
  /** Errors of others. */
  readonly failures: ReadonlyMap<FileRecord, unknown>;
  readonly lost: Outcomes['lost'];
}

/** Sends the files in one request. If that is lost, the storage is asked for the parts of each file when it is sent by itself. */
async function sendParts(
  { ports, requests, context: { retries } }: UploadBatchPorts,
  calls: BatchCalls,
  started: readonly StartedFile[],
  progress: FilesActivity,
): Promise<SendResult> {
  const failures = new Map<FileRecord, unknown>();
  if (started.length === 0) return { sent: [], failures, lost: null };
  const parts = started.map(
    ({ file, put }): PartToSend<SmallSource> => ({
      blueprint: put,
      source: createSmallSource(file.local, { size: file.size, mtimeMs: file.modifiedAt, inode: file.inode }, ports.fileSystem),
      slice: { offset: 0, length: file.size },
      onBytes: progress.add,
    }),
  );
  let answers: readonly (SentChunk | TransferError | null)[];
  try {
    answers = await calls.once(() => requests.send(parts));
  } catch (error) {
    return { sent: [], failures, lost: { error } };
  }
  const sent: Sent[] = [];
  answers.forEach((chunk, index) => {
    const one = started[index]!;
    if (chunk instanceof TransferError) failures.set(one.file, chunk);
    else if (chunk !== null && confirms(one.upload.chunkChecksum, chunk)) {
      sent.push({ ...one, chunk, digest: `blake3:${blake3Hex(joinedDigests([chunk.blake3]))}` });
    } else if (chunk !== null) failures.set(one.file, lineDamages(retries));
  });
  return { sent, failures, lost: null };
}

async function finalize(
  { api, context: { signal } }: UploadBatchPorts,
  calls: BatchCalls,
  record: UploadRecord,
  sent: readonly Sent[],
): Promise<readonly Sent[]> {
  if (sent.length === 0) return [];
  const bodies = sent.map(({ file, upload, chunk, digest }) => ({
    file_id: upload.fileId,
    chunk_extras: [{ part_number: '1', etag: chunk.etag }],
    file_extras: { upload_id: upload.uploadId, digest },
    size: file.size,
    chunk_size: upload.chunkSize,
  }));
  const answers = await calls.ask(() => finalizeBatch({ api, packageId: packageIdOf(record), signal }, bodies));
  return answers === null ? [] : sent.filter((_, index) => !answers[index]!.error);
}
