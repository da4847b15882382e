import { MoveError } from '#client/errors.ts';
import type { FileCalls } from '#client/file-calls.ts';
import type { HostedClient } from '#client/hosted.ts';
import type { ManyShipments } from '#client/many-sender.ts';
import type { ChunkSender, Gate } from '#client/ports.ts';
import { uploadFile } from '#client/upload.ts';
import { systemCode } from '../errors.ts';
import { createDiskSource, type DiskSource, type SmallSource } from '../io/disk-source.ts';
import { isChanged, untilStill } from './changed-files.ts';
import { bodyOf, endsTransfer } from './failures.ts';
import { checkSource, heldBy } from './held.ts';
import { type JobContext, type JobPorts, laneFor } from './job.ts';
import { keepTrying } from './keep-trying.ts';
import { type Noted, notedSoFar } from './noted.ts';
import type { FileRecord, NewFile, UploadRecord } from './record.ts';
import { exists, pathIn, type Walk, walk } from './scan.ts';
import { openUploadLedger } from './upload-ledger.ts';
import { mostWidth } from './width.ts';

/** The service of one upload. */
export interface Receiver {
  readonly api: HostedClient;
  /** Calls for many small files at once, where the service has them. */
  readonly shared: FileCalls | null;
  /** Sends small files many in a request, and holds to the gate by itself; null where the storage takes one by one. */
  readonly many: ChunkSender<DiskSource> | null;
  /** The requests that it makes, for those that go together from the beginning (`send-together.ts`). */
  readonly shipments: ManyShipments<SmallSource> | null;
}

/**
 * Sends one file or empty folder. One that turns out to have changed since it was looked at begins anew when
 * it is still. What fails for good is noted with the file; only what ends the whole transfer is thrown.
 */
export async function sendFile(ports: JobPorts, record: UploadRecord, to: Receiver, file: FileRecord, context: JobContext): Promise<void> {
  const { store, book } = ports;
  try {
    if (file.kind === 'directory' && (await takeContents(ports, record, file, context))) return;
    let current = file;
    for (let changes = 1; ; changes++) {
      if ((await sendOnce(ports, record, to, current, context)) === 'sent') return;
      const stamp = await keepTrying(context, () => untilStill(current.local, changes, context), { hopeless: hopeless(record) });
      store.writer.write(() => {
        store.files.restamped(current.id, stamp);
        book.grow(record.id, { bytes: stamp.size - current.size, files: 0 });
      });
      current = { ...current, size: stamp.size, modifiedAt: stamp.mtimeMs, inode: stamp.inode, remoteId: '', uploadId: '' };
    }
  } catch (error) {
    context.signal.throwIfAborted();
    if (endsTransfer(error)) throw error;
    ports.log.warn({ transfer: record.id, file: file.id, error: String(error) }, 'a file could not be sent');
    store.writer.write(() => store.files.failed(file.id, bodyOf(error)));
  }
}

const atOnce: Gate = (work) => work();

