import { rmSync } from 'node:fs';
import { basename, dirname, join, posix } from 'node:path';
import { chunkCount } from '#client/chunks.ts';
import { downloadFile } from '#client/download.ts';
import type { DownloadCapabilities } from '#client/download-addresses.ts';
import { TransferError } from '#client/errors.ts';
import { mayEndTransfer } from '#client/faults.ts';
import type { HostedClient } from '#client/hosted.ts';
import type { Fetcher, Gate } from '#client/ports.ts';
import { AgentError } from '#protocol/errors.ts';
import type { File } from '#protocol/hosted/files.ts';
import { limits } from '#protocol/limits.ts';
import { engineActivity } from '../../activity-channel.ts';
import { systemCode } from '../../errors.ts';
import { refuseHiddenNames } from '../../folders/hidden-names.ts';
import { withNumber } from '../../folders/names.ts';
import { checkTarget, pathGuardFor } from '../../folders/path-guard.ts';
import { createSafeRoot, openFolder, probeNames, type SafeRoot } from '../../folders/safe-root.ts';
import { exists } from '../../folders/scan.ts';
import { createTargetPlanner, folderNameFor, type PlanOptions, type TargetPlanner } from '../../folders/targets.ts';
import { temporaryName } from '../../folders/temporary-name.ts';
import { createDiskSink } from '../../io/disk-sink.ts';
import { wasCommitted } from '../../io/publish-file.ts';
import { syncFolder } from '../../io/sync-folder.ts';
import { busyWith } from '../../io/time-split.ts';
import { createFlush } from '../../io/whole-file.ts';
import { type ClientWith, settleReceipt } from '../../receipt/settle.ts';
import { type Batching, eachFile } from '../concurrency/each-file.ts';
import { batchesInProgress, chunksPerTransfer, filesInProgress } from '../concurrency/limits.ts';
import { bodyOf } from '../failures.ts';
import { type JobContext, type JobEnd, type JobPorts, sizeClassOf } from '../job.ts';
import type { DownloadRecord, FileRecord, NewFile } from '../record.ts';
import { keepTrying } from '../retry-until-done.ts';
import { askCapabilities, canBatch, createDownloadBatching, type DownloadBatching, noBatching } from './batch-requests.ts';
import { downloadBatch, downloadBatchSize } from './download-batch.ts';
import { type DownloadLedger, openDownloadLedger } from './download-ledger.ts';
import { fetchListing, wantedOf } from './listing.ts';
import { readClient } from './read-client.ts';
import { stillToCome } from './remaining-bytes.ts';
import { giveTurns } from './turns.ts';

const filesPerPage = 256;

/**
 * Downloads a package into a folder and resumes where an earlier run stopped: listing, names, files
 * (contract/files-and-blueprints.md §9). Throws the errors that end the transfer; complete files stay.
 */
