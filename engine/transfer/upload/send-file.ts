import { chunkCount, chunkSizeFor } from '#client/chunks.ts';
import { TransferError } from '#client/errors.ts';
import { isOfSource } from '#client/faults.ts';
import type { HostedClient } from '#client/hosted.ts';
import type { Gate } from '#client/ports.ts';
import { uploadFile } from '#client/upload.ts';
import { limits } from '#protocol/limits.ts';
import { systemCode } from '../../errors.ts';
import { checkSource, pathGuardFor } from '../../folders/path-guard.ts';
import { exists } from '../../folders/scan.ts';
import { createDiskSource } from '../../io/disk-source.ts';
import type { FileStamp } from '../../io/file-stamp.ts';
import { isoOf } from '../../io/file-time.ts';
import { chunksPerTransfer } from '../concurrency/limits.ts';
import { bodyOf } from '../failures.ts';
import { type JobContext, type JobPorts, sizeClassOf } from '../job.ts';
import type { Outcomes } from '../pipeline/settle.ts';
import { type FileRecord, hasChosenFiles, notStarted, packageIdOf, type UploadRecord } from '../record.ts';
import { retryWithActivity } from '../retry-with-activity.ts';
import { isChanged, untilStill } from './changed-files.ts';
import { takeContents } from './folder-contents.ts';
import { isTakenAway, leaveOut } from './left-out.ts';
import { createPinnedRoots } from './pinned-roots.ts';
import { rescan } from './upload-check.ts';
import { deletePartial } from './upload-end.ts';
import { openUploadLedger } from './upload-ledger.ts';
import { recordStarted } from './upload-packed.ts';

/** The service and storage of one upload. */
export interface Receiver {
  readonly api: HostedClient;
  /** The largest chunk that the service accepts, in bytes. */
  readonly maxChunkSize: number;
}

/**
 * Sends one file or empty folder, again and again until that is done or nothing helps. A file that changed since the
 * scan is sent again once it no longer changes. Throws the signal's reason.
 */
export async function sendFile(
  ports: JobPorts,
  record: UploadRecord,
  to: Receiver,
  file: FileRecord,
  context: JobContext,
): Promise<Outcomes> {
  try {
    await sendUntilDone(ports, record, to, file, context);
    return { files: [{ file, is: 'done' }], lost: null };
  } catch (error) {
    context.signal.throwIfAborted();
    return { files: [{ file, is: 'failed', error }], lost: null };
  }
}

/** Notes that a file cannot be sent, or leaves it out where it may be. */
export async function failToSend(
  ports: JobPorts,
  record: UploadRecord,
  api: HostedClient,
  file: FileRecord,
  error: unknown,
  context: JobContext,
): Promise<void> {
  if (isTakenAway(ports, record, file, error)) return leaveOut(ports, { record, api }, file, 'it went away before it was sent.', context);
  ports.log.warn({ transfer: record.id, file: file.id, error: String(error) }, 'a file could not be sent');
  ports.store.writer.write(() => ports.store.files.failed(file.id, bodyOf(error)));
}

async function sendUntilDone(ports: JobPorts, record: UploadRecord, to: Receiver, file: FileRecord, context: JobContext): Promise<void> {
  const { store, registry } = ports;
  // What came into a folder later is sent by a decision of its own, or not at all.
  const isChosen = hasChosenFiles(record);
  if (!isChosen && isFolderNow(ports, file)) {
    // Nobody would finish it, and whoever is told what has arrived would wait for it.
    await deletePartial(to.api, packageIdOf(record), store.files.one(file.id) ?? file, context);
    store.writer.write(() => {
      store.files.remove(file.id);
      rescan(ports, record.id);
    });
    return;
  }
  if (file.kind === 'directory' && !isChosen && (await takeContents(ports, record, file, context))) return;
  let current = file;
  if (file.remote.state === 'packed') {
    const recorded = await retryWithActivity(
      context,
      () => ofItsDrive(ports, record, file, recordStarted({ ports, api: to.api, context }, record, file)),
      {
        isPermanent: isPermanent(ports, record, file),
      },
    );
    if (recorded === 'recorded') return countRecorded(context, file);
    current = { ...file, remote: notStarted };
  }
  for (let changes = 1; ; changes++) {
    if ((await sendOnce(ports, record, to, current, context)) === 'sent') return;
    // It is looked at until it is still, and comes here again.
    if (record.request.growing) return;
    const stillAs = async (): Promise<FileStamp> => {
      createPinnedRoots(ports, record.id).checkOf(current.local);
      const stamp = await untilStill(current.local, changes, context, ports.fileSystem);
      // What another drive has there by the same name is not sent for it.
      createPinnedRoots(ports, record.id).checkOf(current.local);
      return stamp;
    };
    const stamp = await retryWithActivity(context, stillAs, { isPermanent: isPermanent(ports, record, current) });
    store.writer.write(() => {
      store.files.restamped(current.id, stamp);
      registry.addTotals(record.id, { bytes: stamp.size - current.size, files: 0 });
    });
    current = { ...current, size: stamp.size, modifiedAt: stamp.mtimeMs, inode: stamp.inode, remote: notStarted };
  }
}

function countRecorded({ activity }: JobContext, file: FileRecord): void {
  activity.beginFile(file, 0).complete();
}

