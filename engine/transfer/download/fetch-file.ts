import { basename, dirname, join, posix } from 'node:path';
import { chunkCount } from '#client/chunks.ts';
import { downloadFile } from '#client/download.ts';
import { TransferError } from '#client/errors.ts';
import type { HostedClient } from '#client/hosted.ts';
import type { Gate } from '#client/ports.ts';
import { AgentError } from '#protocol/errors.ts';
import { systemCode } from '../../errors.ts';
import { withNumber } from '../../folders/names.ts';
import { pathGuardFor } from '../../folders/path-guard.ts';
import type { SafeRoot } from '../../folders/safe-root.ts';
import { exists } from '../../folders/scan.ts';
import { temporaryName } from '../../folders/temporary-name.ts';
import { targetFailure } from '../../io/disk-failures.ts';
import { createDiskSink } from '../../io/disk-sink.ts';
import { wasCommitted } from '../../io/publish-file.ts';
import { syncFolder } from '../../io/sync-folder.ts';
import { busyWith } from '../../io/time-split.ts';
import { chunksPerTransfer } from '../concurrency/limits.ts';
import { bodyOf } from '../failures.ts';
import { type JobContext, type JobPorts, sizeClassOf } from '../job.ts';
import type { Outcomes } from '../pipeline/settle.ts';
import { type DownloadRecord, type FileRecord, storedFileOf } from '../record.ts';
import { retryWithActivity } from '../retry-with-activity.ts';
import { type DownloadLedger, openDownloadLedger } from './download-ledger.ts';
import { wasNamedEarlier } from './named-earlier.ts';
import { checkOpened } from './opened-target.ts';

/** Where the files of one download go. */
interface Destination {
  readonly safeRoot: SafeRoot;
  /** Reserves disk space for all remaining bytes; throws `disk_full` with the missing amount. */
  readonly reserve: () => void;
  /** Files of which bytes are noted. */
  readonly started: ReadonlySet<number>;
  /** An earlier run has begun, so that files may have names which are not noted. */
  readonly resumes: boolean;
}

/** Fetches one file into its folder, again and again until that is done or nothing helps. Throws the signal's reason. */
export async function fetchFile(
  ports: JobPorts,
  record: DownloadRecord,
  { safeRoot, reserve, started, resumes }: Destination,
  api: HostedClient,
  file: FileRecord,
  context: JobContext,
): Promise<Outcomes> {
  const { store } = ports;
  const { activity, signal } = context;
  const ledger = openDownloadLedger(store, file, started.has(file.id));
  const progress = activity.beginFile(file, ledger.bytes());
  let full = false;
  const attempt = async (): Promise<void> => {
    progress.begin();
    if (file.kind === 'directory') {
      safeRoot.folder(file.local);
      return;
    }
    // After `disk_full`, retry only when there is space for everything, not by writing.
    if (full) reserve();
    full = false;
    try {
      await receive(ports, record, { safeRoot, resumes }, api, file, ledger, progress.add, context);
    } catch (error) {
      full = error instanceof TransferError && error.code === 'disk_full';
      if (full) reserve();
      throw error;
    }
  };
  try {
    await retryWithActivity(context, attempt, { moved: progress.moved, isPermanent });
    store.writer.write(() => store.files.completed(file.id, ledger.digest()));
    progress.complete();
  } catch (error) {
    const staysAlone = isThere(error) && record.request.collision === 'skip';
    progress.stop(staysAlone ? 0 : ledger.bytes());
    signal.throwIfAborted();
    if (!staysAlone) return { files: [{ file, is: 'failed', error }], lost: null };
    activity.goBack();
    leaveOut(ports, record, file, safeRoot);
  }
  return { files: [{ file, is: 'done' }], lost: null };
}

/** Notes that a file cannot be fetched, and removes what has come of it. */
export function failToFetch(
  ports: JobPorts,
  record: DownloadRecord,
  safeRoot: SafeRoot,
  file: FileRecord,
  error: unknown,
  { activity }: Pick<JobContext, 'activity'>,
): void {
  const { store, log } = ports;
  log.warn({ transfer: record.id, file: file.id, error: String(error) }, 'a file could not be fetched');
  const received = openDownloadLedger(store, file, true).bytes();
  abandon(ports, record, file, safeRoot);
  store.writer.write(() => store.files.failed(file.id, bodyOf(error)));
  if (received === 0) return;
  activity.beginFile(file, received).stop(0);
  activity.goBack();
}

