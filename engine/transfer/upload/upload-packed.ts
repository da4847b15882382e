import { randomBytes } from 'node:crypto';
import type { BatchPutRequests, PartToSend } from '#client/batch-put.ts';
import { type BatchBlueprints, blueprintIn, recordBatch, uploadIdsIn } from '#client/batch-records.ts';
import { joinedDigests } from '#client/chunks.ts';
import { lineDamages } from '#client/damage.ts';
import { ServiceError, TransferError } from '#client/errors.ts';
import { confirms } from '#client/etags.ts';
import type { HostedClient } from '#client/hosted.ts';
import { refusalIn } from '#client/refusals.ts';
import { limits } from '#protocol/limits.ts';
import type { BatchBlueprint } from '#protocol/schema.ts';
import { partEtag } from '#protocol/storage/requests.ts';
import { checkSource, pathGuardFor } from '../../folders/path-guard.ts';
import { blake3Hex } from '../../io/digests.ts';
import { createSmallSource, type SmallSource } from '../../io/disk-source.ts';
import { isoOf } from '../../io/file-time.ts';
import { type BatchCalls, createBatchCalls } from '../batch-calls.ts';
import type { JobContext, JobPorts } from '../job.ts';
import type { Outcome, Outcomes } from '../pipeline/settle.ts';
import { type FileRecord, packageIdOf, type UploadRecord } from '../record.ts';
import { isChanged } from './changed-files.ts';
import { sendable } from './sendable.ts';

/**
 * Uploads a batch of small files and empty folders that the service does not know yet: one request sends their bytes, one
 * call creates and finalizes them. Each file is noted twice: before its bytes are sent, and once it is recorded. After a
 * crash or a lost answer the call is made again with the noted upload ids and the digests of the files here, which says
 * of each whether the storage has it; what it has not is sent again.
 */

export interface PackedPorts {
  readonly ports: JobPorts;
  readonly api: HostedClient;
  readonly requests: BatchPutRequests<SmallSource>;
  readonly blueprints: BatchBlueprints;
  readonly context: JobContext;
}

/** A file whose bytes the storage should have. */
interface SentFile {
  readonly file: FileRecord;
  readonly uploadId: string;
  /** 64 hex digits. */
  readonly blake3: string;
}

/**
 * Sends the batch; `null` where this package's files have to be created first, so that nothing was done. Throws what ends the
 * transfer, and the signal's reason.
 */
export async function uploadPacked(packedPorts: PackedPorts, record: UploadRecord, all: readonly FileRecord[]): Promise<Outcomes | null> {
  const { ports, blueprints, context } = packedPorts;
  const { store, fileSemaphore } = ports;
  const { activity, signal } = context;
  const calls = createBatchCalls(fileSemaphore, context, all.length);
  const blueprint = await calls.ask(() => blueprints.take());
  if (blueprint === null) return null;
  const files = await sendable(all, ports, record, signal);
  const progress = activity.beginFiles(all);
  const done = new Set<FileRecord>();
  const failures = new Map<FileRecord, unknown>();
  let sentBytes = 0;

  /** Those that the storage does not have. */
  const recordAll = async (sent: readonly SentFile[], folders: readonly FileRecord[]): Promise<readonly FileRecord[]> => {
    if (sent.length + folders.length === 0) return [];
    const answers = await calls.ask(() => recordBatch(inPackage(packedPorts, record), [...sent.map(bodyOf), ...folders.map(folderBodyOf)]));
    const missing: FileRecord[] = [];
    const recorded: FileRecord[] = [];
    const entries = [
      ...sent.map(({ file, blake3 }) => ({ file, digest: digestOf(blake3) })),
      ...folders.map((file) => ({ file, digest: '' })),
    ];
    store.writer.write(() => {
      answers?.forEach(({ error }, index) => {
        const { file, digest } = entries[index]!;
        if (!error) {
          store.files.completedAtOnce(file.id, digest);
          recorded.push(file);
        } else {
          const refusal = refusalIn(error);
          if (isMissing(refusal)) missing.push(file);
          else failures.set(file, refusal);
        }
      });
    });
    for (const file of recorded) {
      progress.complete(file);
      done.add(file);
    }
    return missing;
  };

  try {
    const folders = files.filter(({ kind }) => kind === 'directory');
    const started = await hashAllStarted(ports, files);
    for (const { file } of started) sentBytes += file.size;
    const gone = new Set(started.length > 0 ? await recordAll(started, []) : []);
    sentBytes = 0;
    signal.throwIfAborted();
    const fresh = files.filter((file) => file.kind === 'file' && (file.remote.state !== 'packed' || gone.has(file)));
    const { sent, lost } = await send(packedPorts, calls, { blueprint, fresh, record, onBytes: progress.add, failures });
    for (const { file } of sent) sentBytes += file.size;
    signal.throwIfAborted();
    const missing = await recordAll(sent, folders);
    for (const { file } of sent) if (done.has(file)) sentBytes -= file.size;
    forget(store, missing);
    signal.throwIfAborted();
    const outcomeOf = (file: FileRecord): Outcome => {
      if (done.has(file)) return { file, is: 'done' };
      // What is noted by now keeps bytes from going twice.
      const now = store.files.one(file.id) ?? file;
      return failures.has(file) ? { file: now, is: 'failed', error: failures.get(file) } : { file: now, is: 'missed' };
    };
    return { files: all.map(outcomeOf), lost };
  } finally {
    progress.stop(sentBytes);
  }
}