async function sendOnce(
  ports: JobPorts,
  record: UploadRecord,
  { api, maxChunkSize }: Receiver,
  file: FileRecord,
  context: JobContext,
): Promise<'sent' | 'changed'> {
  const { store, transport, fileSemaphore } = ports;
  const guard = pathGuardFor(ports, record);
  const { activity, retries, signal, line } = context;
  const packageId = packageIdOf(record);
  const ledger = openUploadLedger(store, file);
  const progress = activity.beginFile(file, ledger.bytes());
  const source = createDiskSource(
    file.local,
    { size: file.size, mtimeMs: file.modifiedAt, inode: file.inode },
    { fileSystem: ports.fileSystem },
  );
  const sizeClass = sizeClassOf(ports, file.size);
  /** The size that the sender chose, or one for the current speed; a file keeps the size it was begun with. */
  const chunkSize = (): number | undefined => {
    if (record.request.chunkSize !== undefined || file.size <= limits.minChunkSize) return record.request.chunkSize;
    return chunkSizeFor(file.size, { bytesPerSecond: line?.speed() ?? null, most: maxChunkSize });
  };
  const attempt = async (): Promise<void> => {
    const missing = (): number => {
      const facts = ledger.facts();
      if (facts.state === 'open') return chunkCount(file.size, facts.upload.chunkSize) - facts.chunks.size;
      return chunkCount(file.size, chunkSize() ?? limits.defaultChunkSize);
    };
    const inLine = sizeClass.large && line ? await line.inOrder.enter(missing(), signal) : null;
    let giveBack = (): void => {};
    const gate: Gate = (work) =>
      sizeClass.gate(() => {
        inLine?.chunkBegan();
        return work();
      });
    try {
      if (sizeClass.weight > 0) giveBack = await fileSemaphore.acquire(sizeClass.weight, signal);
      progress.begin();
      if (guard && file.kind === 'file') checkSource(guard, file, ports.fileSystem);
      const wanted = chunkSize();
      const uploadPorts = {
        ...retries,
        api,
        gate,
        send: transport.send,
        storage: transport.fetcher,
        hashSlice: transport.hashSource,
        digest: transport.digest,
      };
      await uploadFile(uploadPorts, {
        packageId,
        file: {
          kind: file.kind,
          name: file.name,
          path: file.path,
          lastModified: isoOf(file.modifiedAt),
          ...(wanted === undefined ? {} : { chunkSize: wanted }),
        },
        source,
        facts: ledger.facts(),
        journal: ledger.journal,
        signal,
        onBytes: progress.add,
        concurrency: chunksPerTransfer.max,
      });
    } finally {
      giveBack();
      inLine?.leave();
    }
  };
  try {
    await retryWithActivity(context, () => ofItsDrive(ports, record, file, attempt()), {
      moved: progress.moved,
      isPermanent: isPermanent(ports, record, file),
    });
    progress.complete();
    return 'sent';
  } catch (error) {
    const changed = isChanged(error) && !signal.aborted;
    progress.stop(!changed ? ledger.bytes() : record.request.growing ? markGrowing(store, file) : 0);
    if (changed && !record.request.growing) activity.goBack();
    if (changed) return 'changed';
    throw error;
  } finally {
    await source.close();
  }
}

/** Returns how many bytes of it still count as sent. */
function markGrowing({ files, writer }: JobPorts['store'], { id }: FileRecord): number {
  writer.write(() => files.markGrowing(id));
  const { remote } = files.one(id) ?? { remote: notStarted };
  return remote.state === 'open' ? files.chunks(id).size * remote.chunkSize : 0;
}

/**
 * Whether an entry that the scan could not look at, as on a drive that was gone for a moment, is a folder. It was noted as
 * a file, since nothing was known of it.
 */
function isFolderNow({ fileSystem }: JobPorts, { kind, inode, modifiedAt, local }: FileRecord): boolean {
  if (kind !== 'file' || inode !== '' || modifiedAt !== 0) return false;
  try {
    return fileSystem.lstatNow(local)?.isDirectory() ?? false;
  } catch {
    // Sending it says what is wrong.
    return false;
  }
}

/** The work on a file; where its drive has gone, that is what it says, for all files in the same words. */
async function ofItsDrive<T>(ports: JobPorts, record: UploadRecord, file: FileRecord, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (isOfSource(error)) createPinnedRoots(ports, record.id).checkOf(file.local);
    throw error;
  }
}

const noPermission = new Set(['EACCES', 'EPERM']);

/**
 * A file missing from an existing folder will not return by itself, nor will one become readable; a file on a
 * disconnected drive may return.
 */
export function isPermanent(ports: JobPorts, record: UploadRecord, file: FileRecord): (error: unknown) => boolean {
  const isThere = (path: string): boolean => exists(path, ports.fileSystem);
  const isDriveThere = (): boolean => {
    try {
      createPinnedRoots(ports, record.id).checkOf(file.local);
      return record.request.paths.every(isThere) && record.added.every(isThere);
    } catch {
      return false;
    }
  };
  return (error) => {
    if (!(error instanceof TransferError)) return false;
    if (error.code === 'source_unreadable') return noPermission.has(systemCode(error.cause));
    // A drive may have come back since it was looked for.
    return error.code === 'source_gone' && isDriveThere() && !isThere(file.local);
  };
}