export async function runDownload(ports: JobPorts, id: string, context: JobContext): Promise<JobEnd> {
  const record = (): DownloadRecord => {
    const found = ports.registry.get(id);
    if (found.kind !== 'download') throw new Error(`The transfer ${id} is no download.`);
    return found;
  };
  const clientWith = (fetcher: Fetcher) => readClient({ ...ports, transport: { ...ports.transport, fetcher } }, id, context.signal);
  const api = clientWith(ports.transport.fetcher);
  if (record().facts.root === '') chooseRoot(ports, record());
  if (!record().facts.planned) await planFiles(ports, record(), clientWith, context);

  const { root } = record().facts;
  const safeRoot = createSafeRoot(root, pathGuardFor(ports, record()));
  const reserve = (): void => ports.diskReservations.reserve(id, root, () => stillToCome(ports.store, record(), safeRoot));
  await keepTrying(context, async () => {
    safeRoot.folder('');
    reserve();
  });
  const begun = new Set(ports.store.files.begunOnes(id));
  const askedBefore = new Set<number>();
  let capabilities: DownloadCapabilities | null = null;
  let batching = noBatching;
  const batchingFor = (signal: AbortSignal): DownloadBatching => {
    if (capabilities && batching === noBatching)
      batching = createDownloadBatching(ports, { api, packageId: record().facts.packageId }, capabilities, { ...context, signal });
    return batching;
  };
  const flush = createFlush();
  const inBatches: Batching = {
    weight: filesInProgress.download / batchesInProgress,
    count(files, from) {
      if (!capabilities || capabilities.batchGetUrl === null || batching.requests?.allowed === false) return 0;
      return Math.min(
        capabilities.maxFiles,
        downloadBatchSize(files, from, (file) => begun.has(file)),
      );
    },
    async work(files, signal) {
      const { requests } = batchingFor(signal);
      if (!requests) return files;
      const guard = pathGuardFor(ports, record());
      const own = { ...context, signal };
      const left = await downloadBatch(
        { ports, api, requests, flush, flushFolder: syncFolder, safeRoot, guard, context: own },
        record(),
        files,
      );
      for (const file of left.asked) askedBefore.add(file.id);
      for (const file of left.recorded) begun.add(file.id);
      return [...left.asked, ...left.notAsked];
    },
  };
  try {
    await eachFile({
      async next(afterId) {
        const files = ports.store.files.pending(id, afterId, filesPerPage);
        if (!capabilities && canBatch(files)) capabilities = await askCapabilities(api, context);
        return files;
      },
      limit: filesInProgress.download,
      signal: context.signal,
      work(file, signal) {
        const all = batchingFor(signal);
        const own = askedBefore.has(file.id) ? { ...all, receive: null } : all;
        return fetchFile(ports, record(), { safeRoot, reserve, begun, batching: own }, api, file, { ...context, signal });
      },
      batching: inBatches,
    });
  } finally {
    ports.diskReservations.release(id);
  }
  const { count, first } = ports.store.files.failures(id);
  if (count > 0 && first) {
    const total = ports.store.files.counts(id).totalFiles;
    throw new AgentError('files_failed', { count, total, detail: first.error?.message ?? first.name });
  }
  if (record().facts.receipt === undefined) {
    const receipt = await settleReceipt(ports, record(), clientWith, context);
    ports.registry.changeDownload(id, { facts: { ...record().facts, receipt } });
  }
  return { type: 'finish' };
}

/**
 * The chosen folder itself, or a new one in it that is named after the package. The choice is noted before the folder
 * is created, so that a restart does not create a second one.
 */
function chooseRoot(ports: JobPorts, record: DownloadRecord): void {
  const { registry, store } = ports;
  const { id, request, facts, name } = record;
  const chosen = openFolder(facts.folder ?? request.dstFolder, pathGuardFor(ports, record));
  const root = request.createPackageFolder
    ? join(
        chosen,
        withNumber(folderNameFor(name), (candidate) => !exists(join(chosen, candidate))),
      )
    : chosen;
  registry.changeDownload(id, { facts: { ...facts, root } });
  store.writer.flush();
  openFolder(root, pathGuardFor(ports, record));
}

async function planFiles(ports: JobPorts, record: DownloadRecord, client: ClientWith, context: JobContext): Promise<void> {
  const { registry, store } = ports;
  const { id, request, facts } = record;
  const all = await keepTrying(context, () => fetchListing(ports.transport, client, facts.packageId, context.signal));
  const listing = wantedOf(all, request.fileIds);
  // The package may hold other names now than at the time of the request.
  if (!request.allowHidden && !request.createPackageFolder) refuseHiddenNames(facts.root, listing);
  if (request.fileIds && listing.length < new Set(request.fileIds).size) throw new AgentError('not_found', { resource: 'file' });
  engineActivity.publish(`plan the files of download ${id}`);
  const safeRoot = createSafeRoot(facts.root, pathGuardFor(ports, record));
  const rules = await keepTrying(context, async () => {
    safeRoot.folder('');
    return probeNames(facts.root, id);
  });
  const redirected = await insertPlanned(
    ports,
    id,
    listing,
    { ...rules, entryAt: safeRoot.entryAt, collision: request.collision ?? 'keep_both' },
    context.signal,
  );
  if (redirected.count > 0) {
    const others = redirected.count > 1 ? ` (+ ${redirected.count - 1})` : '';
    registry.log(id, 'names_changed', `${redirected.first}${others}`);
  }
  registry.recount(id);
  registry.changeDownload(id, { facts: { ...facts, planned: true } });
  await store.writer.committed();
}

const rowsAtOnce = 128;

/**
 * Plans the target of every file and stores the plan, replacing the state of an earlier run; the plan is valid once
 * `planned` is noted. Returns the files that are renamed because their own names change the text direction.
 */