async function receive(
  ports: JobPorts,
  record: DownloadRecord,
  { safeRoot, resumes }: Pick<Destination, 'safeRoot' | 'resumes'>,
  api: HostedClient,
  file: FileRecord,
  ledger: DownloadLedger,
  onBytes: (count: number) => void,
  { signal, retries, activity, line }: JobContext,
): Promise<void> {
  const { store, transport, fileSemaphore, fileSystem } = ports;
  const { weight, gate, large } = sizeClassOf(ports, file.size);
  const { fileId, chunkSize, digest: expected } = storedFileOf(file);
  const missing = chunkCount(file.size, chunkSize) - ledger.ranges.size;
  const inLine = large && line ? await line.inOrder.enter(missing, signal) : null;
  const ownGate: Gate = (work) =>
    gate(() => {
      inLine?.chunkBegan();
      return work();
    });
  let giveBack = (): void => {};
  try {
    if (weight > 0) giveBack = await fileSemaphore.acquire(weight, signal);
    const parent = posix.dirname(file.local);
    const folder = safeRoot.folder(parent === '.' ? '' : parent);
    const temporary = join(folder, temporaryName(record.id, file.id));
    const opened = checkOpened(safeRoot, temporary, pathGuardFor(ports, record), fileSystem);
    const sink = createDiskSink(temporary, file.size, { fileSystem, opened });
    try {
      let target = safeRoot.pathOf(ledger.local());
      const final = { size: file.size, mtimeMs: file.modifiedAt };
      if (ledger.whole() && wasCommitted(sink.temporary, target, final, fileSystem)) return;
      if (resumes && wasNamedEarlier(file, { target, temporary }, fileSystem)) {
        await syncFolder(folder, fileSystem).catch((error: unknown) => {
          throw targetFailure(folder, error);
        });
        return;
      }
      const { digest } = await downloadFile(
        {
          ...retries,
          api,
          gate: ownGate,
          receive: transport.receive,
          hashSlice: transport.hashSink,
          digest: transport.digest,
        },
        {
          packageId: record.facts.packageId,
          file: {
            id: fileId,
            name: file.name,
            size: file.size,
            chunkSize,
            ...(expected === undefined ? {} : { digest: expected }),
          },
          sink,
          facts: { ranges: ledger.ranges },
          doubts: ledger.doubts,
          journal: ledger.journal,
          signal,
          onBytes,
          concurrency: chunksPerTransfer.max,
        },
      );
      ledger.received(digest);
      // Committed before the file gets its name: otherwise a restart would fetch it again and keep both.
      await store.writer.committed();
      for (;;) {
        try {
          const replace = replaces(record, safeRoot, ledger.local());
          await busyWith(activity.times, 'writing', () => sink.commit(target, { mtimeMs: file.modifiedAt, durable: true, replace }));
          return;
        } catch (error) {
          if (!isThere(error) || record.request.collision === 'skip') throw error;
          // Another program has created this name meanwhile: both files are kept.
          const name = withNumber(basename(file.local), (candidate) => !exists(join(folder, candidate), fileSystem));
          target = join(folder, name);
          ledger.movedTo(parent === '.' ? name : `${parent}/${name}`);
          await store.writer.committed();
        }
      }
    } finally {
      await sink.close();
    }
  } finally {
    giveBack();
    inLine?.leave();
  }
}

function isThere(error: unknown): boolean {
  return error instanceof TransferError && error.code === 'target_exists';
}

/** Only files are replaced: if a link or folder has this name by now, it stays and both are kept. */
function replaces({ request }: DownloadRecord, safeRoot: SafeRoot, local: string): boolean {
  return request.collision === 'replace' && safeRoot.entryAt(local) === 'file';
}

/** Another program has created this name meanwhile, and the collision rule is to skip. */
function leaveOut(ports: JobPorts, record: DownloadRecord, file: FileRecord, safeRoot: SafeRoot): void {
  abandon(ports, record, file, safeRoot);
  const detail = 'a file of this name is there already.';
  const path = file.path === '' ? file.name : `${file.path}/${file.name}`;
  ports.store.writer.write(() => ports.store.files.skipped(file.id, new AgentError('left_out', { path, detail }).body));
  ports.registry.recount(record.id);
}

/** Deletes the temporary file of a file that will not be fetched again. */
function abandon({ store, log, fileSystem }: JobPorts, record: DownloadRecord, file: FileRecord, safeRoot: SafeRoot): void {
  try {
    fileSystem.removeNow(join(dirname(safeRoot.pathOf(file.local)), temporaryName(record.id, file.id)));
  } catch (error) {
    log.warn({ transfer: record.id, file: file.id, error: String(error) }, 'a temporary file could not be removed');
  }
  store.writer.write(() => store.files.chunksForgotten(file.id, 'all'));
}

const neverFits = new Set(['ENAMETOOLONG', 'EINVAL', 'EILSEQ', 'EFBIG', 'EISDIR', 'ENOTDIR']);

/** Disk errors that every retry with this name or size would meet. */
function isPermanent(error: unknown): boolean {
  return error instanceof TransferError && error.code === 'target_unwritable' && neverFits.has(systemCode(error.cause));
}
