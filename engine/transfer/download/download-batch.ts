import { posix } from 'node:path';
import { type BatchGetPlace, type BatchGetRequests, batchGetLimits, type ObjectToFetch } from '#client/batch-get.ts';
import { batchOfAddresses, type DownloadCapabilities, sharedAddressOf } from '#client/download-addresses.ts';
import type { HostedClient } from '#client/hosted.ts';
import type { FileSystem, OpenFile } from '#filesystem/port.ts';
import { smallFileSize } from '#protocol/limits.ts';
import { childPath } from '../../folders/child-path.ts';
import type { PathGuard } from '../../folders/path-guard.ts';
import type { SafeRoot } from '../../folders/safe-root.ts';
import { temporaryName } from '../../folders/temporary-name.ts';
import type { ObjectSink } from '../../io/sink.ts';
import type { FolderFlush } from '../../io/sync-folder.ts';
import { busyWith } from '../../io/time-split.ts';
import { type Flush, writeWhole } from '../../io/whole-file.ts';
import type { FilesActivity } from '../activity.ts';
import { type BatchCalls, createBatchCalls } from '../batch-calls.ts';
import { filesPerBatch } from '../concurrency/limits.ts';
import type { JobContext, JobPorts } from '../job.ts';
import type { PlanRules } from '../pipeline/plan.ts';
import type { Outcome, Outcomes } from '../pipeline/settle.ts';
import { type DownloadRecord, type FileRecord, storedFileOf } from '../record.ts';
import { type Arrivals, createArrivals } from './arrivals.ts';
import { wasNamedEarlier } from './named-earlier.ts';
import { checkOpened } from './opened-target.ts';

/**
 * Downloads a batch of small files: one call for their addresses, one request for their bytes, and one statement after
 * the other in a single turn for their notes. So no file has its own waiting procedure, which is most of the cost of a
 * small file (docs/decisions/0033). A file with any problem is left to `fetchFile`, which does the same in more steps
 * and handles the problem.
 */

interface DownloadBatchPorts {
  readonly ports: Pick<JobPorts, 'store' | 'fileSemaphore' | 'fileSystem' | 'gates'> & {
    readonly transport: Pick<JobPorts['transport'], 'receive' | 'isQuickForBatchGet'>;
  };
  readonly api: HostedClient;
  /** Where the storage has none, or refuses them, each file has a request of its own. */
  readonly requests: BatchGetRequests<ObjectSink> | null;
  /** Called with each file whose bytes are all noted, and that has not got its name. */
  readonly onRecorded: (file: FileRecord) => void;
  readonly flush: Flush;
  readonly flushFolder: FolderFlush;
  readonly safeRoot: SafeRoot;
  readonly guard: PathGuard | null;
  /** An earlier run has begun, so that files may have names which are not noted. */
  readonly resumes: boolean;
  readonly context: JobContext;
}

/** Which files come in batches, and how many in one. `null`: no files do. */
export function downloadRules(capabilities: DownloadCapabilities | null, isStarted: (id: number) => boolean): PlanRules {
  return {
    shares: ({ id, kind, size, remote }) =>
      kind === 'file' && size > 0 && size <= smallFileSize && remote.state === 'stored' && remote.chunkSize >= size && !isStarted(id),
    most: {
      files: Math.min(filesPerBatch, capabilities?.maxFiles ?? 0),
      bytes: capabilities?.batchGetUrl ? batchGetLimits.bytes : Number.POSITIVE_INFINITY,
    },
  };
}

