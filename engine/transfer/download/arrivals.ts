import { posix } from 'node:path';
import { childPath } from '../../folders/child-path.ts';
import { targetFailure } from '../../io/disk-failures.ts';
import { publishFile } from '../../io/publish-file.ts';
import type { FolderFlush } from '../../io/sync-folder.ts';
import type { FilesActivity } from '../activity.ts';
import type { JobPorts } from '../job.ts';
import { type FileRecord, storedFileOf } from '../record.ts';
import { digestOfOne, isKnownByDigest } from './named-earlier.ts';

/** A file that was received: written, and flushed once `flushed` resolves. */
interface Arrived {
  readonly file: FileRecord;
  readonly folder: string;
  readonly temporary: string;
  readonly flushed: Promise<void> | undefined;
  readonly blake3: string;
}

export interface Arrivals {
  add(one: Arrived): void;
  /** A file that an earlier run has given its name. */
  found(file: FileRecord, folder: string): void;
  /** Resolves when all received files are processed. `recorded` are complete files that did not get their name. */
  settled(): Promise<{ readonly complete: ReadonlySet<FileRecord>; readonly recorded: ReadonlySet<FileRecord> }>;
}

/** So many get their names together, since each time their folders are flushed. */
const mostTogether = 64;
/** Milliseconds. On a slow line none waits longer for others once one more has come. */
const waitsForOthers = 20;

interface ArrivalsPorts extends Pick<JobPorts, 'store' | 'fileSystem'> {
  readonly flushFolder: FolderFlush;
  readonly progress: FilesActivity;
  /** Whether an existing file is to be replaced; by its path below the root. */
  readonly replaces: (local: string) => boolean;
  readonly now: () => number;
}

interface Named {
  readonly file: FileRecord;
  readonly folder: string;
  readonly digest: string;
}

/**
 * Finishes received files, in batches of those that arrive together: they get their names, and are noted as complete. One
 * whose digest nobody has said is noted, and that committed, before it gets its name: otherwise a restart would fetch it
 * again and keep both. All others a restart knows by their digests (`wasNamedEarlier`).
 */
export function createArrivals({ store, fileSystem, flushFolder, progress, replaces, now }: ArrivalsPorts): Arrivals {
  const complete = new Set<FileRecord>();
  const recorded = new Set<FileRecord>();
  let arrived: (Arrived & { readonly digest: string })[] = [];
  let named: Named[] = [];
  let firstAt = 0;
  let working: Promise<void> | null = null;

  async function work(): Promise<void> {
    while (arrived.length > 0 || named.length > 0) {
      const batch = arrived;
      arrived = [];
      const unknown = batch.filter(({ file }) => !isKnownByDigest(file));
      if (unknown.length > 0) await record(unknown);
      for (const one of batch) {
        try {
          if (one.flushed) await one.flushed;
          publishFile(one.temporary, childPath(one.folder, posix.basename(one.file.local)), replaces(one.file.local), fileSystem);
          named.push(one);
        } catch {
          // The retry of the single file meets the error again.
        }
      }
      await finish();
    }
    working = null;
  }

  async function record(batch: readonly Arrived[]): Promise<void> {
    store.writer.write(() => {
      for (const { file, blake3 } of batch) store.files.chunkDone(file.id, 0, { etag: '', blake3 });
    });
    for (const { file } of batch) recorded.add(file);
    await store.writer.committed();
  }

  /** The names must survive a power failure before anything says that the files exist; each folder is flushed once. */
  async function finish(): Promise<void> {
    const files = named;
    named = [];
    for (const folder of new Set(files.map((one) => one.folder))) await flushFolder(folder).catch(failedIn(folder));
    store.writer.write(() => {
      store.files.completedAsListed(files.filter(({ file }) => !recorded.has(file)).map(({ file }) => file.id));
      for (const { file, digest } of files) if (recorded.has(file)) store.files.completed(file.id, digest);
    });
    for (const { file } of files) {
      complete.add(file);
      recorded.delete(file);
      progress.complete(file);
    }
  }

  const begin = (): void => {
    if (working) return;
    working = Promise.resolve().then(work);
    // Reported by `settled`.
    working.catch(() => {});
  };

  return {
    add(one) {
      const digest = digestOfOne(one.blake3);
      // The bytes differ from the sender's: fetched once more, by itself.
      const { digest: expected } = storedFileOf(one.file);
      if (expected !== undefined && expected !== digest) return;
      // Errors are reported later: of a flush when its file is processed, of everything else in `settled`.
      one.flushed?.catch(() => {});
      if (arrived.length === 0) firstAt = now();
      if (arrived.push({ ...one, digest }) >= mostTogether || now() - firstAt > waitsForOthers) begin();
    },
    found(file, folder) {
      named.push({ file, folder, digest: storedFileOf(file).digest! });
      begin();
    },
    async settled() {
      begin();
      await working;
      return { complete, recorded };
    },
  };
}

const failedIn =
  (folder: string) =>
  (error: unknown): never => {
    throw targetFailure(folder, error);
  };
