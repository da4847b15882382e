import { MoveError } from '#client/errors.ts';
import { batchedCalls, batchLimit } from '#client/file-batches.ts';
import type { FileCalls } from '#client/file-calls.ts';
import type { HostedClient } from '#client/hosted.ts';
import { uploadFile } from '#client/upload.ts';
import { ApiError } from '#protocol/errors.ts';
import { createDiskSource } from '../io/disk-source.ts';
import { isRefusal } from '../session/session.ts';
import { eachFile } from './each-file.ts';
import { bodyOf, endsTransfer } from './failures.ts';
import { type JobContext, type JobEnd, type JobPorts, laneFor, packageClient } from './job.ts';
import { keepTrying } from './keep-trying.ts';
import type { FileRecord, NewFile, UploadRecord } from './record.ts';
import { exists, scan } from './scan.ts';
import { cleanUp, finalizePackage, readLinks } from './upload-end.ts';
import { openUploadLedger } from './upload-ledger.ts';

const filesAtOnce = 32;
/**
 * Where calls are shared: enough that one batch is created and another finalized while 32 of their files go out.
 * With more, the agent keeps more memory and gets no faster (docs/decisions/0010).
 */
const filesAtOnceShared = 192;
/** Milliseconds that a call waits for company. */
const gatherMilliseconds = 10;
const filesPerPage = 256;

/**
 * Sends a package, from wherever an earlier run left it: scan, package, files, finalize, links (interface
 * §4.2). Each step is noted before the next begins, and each can be asked again. Throws what ends the transfer.
 */
export async function runUpload(ports: JobPorts, id: string, context: JobContext): Promise<JobEnd> {
  const record = (): UploadRecord => {
    const found = ports.book.get(id);
    if (found.kind !== 'upload') throw new Error(`The transfer ${id} is no upload.`);
    return found;
  };
  if (record().facts.cleanUpDue) await payDebt(ports, record(), context);
  if (!record().facts.scanned) await scanFiles(ports, record(), context);
  if (record().facts.packageId === '') await createPackage(ports, record(), context);

  const api = packageClient(ports, record().request.serviceUrl, record().secrets.packageToken);
  if (!record().facts.packageFinalized) {
    await sendFiles(ports, record(), api, context);
    if (!record().facts.withoutFailed) failIfAnyFailed(ports, record());
    if (!record().request.autoFinalize && !record().facts.finalizeAsked) return { type: 'all_sent' };
    ports.book.changeUpload(id, { facts: { ...record().facts, closing: true } });
    await keepTrying(context, () => finalizePackage(api, record().facts.packageId, context.signal));
    ports.book.changeUpload(id, { facts: { ...record().facts, packageFinalized: true } });
  }
  const links = await keepTrying(context, () => readLinks(api, record(), context.signal));
  ports.book.changeUpload(id, { secrets: { ...record().secrets, links } });
  return { type: 'finish' };
}

/** Cancelled and taken up again: what was sent before goes first, so that it is not mixed with what is sent now. */
async function payDebt(ports: JobPorts, { id, request, facts, secrets }: UploadRecord, context: JobContext): Promise<void> {
  const api = packageClient(ports, request.serviceUrl, secrets.packageToken);
  await keepTrying(context, () => cleanUp(api, facts.packageId, context.signal));
  ports.book.changeUpload(id, { facts: { ...facts, cleanUpDue: false } });
}

async function scanFiles(ports: JobPorts, record: UploadRecord, { signal, activity }: JobContext): Promise<void> {
  const { store, book } = ports;
  const { id, request, facts } = record;
  const end = activity.begin();
  try {
    store.writer.write(() => store.files.removeAll(id));
    let batch: NewFile[] = [];
    const insert = (): void => {
      store.writer.write(() => store.files.insert(id, batch));
      batch = [];
    };
    for await (const entry of scan(request.paths, signal)) {
      batch.push(entry);
      if (batch.length === filesPerPage) insert();
    }
    insert();
  } finally {
    end();
  }
  book.recount(id);
  failIfAnyFailed(ports, record);
  if (store.files.counts(id).totalFiles === 0) throw new ApiError('nothing_to_send', { path: request.paths.join(', ') });
  book.changeUpload(id, { facts: { ...facts, scanned: true } });
}

