import type { BatchPutRequests, PartToSend } from '#client/batch-put.ts';
import { lineDamages } from '#client/damage.ts';
import { TransferError } from '#client/errors.ts';
import { confirms } from '#client/etags.ts';
import type { HostedClient } from '#client/hosted.ts';
import type { SentChunk } from '#client/ports.ts';
import { type ChunkFact, type NewUpload, type OpenedUpload, type OpenUpload, sendCreated } from '#client/upload.ts';
import { createDiskSource, createSmallSource, type SmallSource } from '../../io/disk-source.ts';
import { isoOf } from '../../io/file-time.ts';
import type { BatchCalls } from '../batch-calls.ts';
import type { JobContext, JobPorts } from '../job.ts';
import type { Outcomes } from '../pipeline/settle.ts';
import type { FileRecord } from '../record.ts';
import { openUploadLedger } from './upload-ledger.ts';

export type StorageRequests = BatchPutRequests<SmallSource>;

/** A file of one chunk that was created just now; an upload that has begun is noted. */
export interface CreatedFile {
  readonly file: FileRecord;
  readonly creation: NewUpload;
}

/** A file that the storage has confirmed, and that is noted. */
export interface SentFile {
  readonly file: FileRecord;
  readonly upload: OpenUpload;
  readonly chunk: ChunkFact;
}

interface Sending {
  readonly packageId: string;
  readonly api: HostedClient;
  readonly requests: StorageRequests | null;
  readonly onBytes: (count: number) => void;
}

interface SendResult {
  readonly sent: readonly SentFile[];
  /** Errors of others. */
  readonly failures: ReadonlyMap<FileRecord, unknown>;
  readonly lost: Outcomes['lost'];
}

/** Sends the bytes of files that one call has created: in one request, or each in its own. Throws the signal's reason. */
export async function sendCreatedFiles(
  ports: JobPorts,
  calls: BatchCalls,
  sending: Sending,
  created: readonly CreatedFile[],
  context: JobContext,
): Promise<SendResult> {
  const sharesRequest = sending.requests?.allowed && ports.transport.isQuickForBatchPut();
  const opened: Opened[] = [];
  const others: CreatedFile[] = [];
  for (const one of created) {
    // Where etags are MD5, parts go to an S3 itself, which takes no request for many.
    const fits = sharesRequest && one.creation.state === 'opened' && one.creation.upload.chunkChecksum !== 'md5';
    if (fits) opened.push(one as Opened);
    else others.push(one);
  }
  if (opened.length === 0) return sendEach(ports, calls, sending, others, context);
  const inOne = await sendInOne(ports, calls, sending, opened, context);
  if (others.length === 0 || inOne.lost) return inOne;
  const each = await sendEach(ports, calls, sending, others, context);
  return { sent: [...inOne.sent, ...each.sent], failures: new Map([...inOne.failures, ...each.failures]), lost: null };
}

interface Opened extends CreatedFile {
  readonly creation: { readonly state: 'opened'; readonly upload: OpenedUpload };
}

/** If the request is lost, the storage is asked for the parts of each file when it is sent by itself. */
async function sendInOne(
  { store, fileSystem }: JobPorts,
  calls: BatchCalls,
  { requests, onBytes }: Sending,
  opened: readonly Opened[],
  { retries }: JobContext,
): Promise<SendResult> {
  const failures = new Map<FileRecord, unknown>();
  const parts = opened.map(
    ({ file, creation }): PartToSend<SmallSource> => ({
      blueprint: creation.upload.put!,
      source: createSmallSource(file.local, { size: file.size, mtimeMs: file.modifiedAt, inode: file.inode }, fileSystem),
      slice: { offset: 0, length: file.size },
      onBytes,
    }),
  );
  let answers: readonly (SentChunk | TransferError | null)[];
  try {
    answers = await calls.once(() => requests!.send(parts));
  } catch (error) {
    return { sent: [], failures, lost: { error } };
  }
  const sent: SentFile[] = [];
  answers.forEach((chunk, index) => {
    const { file, creation } = opened[index]!;
    if (chunk instanceof TransferError) failures.set(file, chunk);
    else if (chunk !== null && confirms(creation.upload.chunkChecksum, chunk)) sent.push({ file, upload: creation.upload, chunk });
    else if (chunk !== null) failures.set(file, lineDamages(retries));
  });
  store.writer.write(() => {
    for (const { file, chunk } of sent) store.files.chunkDone(file.id, 0, chunk);
  });
  return { sent, failures, lost: null };
}

async function sendEach(
  ports: JobPorts,
  calls: BatchCalls,
  { packageId, api, onBytes }: Sending,
  created: readonly CreatedFile[],
  { retries, signal }: JobContext,
): Promise<SendResult> {
  const { store, transport, gates, fileSystem } = ports;
  const sent: SentFile[] = [];
  const failures = new Map<FileRecord, unknown>();
  const uploadPorts = {
    ...retries,
    api,
    gate: gates.small,
    send: transport.send,
    storage: transport.fetcher,
    hashSlice: transport.hashSource,
    digest: transport.digest,
  };
  const sendOne = async ({ file, creation }: CreatedFile): Promise<void> => {
    const source = createDiskSource(file.local, { size: file.size, mtimeMs: file.modifiedAt, inode: file.inode }, { fileSystem });
    const { journal } = openUploadLedger(store, file);
    const { name, path } = file;
    try {
      const upload = await sendCreated(
        uploadPorts,
        {
          packageId,
          file: { kind: 'file', name, path, lastModified: isoOf(file.modifiedAt) },
          source,
          facts: { state: 'none' },
          journal,
          signal,
          onBytes,
        },
        creation,
      );
      sent.push({ file, upload, chunk: upload.chunks.get(0)! });
    } catch (error) {
      failures.set(file, error);
    } finally {
      await source.close();
    }
  };
  if (created.length > 0) await calls.once(() => Promise.all(created.map(sendOne)));
  signal.throwIfAborted();
  return { sent, failures, lost: null };
}
