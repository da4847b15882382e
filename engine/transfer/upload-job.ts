import { type BatchOffer, batchedCalls, batchOffer } from '#client/file-batches.ts';
import type { HostedClient } from '#client/hosted.ts';
import { createManySender, createManyShipments } from '#client/many-sender.ts';
import { ApiError } from '#protocol/errors.ts';
import type { DiskSource } from '../io/disk-source.ts';
import { type ClientWith, settleReceipt } from '../receipt/settle.ts';
import { eachFile, type Together } from './each-file.ts';
import { type JobContext, type JobEnd, type JobPorts, packageClient } from './job.ts';
import { keepTrying } from './keep-trying.ts';
import type { FileRecord, UploadRecord } from './record.ts';
import { createScanner, type Scanner } from './scanner.ts';
import { type Receiver, sendFile } from './send-file.ts';
import { countTogether, sendTogether } from './send-together.ts';
import { finalizePackage, readLinks } from './upload-end.ts';
import { createPackage, payDebt } from './upload-package.ts';

const filesAtOnce = 32;
/**
 * Where calls and requests are shared: as many as two of those carry, so that one is created or finalized while the
 * other's bytes go out, and both sides have work (docs/decisions/0028).
 */
const filesAtOnceShared = 384;
/** Groups of small ones that go together: one is created, one is sent, one is finalized. */
const groupsAtOnce = 3;
/** Milliseconds that a call waits for company. */
const gatherMilliseconds = 10;
/** The same of a small file's bytes: those of one batch call come in the same moment. */
const shipmentMilliseconds = 2;
const filesPerPage = 256;
/** Full requests with many small files: each is up to 4 MiB of memory. */
const shipmentsAtOnce = 3;

/**
 * Sends a package, from wherever an earlier run left it: scan and files, finalize, links (interface §4.2).
 * The first files go out while the scan still finds others. Each step is noted before the next begins, and
 * each can be asked again. Throws what ends the transfer.
 */
export async function runUpload(ports: JobPorts, id: string, context: JobContext): Promise<JobEnd> {
  const { book } = ports;
  const record = (): UploadRecord => {
    const found = book.get(id);
    if (found.kind !== 'upload') throw new Error(`The transfer ${id} is no upload.`);
    return found;
  };
  if (record().facts.cleanUpDue) await payDebt(ports, record(), context);
  if (!record().facts.packageFinalized) {
    await sendAll(ports, record, context);
    if (!record().request.autoFinalize && !record().facts.finalizeAsked) return { type: 'all_sent' };
    book.noteUpload(id, { closing: true });
    // A file whose end was forgotten would be sent into a package that takes no more.
    await ports.store.writer.committed();
    await keepTrying(context, () => finalizePackage(clientOf(ports, record()), record().facts.packageId, context.signal));
    book.noteUpload(id, { packageFinalized: true });
  }
  if (record().facts.receipt === undefined) {
    const client: ClientWith = (fetcher) => clientOf({ ...ports, movers: { ...ports.movers, fetcher } }, record());
    const receipt = await settleReceipt(ports, record(), client, context);
    book.noteUpload(id, { receipt });
  }
  // Who sends through a Portal may not make links: its Team does.
  if (!record().request.portal) {
    const links = await keepTrying(context, () => readLinks(clientOf(ports, record()), record(), context.signal));
    book.noteSecrets(id, { links });
  }
  return { type: 'finish' };
}

function clientOf(ports: JobPorts, { request, secrets }: UploadRecord): HostedClient {
  return packageClient(ports, request.serviceUrl, secrets.packageToken);
}

