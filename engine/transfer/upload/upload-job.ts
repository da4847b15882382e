import { type UploadCapabilities, uploadCapabilities } from '#client/batch-file-calls.ts';
import { createBatchPutRequests } from '#client/batch-put.ts';
import { type BatchBlueprints, createBatchBlueprints } from '#client/batch-records.ts';
import { createHostedClient, type HostedClient } from '#client/hosted.ts';
import { AgentError, ApiError } from '#protocol/errors.ts';
import { takeOver } from '../../handovers/take-over.ts';
import { type ClientWith, fetchReceipt } from '../../receipt/fetch-receipt.ts';
import { filesInProgress, filesPerBatch } from '../concurrency/limits.ts';
import { type JobContext, type JobEnd, type JobPorts, packageClient } from '../job.ts';
import { pacedBy } from '../pipeline/paced-by.ts';
import { plan } from '../pipeline/plan.ts';
import { runBatches } from '../pipeline/run-batches.ts';
import type { Outcomes } from '../pipeline/settle.ts';
import { type FileRecord, packageIdOf, type UploadRecord } from '../record.ts';
import { renewingClient } from '../renewing-client.ts';
import { retryWithActivity } from '../retry-with-activity.ts';
import type { FileSupply } from './file-supply.ts';
import { createGrowingFiles } from './growing/growing-files.ts';
import { beginNewPackage, isUnknownPackage } from './new-package.ts';
import { createScanner } from './scanner.ts';
import type { StorageRequests } from './send-created.ts';
import { failToSend, type Receiver, sendFile } from './send-file.ts';
import { type UploadBatchPorts, uploadBatch, uploadRules } from './upload-batch.ts';
import { matchWithService, rescan, tableIsWhole } from './upload-check.ts';
import { finalizePackage, readLinks } from './upload-end.ts';
import { createPackage, deleteRemotePackage } from './upload-package.ts';
import { uploadPacked } from './upload-packed.ts';

const filesPerPage = 256;

/**
 * Uploads a package and resumes where an earlier run stopped: scan and files, finalize, links
 * (contract/files-and-blueprints.md §1). The first files are sent while the scan still runs. Each step is noted before
 * the next begins, and each is idempotent. If the service was restored from a backup without the package, everything is
 * sent to a new one. Throws what ends the transfer.
 */
export async function runUpload(ports: JobPorts, id: string, context: JobContext): Promise<JobEnd> {
  const { registry } = ports;
  const record = (): UploadRecord => {
    const found = registry.get(id);
    if (found.kind !== 'upload') throw new Error(`The transfer ${id} is no upload.`);
    return found;
  };
  if (record().secrets.handover) await retryWithActivity(context, () => takeOver(ports, record(), context.signal));
  if (record().facts.package.state === 'to_delete') await deleteRemotePackage(ports, record(), context);
  for (;;) {
    try {
      return await sendToPackage(ports, record, context);
    } catch (error) {
      context.signal.throwIfAborted();
      if (!isUnknownPackage(error, record())) throw error;
      await beginNewPackage(ports, record(), context);
    }
  }
}

async function sendToPackage(ports: JobPorts, record: () => UploadRecord, context: JobContext): Promise<JobEnd> {
  const { registry } = ports;
  const { id } = record();
  if (record().facts.package.state !== 'finalized') {
    const end = await sendAndClose(ports, record, context);
    if (end === 'nothing_left') {
      if (record().facts.package.state !== 'none') await deleteRemotePackage(ports, record(), context);
      return { type: end };
    }
    if (end === 'open') return { type: record().request.intoPackage ? 'finish' : 'all_sent' };
    registry.patchUpload(id, { package: { state: 'finalized', id: packageIdOf(record()) } });
  }
  const askForLinks = () => readLinks(clientOf(ports, record(), context), record(), context.signal);
  // A sender through a Portal may not create links; its Team does.
  const earlyLinks = record().request.portal ? null : ahead(askForLinks());
  if (record().facts.receipt === undefined) {
    const client: ClientWith = (fetcher) => clientOf({ ...ports, transport: { ...ports.transport, fetcher } }, record(), context);
    const receipt = await fetchReceipt(ports, record(), client, context);
    registry.patchUpload(id, { receipt });
  }
  if (earlyLinks !== null) {
    const links = (await earlyLinks) ?? (await retryWithActivity(context, askForLinks));
    registry.patchUploadSecrets(id, { links });
  }
  return { type: 'finish' };
}