async function sendOnce(
  ports: JobPorts,
  record: UploadRecord,
  { api, shared, many }: Receiver,
  file: FileRecord,
  context: JobContext,
): Promise<'sent' | 'changed'> {
  const { store, movers, slots } = ports;
  const admit = heldBy(ports, record);
  const { activity, retries, signal } = context;
  const { packageId } = record.facts;
  const { chunkSize } = record.request;
  const ledger = openUploadLedger(store, file);
  const progress = activity.beginFile(file, ledger.bytes());
  const source = createDiskSource(file.local, { size: file.size, mtimeMs: file.modifiedAt, inode: file.inode });
  const lane = laneFor(ports, file.size, shared !== null);
  const about = {
    kind: file.kind,
    name: file.name,
    path: file.path,
    lastModified: new Date(file.modifiedAt).toISOString(),
    ...(chunkSize === undefined ? {} : { chunkSize }),
  };
  const uploadPorts = {
    ...retries,
    api,
    ...(shared && lane.shared ? { calls: shared } : {}),
    ...(many && lane.shared ? { gate: atOnce, send: many } : { gate: lane.gate, send: movers.send }),
    storage: movers.fetcher,
    hashSlice: movers.hashSource,
    digest: movers.digest,
  };
  const attempt = async (): Promise<void> => {
    const giveBack = await slots.take(lane.weight, signal);
    try {
      progress.begin();
      if (admit && file.kind === 'file') checkSource(admit, file);
      await uploadFile(uploadPorts, {
        packageId,
        file: about,
        source,
        facts: ledger.facts(),
        journal: ledger.journal,
        signal,
        onBytes: progress.add,
        lanes: mostWidth,
      });
    } finally {
      giveBack();
    }
  };
  try {
    await keepTrying(context, attempt, { moved: progress.moved, hopeless: hopeless(record) });
    progress.complete();
    return 'sent';
  } catch (error) {
    const changed = isChanged(error) && !signal.aborted;
    progress.stop(changed ? 0 : ledger.bytes());
    if (changed) return 'changed';
    throw error;
  } finally {
    await source.close();
  }
}

const entriesPerBatch = 256;

/**
 * A folder that was empty or could not be read when it was scanned: where there is something in it by now,
 * that takes its place among the files. `true`: there is nothing left to do with the folder itself.
 */
async function takeContents(ports: JobPorts, record: UploadRecord, file: FileRecord, { signal }: JobContext): Promise<boolean> {
  const { store, book } = ports;
  const root = { local: file.local, folder: file.path, name: file.name, signal, admit: heldBy(ports, record) };
  if (await isStillEmpty(root, file)) return false;
  // Part of it may be there: read before it became unreadable, or taken up when the agent was killed.
  const noted = await notedSoFar(store, record.id, `${pathIn(file.path, file.name)}/`, signal);
  const without: Noted = { ...noted, has: (path) => path !== pathIn(file.path, file.name) && noted.has(path) };
  let batch: NewFile[] = [];
  const note = (): void => {
    const counted = batch.filter(({ state }) => state !== 'skipped');
    store.writer.write(() => {
      store.files.insert(record.id, batch);
      book.grow(record.id, { bytes: counted.reduce((sum, { size }) => sum + size, 0), files: counted.length });
    });
    batch = [];
  };
  for await (const entry of walk({ ...root, noted: without })) {
    if (isItself(entry, file)) {
      const trouble = entry.error;
      note();
      if (trouble) store.writer.write(() => store.files.failed(file.id, trouble));
      return Boolean(trouble);
    }
    if (batch.push(entry) === entriesPerBatch) note();
  }
  store.writer.write(() => {
    note();
    store.files.remove(file.id);
    book.grow(record.id, { bytes: 0, files: -1 });
  });
  return true;
}

/** Looked at first, since it nearly always is: what is known of the transfer need not be gone through then. */
async function isStillEmpty(root: Walk, file: FileRecord): Promise<boolean> {
  for await (const entry of walk(root)) if (entry.state !== 'skipped') return isItself(entry, file) && !entry.error;
  return false;
}

/** Whether an entry is the folder itself: empty, or unreadable. */
function isItself({ kind, path, name }: NewFile, file: FileRecord): boolean {
  return kind === 'directory' && path === file.path && name === file.name;
}

const noPermission = new Set(['EACCES', 'EPERM']);

/**
 * A file that is gone from folders that are there will not come back by itself, nor will one become readable;
 * one whose drive is away may come back.
 */
function hopeless({ request, added }: UploadRecord): (error: unknown) => boolean {
  return (error) => {
    if (!(error instanceof MoveError)) return false;
    if (error.code === 'source_unreadable') return noPermission.has(systemCode(error.cause));
    return error.code === 'source_gone' && request.paths.every(exists) && added.every(exists);
  };
}
