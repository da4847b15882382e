import { createChangeWriter } from '../delivery/change-writer.ts';
import { FileError, type FileFailure } from '../delivery/errors.ts';
import { countProgress } from '../delivery/progress.ts';
import { removeCreated } from './clean-up.ts';
import { ImportError } from './errors.ts';
import { expandItems } from './expand.ts';
import { importFile } from './import-file.ts';
import type { Importer } from './importer.ts';
import { wholePath } from './names.ts';
import type { ImportFiles, ImportJournal, ImportPage, JournaledEntry } from './ports.ts';

/** Files whose records are in memory at the same time. */
const perPage = 500;
/** After so many files that failed by themselves the rest is not tried. */
const maxFailures = 100;
/** See `ImportFiles` in ports.ts. */
export const importFiles: ImportFiles = async (request) => {
  const { provider, storage, files, journal, limits, onProgress } = request;
  request.signal.throwIfAborted();
  await expandItems(request);
  const stop = new AbortController();
  const signal = AbortSignal.any([request.signal, stop.signal]);
  const progress = countProgress((await journal.summary()).done, onProgress);
  const writer = createChangeWriter(journal, (error) => stop.abort(error));
  const importer: Importer = {
    provider,
    storage,
    files,
    journal,
    writer,
    memory: request.memory,
    concurrency: limits.parts,
    progress,
    signal,
  };

  const failures: FileFailure[] = [];
  const importOne = async (entry: JournaledEntry): Promise<void> => {
    try {
      if (entry.kind === 'file') await importFile(importer, entry);
      else await makeFolder(importer, entry);
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof FileError)) throw error;
      failures.push({ path: wholePath(entry), message: error.message });
      writer.writeLater({ kind: 'failed', position: entry.position, message: error.message });
      if (failures.length >= maxFailures) throw new ImportError(failures.length, failures);
    }
  };

  const coming = unfinishedEntries(journal);
  const worker = async (): Promise<void> => {
    for await (const entry of sharing(coming)) {
      signal.throwIfAborted();
      await importOne(entry);
    }
  };
  const workers = Array.from({ length: limits.files }, () => worker().catch((error: unknown) => stop.abort(error)));
  await Promise.all(workers);
  progress.end();
  const flushed = writer.flush();
  await flushed.catch(() => undefined);
  request.signal.throwIfAborted();
  // What was begun with several chunks stays for a retry; the others would only be in the way of finalizing the package.
  if (stop.signal.aborted) await removeCreated(request, ({ uploadId }) => uploadId === null).catch(() => undefined);
  signal.throwIfAborted();
  await flushed;
  if (failures.length > 0) throw new ImportError(failures.length, failures);
  return (await journal.summary()).done;
};

async function makeFolder({ files, writer, progress }: Importer, entry: JournaledEntry): Promise<void> {
  const { create } = await files.plan(entry);
  await create();
  progress.add(1, 0);
  writer.writeLater({ kind: 'complete', position: entry.position });
}

async function* unfinishedEntries(journal: ImportJournal): AsyncGenerator<JournaledEntry> {
  let cursor: string | null = null;
  do {
    const page: ImportPage = await journal.entries({ state: 'unfinished', cursor, count: perPage });
    yield* page.entries;
    cursor = page.cursor;
  } while (cursor !== null);
}

/** One reader of several: its end does not end the others'. */
async function* sharing<T>(source: AsyncGenerator<T>): AsyncGenerator<T> {
  for (let next = await source.next(); !next.done; next = await source.next()) yield next.value;
}
