import type { CleanUpImport, CleanUpImportRequest, ImportPage, JournaledEntry } from './ports.ts';

const perPage = 500;

/** See `CleanUpImport` in ports.ts. */
export const cleanUpImport: CleanUpImport = async (request) => {
  await removeCreated(request, () => true);
};

/** Removes the unfinished files that are chosen, with what is stored of them. */
export async function removeCreated(
  { journal, files, signal }: CleanUpImportRequest,
  isChosen: (entry: JournaledEntry) => boolean,
): Promise<void> {
  let cursor: string | null = null;
  do {
    signal.throwIfAborted();
    const page: ImportPage = await journal.entries({ state: 'created', cursor, count: perPage });
    const chosen = page.entries.filter(isChosen).flatMap(({ position, fileId }) => (fileId === null ? [] : [{ position, fileId }]));
    await files.remove(chosen.map(({ fileId }) => fileId));
    // Finalized, and the process ended before that was written down: it stays, and a retry need not bring it again.
    const states = await Promise.all(chosen.map(({ fileId }) => files.find(fileId)));
    const changes = chosen.map(
      ({ position }, index) => ({ kind: states[index] === 'finalized' ? 'complete' : 'reset', position }) as const,
    );
    if (changes.length > 0) await journal.write(changes);
    cursor = page.cursor;
  } while (cursor !== null);
}