/** A call that is made before its turn, which saves its round trip on a far line. Null: it failed, and is made in its turn. */
const ahead = <T>(call: Promise<T>): Promise<T | null> => call.catch(() => null);

/** How often differences are resolved by sending again. */
const mostDifferences = 2;

/** Sends everything and closes the package once it is complete; `open` if a person closes it later. */
async function sendAndClose(ports: JobPorts, record: () => UploadRecord, context: JobContext): Promise<'open' | 'closed' | 'nothing_left'> {
  const { registry, store, log } = ports;
  const { id } = record();
  for (let differences = 0; ; differences++) {
    await sendAll(ports, record, context);
    const { request, facts } = record();
    if (request.automationId !== undefined && isAllLeftOut(store, id)) return 'nothing_left';
    if (!request.autoFinalize && !facts.finalizeAsked) return 'open';
    if (facts.package.state === 'open') registry.patchUpload(id, { package: { state: 'closing', id: facts.package.id } });
    // Without this commit, a file whose completion was lost would be sent into a closed package.
    await store.writer.committed();
    const api = clientOf(ports, record(), context);
    // Remains of failed files at the service would keep the package open, or be included in it.
    if (facts.withoutFailed) await matchWithService(ports, record(), { api, others: false }, context);
    try {
      await retryWithActivity(context, () => finalizePackage(api, packageIdOf(record()), store.files.sent(id), context.signal));
      return 'closed';
    } catch (error) {
      context.signal.throwIfAborted();
      if (!isDifference(error) || differences === mostDifferences) throw error;
      log.warn({ transfer: id, error: error.message }, 'the package holds other files than were sent; they are compared one by one');
      await matchWithService(ports, record(), { api, others: differences > 0 }, context);
      rescan(ports, id);
    }
  }
}

/** Besides differing counts: files that were begun at the service and have no row. */
function isDifference(error: unknown): error is ApiError {
  return error instanceof ApiError && (error.error === 'package_differs' || error.error === 'state_conflict');
}

/** One that adds to a package of somebody else asks its host for another token, once the service refuses the one that it has. */
function clientOf(ports: JobPorts, { id, request, secrets }: UploadRecord, { signal }: JobContext): HostedClient {
  const { registry } = ports;
  const { serviceUrl } = request;
  if (!request.intoPackage) return packageClient(ports, serviceUrl, secrets.packageToken);
  const token = (): string => {
    const found = registry.get(id);
    return found.secrets.packageToken ?? '';
  };
  return renewingClient(ports, {
    serviceUrl,
    token,
    async renew(cause) {
      const packageId = packageIdOf(registry.get(id));
      const packageToken = await ports.renewPackageToken(
        { transferId: id, serviceUrl, packageId, source: { kind: 'package' }, refused: token() },
        signal,
      );
      if (packageToken === null) throw cause;
      registry.patchUploadSecrets(id, { packageToken });
      await ports.store.writer.committed();
    },
  });
}

/** Scans and sends until every path is scanned and every file is sent or has failed; throws if files failed. */
async function sendAll(ports: JobPorts, record: () => UploadRecord, context: JobContext): Promise<void> {
  const { id } = record();
  const supplies = [createScanner(ports, id, context)];
  const service = createHostedClient({ baseUrl: record().request.serviceUrl, fetcher: ports.transport.fetcher });
  const askCapabilities = () => uploadCapabilities(service, context.signal);
  try {
    if (record().request.growing) {
      if (record().facts.package.state === 'none') await createPackage(ports, record(), context);
      supplies.push(createGrowingFiles(ports, id, await receiverOfGrowing(ports, record(), context), context));
    }
    do {
      while ((await nextFiles(ports, supplies, id, 0)).length > 0) {
        const early = ahead(askCapabilities());
        if (record().facts.package.state === 'none') await createPackage(ports, record(), context);
        const capabilities = (await early) ?? (await retryWithActivity(context, askCapabilities));
        await sendFiles(ports, record, { supplies, capabilities }, context);
      }
    } while (!tableIsWhole(ports, record()));
  } finally {
    await Promise.all(supplies.map((supply) => supply.close()));
  }
  const { request, added, totalFiles, facts } = record();
  if (totalFiles === 0 && request.automationId === undefined)
    throw new AgentError('nothing_to_send', { path: [...request.paths, ...added].join(', ') });
  if (!facts.withoutFailed) failIfAnyFailed(ports, record());
}