async function insertPlanned(
  { store }: JobPorts,
  id: string,
  listing: readonly File[],
  options: PlanOptions,
  signal: AbortSignal,
): Promise<TargetPlanner['redirected']> {
  const turn = giveTurns(signal);
  while (store.writer.write(() => store.files.removeSome(id, rowsAtOnce))) await turn();
  const planner = createTargetPlanner(options);
  for (const record of listing) {
    planner.see(record);
    const pause = turn();
    if (pause) await pause;
  }
  let rows: NewFile[] = [];
  const write = (): void => {
    const written = rows;
    rows = [];
    store.writer.write(() => store.files.insert(id, written));
  };
  for (const record of listing) {
    rows.push(planner.plan(record));
    if (rows.length === rowsAtOnce) write();
    const pause = turn();
    if (pause) await pause;
  }
  write();
  return planner.redirected;
}

/** Where the files of one download go. */
interface Destination {
  readonly safeRoot: SafeRoot;
  /** Reserves disk space for all remaining bytes; throws `disk_full` with the missing amount. */
  readonly reserve: () => void;
  /** Files with progress from an earlier run. */
  readonly begun: ReadonlySet<number>;
  readonly batching: DownloadBatching;
}

async function fetchFile(
  ports: JobPorts,
  record: DownloadRecord,
  { safeRoot, reserve, begun, batching }: Destination,
  api: HostedClient,
  file: FileRecord,
  context: JobContext,
): Promise<void> {
  const { store } = ports;
  const { activity, signal } = context;
  const ledger = openDownloadLedger(store, file, begun.has(file.id));
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
      await receive(ports, record, { safeRoot, batching }, api, file, ledger, progress.add, context);
    } catch (error) {
      full = error instanceof TransferError && error.code === 'disk_full';
      if (full) reserve();
      throw error;
    }
  };
  try {
    await keepTrying(context, attempt, { moved: progress.moved, isPermanent });
    store.writer.write(() => store.files.completed(file.id, ledger.digest() || file.digest));
    progress.complete();
  } catch (error) {
    const staysAlone = isThere(error) && record.request.collision === 'skip';
    progress.stop(staysAlone ? 0 : ledger.bytes());
    signal.throwIfAborted();
    if (staysAlone) {
      leaveOut(ports, record, file, safeRoot);
      return;
    }
    if (mayEndTransfer(error)) throw error;
    ports.log.warn({ transfer: record.id, file: file.id, error: String(error) }, 'a file could not be fetched');
    abandon(ports, record, file, safeRoot);
    store.writer.write(() => store.files.failed(file.id, bodyOf(error)));
  }
}

const atOnce: Gate = (work) => work();

async function receive(
  ports: JobPorts,
  record: DownloadRecord,
  { safeRoot, batching }: Pick<Destination, 'safeRoot' | 'batching'>,
  api: HostedClient,
  file: FileRecord,
  ledger: DownloadLedger,
  onBytes: (count: number) => void,
  { signal, retries, activity, line }: JobContext,
): Promise<void> {
  const { store, transport, fileSemaphore } = ports;
  const { weight, gate, shared, large } = sizeClassOf(ports, file.size, batching.addresses !== null);
  const missing = chunkCount(file.size, file.chunkSize || limits.defaultChunkSize) - ledger.ranges.size;
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
    const guard = pathGuardFor(ports, record);
    const sink = createDiskSink(temporary, file.size, guard ? { opened: checkTarget(guard, temporary) } : {});
    try {
      let target = safeRoot.pathOf(ledger.local());
      const final = { size: file.size, mtimeMs: file.modifiedAt };
      if (ledger.whole() && wasCommitted(sink.temporary, target, final)) return;
      const { digest } = await downloadFile(
        {
          ...retries,
          api,
          ...(shared && batching.addresses ? { addresses: batching.addresses } : {}),
          ...(shared && batching.receive ? { gate: atOnce, receive: batching.receive } : { gate: ownGate, receive: transport.receive }),
          hashSlice: transport.hashSink,
          digest: transport.digest,
        },
        {
          packageId: record.facts.packageId,
          file: {
            id: file.remoteId,
            name: file.name,
            size: file.size,
            chunkSize: file.chunkSize,
            ...(file.digest === '' ? {} : { digest: file.digest }),
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
          const name = withNumber(basename(file.local), (candidate) => !exists(join(folder, candidate)));
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
function abandon({ store, log }: JobPorts, record: DownloadRecord, file: FileRecord, safeRoot: SafeRoot): void {
  try {
    rmSync(join(dirname(safeRoot.pathOf(file.local)), temporaryName(record.id, file.id)), { force: true });
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