/**
 * Records a file that an earlier batch has begun, if the storage has it. If not, it is as if nothing had been sent. Throws
 * the service's refusal, and why the file cannot be read.
 */
export async function recordStarted(
  { ports, api, context }: Pick<PackedPorts, 'ports' | 'api' | 'context'>,
  record: UploadRecord,
  file: FileRecord,
): Promise<'recorded' | 'not_sent'> {
  const { store } = ports;
  const guard = pathGuardFor(ports, record);
  if (guard) checkSource(guard, file, ports.fileSystem);
  // What has changed is sent again; of what cannot be read now, as its drive has gone, the storage may have all.
  const started = await hashStarted(ports.fileSystem, file).catch((error: unknown) => {
    if (isChanged(error)) return null;
    throw error;
  });
  if (started) {
    const answers = await recordBatch(inPackage({ api, context }, record), [bodyOf(started)]).catch((error: unknown) => {
      if (!isUnknownCall(error)) throw error;
      return null;
    });
    const failure = answers?.[0]?.error;
    if (answers && !failure) {
      store.writer.write(() => store.files.completedAtOnce(file.id, digestOf(started.blake3)));
      return 'recorded';
    }
    const refusal = failure ? refusalIn(failure) : null;
    if (refusal && !isMissing(refusal) && !isTaken(refusal)) throw refusal;
  }
  forget(store, [file]);
  return 'not_sent';
}

const inPackage = ({ api, context }: Pick<PackedPorts, 'api' | 'context'>, record: UploadRecord) => ({
  api,
  packageId: packageIdOf(record),
  signal: context.signal,
});

const digestOf = (blake3: string): string => `blake3:${blake3Hex(joinedDigests([blake3]))}`;

const bodyOf = ({ file, uploadId, blake3 }: SentFile) => ({
  kind: 'file' as const,
  name: file.name,
  path: file.path,
  last_modified: isoOf(file.modifiedAt),
  size: file.size,
  upload_id: uploadId,
  etag: partEtag(blake3),
});

const folderBodyOf = ({ name, path, modifiedAt }: FileRecord) => ({
  kind: 'directory' as const,
  name,
  path,
  last_modified: isoOf(modifiedAt),
});

/** Whether the storage does not have the bytes. */
const isMissing = ({ error }: ServiceError): boolean => error === 'no_such_upload';

/**
 * A finalized file with other bytes has its path and name, as of an earlier run whose note was lost before the file changed: creating
 * it by itself finds out which.
 */