/** Scans and sends until every path is scanned and every file is sent or has failed; those that failed are thrown. */
async function sendAll(ports: JobPorts, record: () => UploadRecord, context: JobContext): Promise<void> {
  const { id } = record();
  const scanner = createScanner(ports, id, context);
  try {
    while ((await nextFiles(ports, scanner, id, 0)).length > 0) {
      if (record().facts.packageId === '') await createPackage(ports, record(), context);
      await sendFiles(ports, record, scanner, context);
    }
  } finally {
    await scanner.close();
  }
  const { request, added, totalFiles, facts } = record();
  if (totalFiles === 0) throw new ApiError('nothing_to_send', { path: [...request.paths, ...added].join(', ') });
  if (!facts.withoutFailed) failIfAnyFailed(ports, record());
}

/** The next files that the scan has found and that are not sent; waits for it where need be. None: that was all. */
async function nextFiles({ store }: JobPorts, scanner: Scanner, id: string, afterId: number): Promise<FileRecord[]> {
  for (;;) {
    scanner.ensure();
    const files = store.files.pending(id, afterId, filesPerPage);
    if (files.length > 0 || !scanner.running) return files;
    await scanner.news();
  }
}

/** A package that would lack some of what was to be sent is not closed: a person decides. */
function failIfAnyFailed({ store }: JobPorts, { id }: UploadRecord): void {
  const { count, first } = store.files.failures(id);
  if (count === 0 || !first) return;
  throw new ApiError('files_failed', { count, total: store.files.counts(id).totalFiles, detail: first.error?.message ?? first.name });
}

async function sendFiles(ports: JobPorts, record: () => UploadRecord, scanner: Scanner, context: JobContext): Promise<void> {
  const { id, facts } = record();
  const { packageId } = facts;
  const api = clientOf(ports, record());
  const offer = await keepTrying(context, () => batchOffer(api, context.signal));
  let to: Receiver | null = null;
  const receiverFor = (signal: AbortSignal): Receiver => {
    to ??= receiverOf(ports, { api, packageId }, offer, { ...context, signal });
    return to;
  };
  const begunBefore = new Set<number>();
  const together: Together = {
    weight: filesAtOnceShared / groupsAtOnce,
    count: (files, from) => (to?.shipments?.allowed === false ? 0 : Math.min(offer.most, countTogether(files, from, record().request))),
    async work(files, signal) {
      const { shipments } = receiverFor(signal);
      if (!shipments) return files;
      const left = await sendTogether({ ports, api, shipments, context: { ...context, signal } }, record(), files);
      for (const file of left.begun) begunBefore.add(file.id);
      return [...left.begun, ...left.notBegun];
    },
  };
  await eachFile({
    next: (afterId) => nextFiles(ports, scanner, id, afterId),
    limit: offer.most > 0 ? filesAtOnceShared : filesAtOnce,
    signal: context.signal,
    work(file, signal) {
      const all = receiverFor(signal);
      const own = begunBefore.has(file.id) ? { ...all, many: null } : all;
      return sendFile(ports, record(), own, file, { ...context, signal });
    },
    ...(offer.most > 0 && offer.manyPartsUrl !== null ? { together } : {}),
  });
}

/** The service with what it offers for many small files. */
function receiverOf(
  { movers, gates }: JobPorts,
  { api, packageId }: { readonly api: HostedClient; readonly packageId: string },
  { most, manyPartsUrl }: BatchOffer,
  { clock, signal }: JobContext,
): Receiver {
  if (most === 0) return { api, shared: null, many: null, shipments: null };
  const pause = (milliseconds: number) => (): Promise<void> => new Promise((resolve) => clock.after(milliseconds, resolve));
  const shared = batchedCalls({ api, packageId, signal, most, pause: pause(gatherMilliseconds) });
  if (manyPartsUrl === null) return { api, shared, many: null, shipments: null };
  const requests = { ship: movers.ship, gate: gates.small, url: manyPartsUrl, signal };
  const shipments = createManyShipments(requests);
  const many = createManySender<DiskSource>({
    ...requests,
    shipments,
    alone: movers.send,
    pause: pause(shipmentMilliseconds),
    atOnce: shipmentsAtOnce,
    least: 2,
  });
  return { api, shared, many, shipments };
}
