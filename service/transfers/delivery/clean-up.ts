import type { CloudEntry, CloudProvider, ListPage } from '#providers/ports.ts';
import { createChangeWriter } from './change-writer.ts';
import { endless, isEmptyFolder } from './claim-folder.ts';
import { type CleanUp, type CleanUpRequest, type JournaledFile, type JournalPage, type JournalPageRequest, manifestId } from './ports.ts';

const perPage = 500;
/** Uploads ended at the same time. */
const concurrency = 8;
/** Of lists in all: ten million entries. A provider that goes on beyond these never ends. */
const mostPages = 10_000;
/** Empty folders that are in memory at the same time. */
const foldersAtOnce = 1_000;

/** See `CleanUp` in ports.ts. */
export const cleanUp: CleanUp = async (request) => {
  const { provider, journal, givenFolder } = request;
  const stop = new AbortController();
  const signal = AbortSignal.any([request.signal, stop.signal]);
  const { folder, manifest } = await journal.summary();
  if (folder === null) return;
  const writer = createChangeWriter(journal, (error) => stop.abort(error));

  const endUpload = async ({ id, target, upload }: Begun): Promise<void> => {
    // Complete, but its answer was lost: it stays, as others do.
    const resumed = await provider.resume({ handle: upload }, signal);
    if (resumed.state === 'complete') {
      const { id: objectId, etag } = resumed.object;
      await writer.write({ kind: 'complete', id, target, object: { id: objectId, etag } });
      return;
    }
    await provider.abort({ handle: upload }, signal);
    await writer.write({ kind: 'reset', id });
  };

  try {
    const shared = { journal, signal };
    if (manifest.upload) await endUpload({ id: manifestId, target: '', upload: manifest.upload });
    await eachEntry(shared, { state: 'begun' }, async ({ file, target, upload }) => {
      await endUpload({ id: file.id, target: target!, upload: upload! });
    });
    // Forgotten before they go: made again, they do no harm.
    await eachEntry(shared, { state: 'complete', kind: 'directory' }, ({ file }) => writer.write({ kind: 'reset', id: file.id }));
    if (await removeEmptyFolders(provider, { folder, isKept: folder === givenFolder }, signal)) await journal.releaseFolder();
  } catch (error) {
    stop.abort(error);
    throw error;
  }
};

interface Begun {
  readonly id: string;
  readonly target: string;
  readonly upload: NonNullable<JournaledFile['upload']>;
}

async function eachEntry(
  { journal, signal }: Pick<CleanUpRequest, 'journal' | 'signal'>,
  wanted: Pick<JournalPageRequest, 'state' | 'kind'>,
  work: (entry: JournaledFile) => Promise<void>,
): Promise<void> {
  let cursor: string | null = null;
  do {
    const page: JournalPage = await journal.files({ ...wanted, cursor, count: perPage });
    const entries = page.files.values();
    const worker = async () => {
      for (const entry of entries) {
        signal.throwIfAborted();
        await work(entry);
      }
    };
    await Promise.all(Array.from({ length: concurrency }, worker));
    cursor = page.cursor;
  } while (cursor !== null);
}

/** Removes all empty folders below, and the folder itself if it is empty then and not kept. Resolves to whether it is empty. */
async function removeEmptyFolders(
  provider: CloudProvider,
  { folder, isKept }: { readonly folder: string; readonly isKept: boolean },
  signal: AbortSignal,
): Promise<boolean> {
  const entriesOf = boundedLists(provider, signal);
  // One that held empty folders alone is empty in the next pass.
  while (await removePass(provider, entriesOf(folder, true), signal));
  if (!(await isEmptyFolder(provider, folder, signal))) return false;
  if (isKept) return true;
  const slash = folder.lastIndexOf('/');
  const name = folder.slice(slash + 1);
  for await (const entry of entriesOf(folder.slice(0, Math.max(0, slash)), false)) {
    if (entry.kind !== 'folder' || entry.name !== name) continue;
    await provider.remove({ id: entry.id }, signal);
    break;
  }
  return true;
}

async function removePass(provider: CloudProvider, entries: AsyncIterable<CloudEntry>, signal: AbortSignal): Promise<boolean> {
  let hasRemoved = false;
  let folders: string[] = [];
  const removeEmpty = async (): Promise<void> => {
    for (const id of folders) {
      if (!(await isEmptyFolder(provider, id, signal))) continue;
      await provider.remove({ id }, signal);
      hasRemoved = true;
    }
    folders = [];
  };
  for await (const entry of entries) {
    if (entry.kind === 'folder') folders.push(entry.id);
    // What moves in the list by that is met in the next pass.
    if (folders.length === foldersAtOnce) await removeEmpty();
  }
  await removeEmpty();
  return hasRemoved;
}

/** Lists that have `mostPages` together. Errors: `bad_answer`. */
function boundedLists(provider: CloudProvider, signal: AbortSignal) {
  let pages = 0;
  return async function* entriesOf(folder: string, recursive: boolean): AsyncGenerator<CloudEntry> {
    let cursor: string | null = null;
    do {
      if (++pages > mostPages) throw endless();
      const page: ListPage = await provider.list({ folder, count: 1000, recursive, ...(cursor !== null && { cursor }) }, signal);
      yield* page.entries;
      cursor = page.cursor;
    } while (cursor !== null);
  };
}
