import { ProviderError } from '#providers/errors.ts';
import { objectDigest } from '#storage/digests.ts';
import { StorageError } from '#storage/errors.ts';
import { FileError } from '../delivery/errors.ts';
import { bringChunks } from './chunks.ts';
import type { ComingFile, CreatedFile, FileCount, Importer } from './importer.ts';
import type { FinishedFile, ImportChange, ImportedChunk, JournaledEntry } from './ports.ts';
import { bringSmall, isSmall } from './small-file.ts';

/** How often a file that changes while it comes begins again. */
const maxRestarts = 2;
/** How often bytes are fetched again that the provider says were changed on the way. */
const maxCorrupted = 2;
/** How often an upload that our storage has lost begins again. */
const maxLostUploads = 2;

const gone = 'It was removed from the package, or replaced, while it came.';
const restless = 'It changed at the provider again and again while it was read. Try again when nobody writes it any more.';
const corrupted =
  'What came of it, again and again, is not what the provider says it has: its MD5 differs. Compare the file at the provider with its source.';
const missing = 'It is not at the provider any more.';
const cold = 'It lies in cold storage now. Restore it at the provider, then retry.';

/**
 * Brings one file: goes on with what is stored of it, or begins. Writes its steps, `complete` without waiting. Errors:
 * `FileError`, after which nothing of the file is in the package, `PackageClosedError`, `ProviderError`, `StorageError`.
 */
export async function importFile(importer: Importer, entry: JournaledEntry): Promise<void> {
  const { files, writer, progress } = importer;
  const { position } = entry;
  const file: ComingFile = { ...entry };
  let counted = entry.storedBytes;
  const count = (bytes: number): void => {
    progress.add(0, bytes - counted);
    counted = bytes;
  };
  const forget = async (change: ImportChange): Promise<void> => {
    const { fileId } = file;
    await writer.write(change);
    Object.assign(file, { fileId: null, uploadId: null, chunkSize: 0, storedBytes: 0 });
    count(0);
    if (fileId !== null) await files.remove([fileId]);
  };

  for (let lost = 0, wrong = 0; ; ) {
    try {
      await bring(importer, file, { set: count, add: (bytes) => count(counted + bytes) });
      progress.add(1, file.size - counted);
      writer.writeLater({ kind: 'complete', position });
      return;
    } catch (error) {
      importer.signal.throwIfAborted();
      try {
        if (error instanceof ProviderError && error.code === 'changed') {
          const change = await beginAgain(importer, file);
          await forget(change);
          Object.assign(file, { size: change.size, etag: change.etag, modified: change.modified, restarts: file.restarts + 1 });
          continue;
        }
        if (error instanceof ProviderError && error.code === 'corrupted') {
          wrong += 1;
          if (wrong > maxCorrupted) throw new FileError(corrupted);
          continue;
        }
        if (error instanceof StorageError && error.code === 'no_such_upload') {
          lost += 1;
          if (file.fileId !== null && (await files.find(file.fileId)) === null) throw new FileError(gone);
          if (lost <= maxLostUploads) {
            await forget({ kind: 'reset', position });
            continue;
          }
        }
        throw error;
      } catch (final) {
        const isOwn = final instanceof FileError || (final instanceof ProviderError && final.blame === 'file');
        if (isOwn) await forget({ kind: 'reset', position });
        throw isOwn ? new FileError(final.message, { cause: final }) : final;
      }
    }
  }
}

type Changed = Extract<ImportChange, { readonly kind: 'changed' }>;

/** What the file is now, if it may begin again. */
async function beginAgain({ provider, signal }: Importer, { id, position, restarts }: ComingFile): Promise<Changed> {
  if (restarts >= maxRestarts) throw new FileError(restless);
  const object = await provider.head({ id }, signal);
  if (!object) throw new FileError(missing);
  if (object.archived) throw new FileError(cold);
  return { kind: 'changed', position, size: object.size, etag: object.etag, modified: object.modified };
}

async function bring(importer: Importer, file: ComingFile, count: FileCount): Promise<void> {
  const { files, storage, memory } = importer;
  const found = file.fileId === null ? null : await files.find(file.fileId);
  // Finalized, and the process ended before that was written down.
  if (found === 'finalized') return;
  if (found === null) await create(importer, file);
  else if (file.uploadId === null) await storage.abort(file.fileId!);
  const created = file as CreatedFile;
  const { chunks, upload } = isSmall(created, memory) ? await bringSmall(importer, created) : await bringChunks(importer, created, count);
  await files.finalize(finished(created, chunks, upload));
}

function finished(
  { fileId, size, chunkSize }: CreatedFile,
  chunks: readonly ImportedChunk[],
  upload: FinishedFile['upload'],
): FinishedFile {
  return { fileId, size, chunkSize, upload, chunks, digest: objectDigest(chunks.map(({ digest }) => digest)) };
}

async function create({ files, writer }: Importer, file: ComingFile): Promise<void> {
  const planned = await files.plan(file);
  const { fileId, chunkSize } = planned;
  await writer.write({ kind: 'created', position: file.position, fileId, chunkSize });
  Object.assign(file, { fileId, chunkSize, uploadId: null, storedBytes: 0 });
  await planned.create();
}