/** Fetches the batch. Throws what ends the transfer, and the signal's reason. */
export async function downloadBatch(
  batchPorts: DownloadBatchPorts,
  record: DownloadRecord,
  files: readonly FileRecord[],
): Promise<Outcomes> {
  const { ports, api, flush, flushFolder, safeRoot, guard, onRecorded, context } = batchPorts;
  const { activity, signal } = context;
  const calls = createBatchCalls(ports.fileSemaphore, context, files.length);
  const progress = activity.beginFiles(files);
  const failures = new Map<FileRecord, unknown>();
  let receivedBytes = 0;
  try {
    const replaces = (local: string): boolean => record.request.collision === 'replace' && safeRoot.entryAt(local) === 'file';
    const arrivals = createArrivals({
      store: ports.store,
      fileSystem: ports.fileSystem,
      flushFolder,
      progress,
      replaces,
      now: context.clock.now,
    });
    const left = batchPorts.resumes ? withoutNamed(batchPorts, record, files, arrivals) : files;
    if (left.length < files.length) await arrivals.settled();
    const shares = batchPorts.requests?.allowed === true && ports.transport.isQuickForBatchGet();
    // Their rows are committed before the first has its name: a restart finds that by its row.
    const [{ at, wanted }] = await Promise.all([
      withAddresses(calls, { api, shares }, record, left, signal),
      ports.store.writer.committed(),
    ]);
    const folders = foldersOf(safeRoot, wanted.keys());
    const requested: Requested[] = [];
    const sameRoot = { root: safeRoot.root, check: onceATurn(safeRoot.check) };
    for (const [file, from] of wanted) {
      const folder = folders.get(posix.dirname(file.local));
      if (folder === undefined) continue;
      const target = { folder, temporary: childPath(folder, temporaryName(record.id, file.id)) };
      requested.push({ file, from, ...target, opened: checkOpened(sameRoot, target.temporary, guard, ports.fileSystem) });
    }
    const missing = new Set<ObjectToFetch<ObjectSink>>();
    for (const one of requested) missing.add(objectOf(one, { arrivals, missing, failures, flush, progress, fileSystem: ports.fileSystem }));
    let lost: Outcomes['lost'] = null;
    try {
      if (missing.size > 0) await calls.once(() => receive(batchPorts, missing, at));
    } catch (error) {
      lost = { error };
    }
    const { complete, recorded } = await busyWith(activity.times, 'writing', arrivals.settled);
    for (const file of recorded) {
      receivedBytes += file.size;
      onRecorded(file);
    }
    signal.throwIfAborted();
    const outcomeOf = (file: FileRecord): Outcome => {
      if (complete.has(file)) return { file, is: 'done' };
      return failures.has(file) ? { file, is: 'failed', error: failures.get(file) } : { file, is: 'missed' };
    };
    return { files: files.map(outcomeOf), lost };
  } finally {
    progress.stop(receivedBytes);
  }
}

/** Many files are written in one turn of the event loop; a look at their root before the first does for all of them. */
function onceATurn(check: () => void): () => void {
  let looked = false;
  return () => {
    if (looked) return;
    check();
    looked = true;
    queueMicrotask(() => {
      looked = false;
    });
  };
}

/**
 * In one request; each by itself where there is none, and where it does not bring a file, as under a slow limit. Throws
 * only if the request is lost.
 *
 * @param missing which leave it once they have come or failed
 */
async function receive(
  { ports: { transport, gates }, requests, context: { signal } }: DownloadBatchPorts,
  missing: ReadonlySet<ObjectToFetch<ObjectSink>>,
  at: BatchGetPlace | null,
): Promise<void> {
  if (requests?.allowed) await requests.fetch([...missing], at ?? undefined);
  const receiveOne = async ({ from, sink, slice, onBytes, onReceived, onFailure }: ObjectToFetch<ObjectSink>): Promise<void> => {
    // Without an address of its own it gets one when it goes by itself.
    if (!('url' in from)) return;
    const { url } = from;
    try {
      onReceived(
        await gates.small(async () => {
          signal.throwIfAborted();
          return transport.receive(url, sink, slice, { onBytes, signal });
        }),
      );
    } catch (error) {
      onFailure(error);
    }
  };
  await Promise.all([...missing].map(receiveOne));
}

interface Requested {
  readonly file: FileRecord;
  readonly from: ObjectToFetch<ObjectSink>['from'];
  /** The real path of its folder. */
  readonly folder: string;
  readonly temporary: string;
  readonly opened: (file: OpenFile) => void;
}

