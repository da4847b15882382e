import { type BatchGetRequests, createBatchGetRequests } from '#client/batch-get.ts';
import type { DownloadCapabilities } from '#client/download-addresses.ts';
import type { HostedClient } from '#client/hosted.ts';
import type { Fetcher } from '#client/ports.ts';
import { pathGuardFor } from '../../folders/path-guard.ts';
import { createSafeRoot, openFolder, type SafeRoot } from '../../folders/safe-root.ts';
import { takeOver } from '../../handovers/take-over.ts';
import type { ObjectSink } from '../../io/sink.ts';
import { syncFolder } from '../../io/sync-folder.ts';
import { createFlush } from '../../io/whole-file.ts';
import { type ClientWith, fetchAhead, fetchReceipt } from '../../receipt/fetch-receipt.ts';
import { filesInProgress } from '../concurrency/limits.ts';
import { FilesFailed } from '../failures.ts';
import type { JobContext, JobEnd, JobPorts } from '../job.ts';
import { pacedBy } from '../pipeline/paced-by.ts';
import { plan } from '../pipeline/plan.ts';
import { runBatches } from '../pipeline/run-batches.ts';
import type { DownloadRecord, FileRecord } from '../record.ts';
import { retryWithActivity } from '../retry-with-activity.ts';
import { askCapabilities, canBatch } from './capabilities.ts';
import { downloadBatch, downloadRules } from './download-batch.ts';
import { failToFetch, fetchFile } from './fetch-file.ts';
import { createPinnedRoot } from './pinned-root.ts';
import { chooseRoot, planFiles, type StoringPlan } from './plan-files.ts';
import { readClient } from './read-client.ts';
import { stillToCome } from './remaining-bytes.ts';

const filesPerPage = 256;
/** A longer receipt comes at the end: a transfer that is stopped again and again would fetch it each time. */
const mostFilesAhead = 20_000;

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
  if (record().secrets.handover) await retryWithActivity(context, () => takeOver(ports, record(), context.signal));
  const clientWith = (fetcher: Fetcher) => readClient({ ...ports, transport: { ...ports.transport, fetcher } }, id, context.signal);
  const api = clientWith(ports.transport.fetcher);
  if (record().facts.root === '') chooseRoot(ports, record());
  // Chosen, and then it could not be made, or the agent was killed: nothing is in it yet.
  else if (!record().facts.planned) openFolder(record().facts.root, pathGuardFor(ports, record()), ports.fileSystem);
  const { root } = record().facts;
  const resumes = Boolean(record().facts.planned);
  const safeRoot = createSafeRoot(root, pathGuardFor(ports, record()), ports.fileSystem, createPinnedRoot(ports, record));
  await retryWithActivity(context, async () => safeRoot.check());
  const storing = record().facts.planned === true ? null : await planFiles(ports, record, safeRoot, clientWith, context);
  try {
    return await fetchPlanned(ports, record, { safeRoot, api, clientWith, storing, resumes }, context);
  } finally {
    await storing?.ended;
  }
}

/** Fetches the files of the plan, of which some may still be stored meanwhile. */
async function fetchPlanned(
  ports: JobPorts,
  record: () => DownloadRecord,
  {
    safeRoot,
    api,
    clientWith,
    storing,
    resumes,
  }: {
    readonly safeRoot: SafeRoot;
    readonly api: HostedClient;
    readonly clientWith: ClientWith;
    readonly storing: StoringPlan | null;
    /** An earlier run has begun to fetch. */
    readonly resumes: boolean;
  },
  context: JobContext,
): Promise<JobEnd> {
  const { id } = record();
  const { root } = record().facts;
  const reserve = (): void =>
    ports.diskReservations.reserve(id, root, () => stillToCome(ports.store, record(), safeRoot, ports.fileSystem));
  await retryWithActivity(context, async () => {
    safeRoot.folder('');
    reserve();
  });
  const started = new Set(ports.store.files.withChunks(id));
  let capabilities: DownloadCapabilities | null = null;
  let requests: BatchGetRequests<ObjectSink> | null = null;
  const requestsFor = (url: string, signal: AbortSignal): BatchGetRequests<ObjectSink> => {
    requests ??= createBatchGetRequests({ fetch: ports.transport.batchGet, gate: ports.gates.small, url, signal });
    return requests;
  };
  const flush = createFlush();
  const flushFolder = (path: string): Promise<void> => syncFolder(path, ports.fileSystem);
  const { request, facts, totalFiles } = record();
  const isAhead = facts.receipt === undefined && request.fileIds === null && totalFiles <= mostFilesAhead;
  const receiptAhead = isAhead ? fetchAhead(ports, record(), clientWith, context.signal) : null;
  try {
    try {
      await runBatches({
        ...pacedBy(context, filesInProgress.download),
        async next(afterId) {
          let files = ports.store.files.pending(id, afterId, filesPerPage);
          while (files.length === 0 && (await storing?.more())) files = ports.store.files.pending(id, afterId, filesPerPage);
          if (!capabilities && canBatch(files)) capabilities = await askCapabilities(api, context);
          return files;
        },
        plan: (files) =>
          plan(
            files,
            downloadRules(capabilities, (file) => started.has(file)),
          ),
        move({ files }, signal) {
          const own = { ...context, signal };
          const [file] = files as [FileRecord];
          if (files.length === 1) return fetchFile(ports, record(), { safeRoot, reserve, started, resumes }, api, file, own);
          const url = capabilities?.batchGetUrl ?? null;
          const batchPorts = {
            ports,
            api,
            requests: url === null ? null : requestsFor(url, signal),
            onRecorded: (recorded: FileRecord) => void started.add(recorded.id),
            flush,
            flushFolder,
            safeRoot,
            guard: pathGuardFor(ports, record()),
            resumes,
            context: own,
          };
          return downloadBatch(batchPorts, record(), files);
        },
        fail: (file, error) => failToFetch(ports, record(), safeRoot, file, error, context),
      });
    } finally {
      ports.diskReservations.release(id);
    }
    if (!record().facts.withoutFailed) failIfAnyFailed(ports, id);
    // Never complete over an empty mount point. What an older agent began has no pin, and ends as it did.
    if (record().facts.rootIdentity !== undefined) await retryWithActivity(context, async () => safeRoot.check());
    if (record().facts.receipt === undefined) {
      const receipt = await fetchReceipt(ports, record(), clientWith, context, receiptAhead);
      ports.registry.changeDownload(id, { facts: { ...record().facts, receipt } });
    }
    return { type: 'finish' };
  } finally {
    await receiptAhead?.discard();
  }
}

function failIfAnyFailed({ store }: JobPorts, id: string): void {
  const { count, first, onlySenderHelps } = store.files.failures(id);
  if (count === 0 || !first) return;
  const total = store.files.counts(id).totalFiles;
  throw new FilesFailed({ count, total, detail: first.error.message }, onlySenderHelps ? 'finalize_without' : 'retry');
}