/** A package that would lack some of what was to be sent is not closed: a person decides. */
function failIfAnyFailed({ store }: JobPorts, { id }: UploadRecord): void {
  const { count, first } = store.files.failures(id);
  if (count === 0 || !first) return;
  throw new ApiError('files_failed', { count, total: store.files.counts(id).totalFiles, detail: first.error?.message ?? first.name });
}

async function createPackage(ports: JobPorts, record: UploadRecord, context: JobContext): Promise<void> {
  const { id, request, secrets, facts } = record;
  const made = await keepTrying(context, async () => {
    try {
      return await ports.session.hosted().call('createTeamPackage', {
        params: { team_id: request.teamId },
        body: {
          name: record.name,
          description: request.description,
          recipients: [...request.recipients],
          ...(secrets.password === undefined ? {} : { password: secrets.password }),
          ...(request.accessLimit === undefined ? {} : { access_limit: request.accessLimit }),
          ...(request.unlimitedStorage === undefined ? {} : { unlimited_storage: request.unlimitedStorage }),
          ...(request.chunkSize === undefined ? {} : { chunk_size: request.chunkSize }),
        },
        // Asked again after a crash, the service gives the same package again.
        idempotencyKey: `upload-${id}${facts.packagesLost ? `-${facts.packagesLost}` : ''}`,
        signal: context.signal,
      });
    } catch (cause) {
      throw isRefusal(cause) ? await ports.session.refused(cause) : cause;
    }
  });
  ports.book.changeUpload(id, {
    facts: { ...facts, packageId: made.id },
    secrets: { ...secrets, packageToken: made.access_token },
  });
  await ports.store.writer.committed();
}

async function sendFiles(ports: JobPorts, record: UploadRecord, api: HostedClient, context: JobContext): Promise<void> {
  const { packageId } = record.facts;
  const most = await keepTrying(context, () => batchLimit(api, context.signal));
  const pause = (): Promise<void> => new Promise((resolve) => context.clock.after(gatherMilliseconds, resolve));
  let shared: FileCalls | null = null;
  await eachFile({
    next: (afterId) => ports.store.files.pending(record.id, afterId, filesPerPage),
    limit: most > 0 ? filesAtOnceShared : filesAtOnce,
    signal: context.signal,
    work(file, signal) {
      if (most > 0) shared ??= batchedCalls({ api, packageId, signal, most, pause });
      return sendFile(ports, record, { api, shared }, file, { ...context, signal });
    },
  });
}

interface Service {
  readonly api: HostedClient;
  /** Calls for many small files at once, where the service has them. */
  readonly shared: FileCalls | null;
}

async function sendFile(
  ports: JobPorts,
  record: UploadRecord,
  { api, shared }: Service,
  file: FileRecord,
  context: JobContext,
): Promise<void> {
  const { store, movers, slots } = ports;
  const { activity, retries, signal } = context;
  const { packageId } = record.facts;
  const { chunkSize, paths } = record.request;
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
    gate: lane.gate,
    storage: movers.fetcher,
    send: movers.send,
    hashSlice: movers.hashSource,
    digest: movers.digest,
  };
  const attempt = async (): Promise<void> => {
    const giveBack = await slots.take(lane.weight, signal);
    try {
      progress.begin();
      await uploadFile(uploadPorts, {
        packageId,
        file: about,
        source,
        facts: ledger.facts(),
        journal: ledger.journal,
        signal,
        onBytes: progress.add,
      });
    } finally {
      giveBack();
    }
  };
  try {
    await keepTrying(context, attempt, { moved: progress.moved, hopeless: (error) => isGone(error) && paths.every(exists) });
    progress.complete();
  } catch (error) {
    progress.stop(ledger.bytes());
    signal.throwIfAborted();
    if (endsTransfer(error)) throw error;
    ports.log.warn({ transfer: record.id, file: file.id, error: String(error) }, 'a file could not be sent');
    store.writer.write(() => store.files.failed(file.id, bodyOf(error)));
  } finally {
    await source.close();
  }
}

/** A file that is gone from a folder that is there will not come back by itself; one whose drive is away may. */
function isGone(error: unknown): boolean {
  return error instanceof MoveError && error.code === 'source_gone';
}