/** `at`: where all of them are asked for, if one address stands for them; by their own otherwise. */
async function withAddresses(
  calls: BatchCalls,
  { api, shares }: { readonly api: HostedClient; readonly shares: boolean },
  { facts: { packageId } }: DownloadRecord,
  files: readonly FileRecord[],
  signal: AbortSignal,
): Promise<{ readonly at: BatchGetPlace | null; readonly wanted: ReadonlyMap<FileRecord, ObjectToFetch<ObjectSink>['from']> }> {
  if (files.length === 0) return { at: null, wanted: new Map() };
  const ids = files.map((file) => storedFileOf(file).fileId);
  const call = { api, packageId, signal };
  const answer = await calls.ask(async () =>
    shares ? await sharedAddressOf(call, ids) : { url: null, files: await batchOfAddresses(call, ids) },
  );
  const wanted = new Map<FileRecord, ObjectToFetch<ObjectSink>['from']>();
  const keys: string[] = [];
  const shared = answer?.url ?? null;
  answer?.files.forEach(({ url, object }, index) => {
    if (shared !== null && object !== undefined) wanted.set(files[index]!, { position: keys.push(object) - 1 });
    else if (shared === null && url !== undefined) wanted.set(files[index]!, { url });
  });
  return { at: shared === null ? null : { shared, keys }, wanted };
}

/** The files that are still to come. An earlier run has given the others their names, which is noted now. */
function withoutNamed(
  { ports: { fileSystem }, safeRoot }: DownloadBatchPorts,
  record: DownloadRecord,
  files: readonly FileRecord[],
  arrivals: Arrivals,
): readonly FileRecord[] {
  const folders = foldersOf(safeRoot, files);
  return files.filter((file) => {
    const folder = folders.get(posix.dirname(file.local));
    if (folder === undefined) return true;
    const places = {
      target: childPath(folder, posix.basename(file.local)),
      temporary: childPath(folder, temporaryName(record.id, file.id)),
    };
    try {
      if (!wasNamedEarlier(file, places, fileSystem)) return true;
    } catch {
      // Who writes it meets the disk's error again.
      return true;
    }
    arrivals.found(file, folder);
    return false;
  });
}

/** Their folders, by path in the package; each is checked once. A folder that cannot be used is missing. */
function foldersOf(safeRoot: SafeRoot, files: Iterable<FileRecord>): ReadonlyMap<string, string> {
  const folders = new Map<string, string>();
  const tried = new Set<string>();
  for (const { local } of files) {
    const path = posix.dirname(local);
    if (tried.has(path)) continue;
    tried.add(path);
    try {
      folders.set(path, safeRoot.folder(path === '.' ? '' : path));
    } catch {
      // Reported when its first file is retried by itself.
    }
  }
  return folders;
}

interface Receiving {
  readonly arrivals: Arrivals;
  readonly missing: Set<ObjectToFetch<ObjectSink>>;
  readonly failures: Map<FileRecord, unknown>;
  readonly flush: Flush;
  readonly progress: FilesActivity;
  readonly fileSystem: FileSystem;
}

function objectOf(
  { file, from, folder, temporary, opened }: Requested,
  { arrivals, missing, failures, flush, progress, fileSystem }: Receiving,
): ObjectToFetch<ObjectSink> {
  let flushed: Promise<void> | undefined;
  let pieces: Buffer[] = [];
  let length = 0;
  const object: ObjectToFetch<ObjectSink> = {
    from,
    slice: { offset: 0, length: file.size },
    onBytes: progress.add,
    sink: {
      write(buffers) {
        // Under a slow limit a file comes in pieces.
        for (const bytes of buffers) length += bytes.length;
        pieces.push(...buffers);
        if (length < file.size) return undefined;
        const whole = pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
        pieces = [];
        const writing = writeWhole(temporary, whole, { mtimeMs: file.modifiedAt, opened, fileSystem });
        const written = (open: OpenFile): void => {
          flushed = flush(temporary, open);
        };
        if (writing instanceof Promise) return writing.then(written);
        written(writing);
        return undefined;
      },
    },
    onReceived({ blake3 }) {
      missing.delete(object);
      arrivals.add({ file, folder, temporary, flushed, blake3 });
    },
    onFailure(error) {
      missing.delete(object);
      failures.set(file, error);
    },
  };
  return object;
}