const isTaken = ({ error }: ServiceError): boolean => error === 'already_exists';

/** From a node of the service that is of an earlier version. */
const isUnknownCall = (error: unknown): boolean => error instanceof ServiceError && error.error === 'no_such_endpoint';

/** Nothing of them is at the storage: they are sent from the beginning. */
function forget({ writer, files }: JobPorts['store'], missing: readonly FileRecord[]): void {
  if (missing.length === 0) return;
  writer.write(() => {
    for (const { id } of missing) files.reset(id);
  });
}

/** Files that an earlier batch has begun, as they are here. One that cannot be read as it was is not among them. */
async function hashAllStarted({ fileSystem }: JobPorts, files: readonly FileRecord[]): Promise<readonly SentFile[]> {
  const hashed: SentFile[] = [];
  for (const file of files) {
    if (file.remote.state !== 'packed') continue;
    const started = await hashStarted(fileSystem, file).catch(() => null);
    if (started) hashed.push(started);
  }
  return hashed;
}

/** `null`: nothing of it was begun. Throws why it cannot be read as it was. */
async function hashStarted(fileSystem: JobPorts['fileSystem'], file: FileRecord): Promise<SentFile | null> {
  if (file.remote.state !== 'packed') return null;
  const bytes = Buffer.allocUnsafe(file.size);
  await sourceOf(file, fileSystem).readSmallInto({ offset: 0, length: file.size }, bytes);
  return { file, uploadId: file.remote.uploadId, blake3: blake3Hex(bytes) };
}

const sourceOf = ({ local, size, modifiedAt, inode }: FileRecord, fileSystem: JobPorts['fileSystem']): SmallSource =>
  createSmallSource(local, { size, mtimeMs: modifiedAt, inode }, fileSystem);

interface Sending {
  readonly blueprint: BatchBlueprint;
  readonly fresh: readonly FileRecord[];
  readonly record: UploadRecord;
  readonly onBytes: (count: number) => void;
  /** Takes the errors of single files. */
  readonly failures: Map<FileRecord, unknown>;
}

/** Sends the bytes of files in one request, under upload ids that are noted before. */
async function send(
  { ports: { store, fileSystem }, requests, context: { retries, signal } }: PackedPorts,
  calls: BatchCalls,
  { blueprint, fresh, record, onBytes, failures }: Sending,
): Promise<{ readonly sent: readonly SentFile[]; readonly lost: Outcomes['lost'] }> {
  if (fresh.length === 0) return { sent: [], lost: null };
  const ids = uploadIdsIn(blueprint, fresh.length, randomBytes(16).toString('hex'));
  const chunkSize = record.request.chunkSize ?? limits.defaultChunkSize;
  store.writer.write(() => {
    for (const [index, { id }] of fresh.entries()) store.files.packed(id, ids[index]!, chunkSize);
  });
  // Committed before the first byte is sent: from here on nothing that the storage has confirmed is sent again.
  await store.writer.committed();
  signal.throwIfAborted();
  const parts = fresh.map(
    (file, index): PartToSend<SmallSource> => ({
      blueprint: blueprintIn(blueprint, ids[index]!),
      source: sourceOf(file, fileSystem),
      slice: { offset: 0, length: file.size },
      onBytes,
    }),
  );
  let answers: Awaited<ReturnType<typeof requests.send>>;
  try {
    answers = await calls.once(() => requests.send(parts));
  } catch (error) {
    return { sent: [], lost: { error } };
  }
  const sent: SentFile[] = [];
  answers.forEach((chunk, index) => {
    const file = fresh[index]!;
    if (chunk instanceof TransferError) failures.set(file, chunk);
    // Where nothing is known of it, the storage may have it all the same: it is asked before the file goes by itself.
    else if (chunk !== null && confirms('blake3', chunk)) sent.push({ file, uploadId: ids[index]!, blake3: chunk.blake3 });
    else if (chunk !== null) failures.set(file, lineDamages(retries));
  });
  return { sent, lost: null };
}
