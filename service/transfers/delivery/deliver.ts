import { ProviderError } from '#providers/errors.ts';
import { createChangeWriter } from './change-writer.ts';
import { claimFolder } from './claim-folder.ts';
import { storedContent } from './content.ts';
import { deliverFile } from './deliver-file.ts';
import { deliverManifest } from './deliver-manifest.ts';
import { DeliveryError, FileError, type FileFailure } from './errors.ts';
import type { FileSender } from './outgoing-file.ts';
import { createPermits } from './permits.ts';
import type { Deliver, DeliveryRequest, JournaledFile, JournalPage } from './ports.ts';
import { countProgress } from './progress.ts';
import { createServerCopies } from './server-copies.ts';
import { checkTarget, createTargets } from './targets.ts';

/** Files whose records are in memory at the same time. */
const perPage = 500;
/** After so many files that failed by themselves the rest is not tried. */
const maxFailures = 100;
/** Files under way for each that the provider is asked for: the others are read, or wait for their note in the journal. */
const begunPerPermit = 3;

/** See `Deliver` in ports.ts. */
export const deliver: Deliver = async (request) => {
  const { provider, journal, limits, onProgress } = request;
  request.signal.throwIfAborted();
  const stop = new AbortController();
  const signal = AbortSignal.any([request.signal, stop.signal]);
  const summary = await journal.summary();
  const folder = summary.folder ?? (await claimFolder({ ...request, signal }));
  const progress = countProgress(summary.done, onProgress);
  const writer = createChangeWriter(journal, (error) => stop.abort(error));
  const sender: FileSender = {
    provider,
    writer,
    memory: request.memory,
    copies: createServerCopies(request),
    permits: createPermits(limits.files),
    largePermits: createPermits(limits.files),
    concurrency: limits.parts,
    progress,
    signal,
  };

  const failures: FileFailure[] = [];
  const deliverOne = async ({ entry, target }: Outgoing): Promise<void> => {
    try {
      await deliverEntry(request, sender, entry, target);
    } catch (error) {
      signal.throwIfAborted();
      const message = ownFault(error);
      if (message === null) throw error;
      failures.push({ path: entry.file.path, message });
      writer.writeLater({ kind: 'failed', id: entry.file.id, message });
      if (failures.length >= maxFailures) throw new DeliveryError(failures.length, failures);
    }
  };

  const outgoing = outgoingFiles(request, folder);
  const worker = async (): Promise<void> => {
    for (let next = await outgoing.next(); !next.done; next = await outgoing.next()) {
      signal.throwIfAborted();
      await deliverOne(next.value);
    }
  };
  const workers = Array.from({ length: limits.files * begunPerPermit }, () => worker().catch((error: unknown) => stop.abort(error)));
  await Promise.all(workers);
  progress.end();
  // What has arrived is noted in any case, so that it is not asked for again.
  const flushed = writer.flush();
  await flushed.catch(() => undefined);
  signal.throwIfAborted();
  await flushed;
  if (failures.length > 0) throw new DeliveryError(failures.length, failures);

  const manifest = request.manifest && (await deliverManifest(request, sender, folder, summary.manifest));
  const { done, leftOut } = await journal.summary();
  return { folder, done, leftOut, manifest };
};

interface Outgoing {
  readonly entry: JournaledFile;
  readonly target: string;
}

/** All files that are not complete, page by page. */
async function* outgoingFiles({ provider, journal }: DeliveryRequest, folder: string): AsyncGenerator<Outgoing> {
  const targetsOf = createTargets({ provider, journal, folder });
  let cursor: string | null = null;
  do {
    const page: JournalPage = await journal.files({ state: 'unfinished', cursor, count: perPage });
    const targets = await targetsOf(page.files);
    for (const [index, entry] of page.files.entries()) yield { entry, target: targets[index]! };
    cursor = page.cursor;
  } while (cursor !== null);
}

async function deliverEntry(
  { provider, storage, signal }: DeliveryRequest,
  sender: FileSender,
  { file, upload, storedBytes }: JournaledFile,
  target: string,
): Promise<void> {
  const { id, key, kind, size, contentType, digest, chunkSize, etag } = file;
  if (file.withheld) throw new FileError('A virus was found in this file or its package, and its Team lets nobody have it.');
  checkTarget(provider, target);
  if (kind === 'directory') {
    const permit = await sender.permits.acquire(signal);
    await provider.makeFolder({ path: target }, signal).finally(permit.release);
    sender.progress.add(1, 0);
    sender.writer.writeLater({ kind: 'complete', id, target, object: { id: target, etag: '' } });
    return;
  }
  const content = storedContent(storage, key, size);
  // A provider wants a time; where the sender told none, that of the beginning of all time tells no lie.
  const modified = file.modified ?? new Date(0);
  const copied = { key, size, chunkSize, etag };
  await deliverFile(sender, { id, target, content, copied, modified, contentType, digest, chunkSize, upload, storedBytes });
}

/** What is wrong with this file alone, in words; null if others would fail as well. */
function ownFault(error: unknown): string | null {
  if (error instanceof FileError) return error.message;
  return error instanceof ProviderError && error.blame === 'file' ? error.message : null;
}