/** Whether no file is left of those that an automation has chosen: empty folders alone are nothing to send. */
const isAllLeftOut = ({ files }: JobPorts['store'], id: string): boolean => files.sent(id).files === 0 && files.failures(id).count === 0;

async function receiverOfGrowing(ports: JobPorts, record: UploadRecord, context: JobContext): Promise<Receiver> {
  const api = clientOf(ports, record, context);
  const { maxChunkSize } = await retryWithActivity(context, () => uploadCapabilities(api, context.signal));
  return { api, maxChunkSize };
}

/**
 * The next files that can be sent and are not; waits for the scan, and at the beginning for growing files, if needed. An
 * empty list ends the upload of files.
 */
async function nextFiles({ store }: JobPorts, supplies: readonly FileSupply[], id: string, afterId: number): Promise<FileRecord[]> {
  for (;;) {
    for (const supply of supplies) supply.ensure();
    const files = store.files.pending(id, afterId, filesPerPage);
    // A file that has become still may have a smaller id.
    const awaited = supplies.filter(({ running, ascending }) => running && (ascending || afterId === 0));
    if (files.length > 0 || awaited.length === 0) return files;
    await Promise.race(awaited.map((supply) => supply.nextUpdate()));
  }
}

/** An incomplete package is not closed: a person decides. */
function failIfAnyFailed({ store }: JobPorts, { id }: UploadRecord): void {
  const { count, first } = store.files.failures(id);
  if (count === 0 || !first) return;
  throw new AgentError('files_failed', { count, total: store.files.counts(id).totalFiles, detail: first.error.message });
}

/** Without being created before, where the service and the storage can. */
async function uploadMany(
  batchPorts: UploadBatchPorts & { readonly blueprints: BatchBlueprints | null },
  record: UploadRecord,
  files: readonly FileRecord[],
): Promise<Outcomes> {
  const { ports, requests, blueprints } = batchPorts;
  if (requests?.allowed && blueprints !== null && ports.transport.isQuickForBatchPut()) {
    const outcomes = await uploadPacked({ ...batchPorts, requests, blueprints }, record, files);
    if (outcomes !== null) return outcomes;
  }
  // What an earlier batch may have sent is looked for before it goes by itself.
  const missed = files.filter(({ remote }) => remote.state === 'packed').map((file) => ({ file, is: 'missed' }) as const);
  const others = files.filter(({ remote }) => remote.state !== 'packed');
  const outcomes = others.length === 0 ? { files: [], lost: null } : await uploadBatch(batchPorts, record, others);
  return { ...outcomes, files: [...outcomes.files, ...missed] };
}

async function sendFiles(
  ports: JobPorts,
  record: () => UploadRecord,
  { supplies, capabilities }: { readonly supplies: readonly FileSupply[]; readonly capabilities: UploadCapabilities },
  context: JobContext,
): Promise<void> {
  const { id } = record();
  const api = clientOf(ports, record(), context);
  const { maxFiles, batchPutUrl, maxChunkSize } = capabilities;
  let requests: StorageRequests | null = null;
  const requestsFor = (url: string, signal: AbortSignal): StorageRequests => {
    requests ??= createBatchPutRequests({ put: ports.transport.batchPut, gate: ports.gates.small, url, signal });
    return requests;
  };
  const blueprints =
    capabilities.maxRecords < filesPerBatch
      ? null
      : createBatchBlueprints({ api, packageId: packageIdOf(record()), signal: context.signal });
  await runBatches({
    ...pacedBy(context, maxFiles > 0 ? filesInProgress.upload.inBatches : filesInProgress.upload.single),
    next: (afterId) => nextFiles(ports, supplies, id, afterId),
    plan: (files) => plan(files, uploadRules(capabilities, record().request)),
    move({ files }, signal) {
      const own = { ...context, signal };
      const [file] = files as [FileRecord];
      if (files.length === 1) return sendFile(ports, record(), { api, maxChunkSize }, file, own);
      const requests = batchPutUrl === null ? null : requestsFor(batchPutUrl, signal);
      return uploadMany({ ports, api, requests, blueprints, context: own }, record(), files);
    },
    fail: (file, error, signal) => failToSend(ports, record(), api, file, error, { ...context, signal }),
  });
}
