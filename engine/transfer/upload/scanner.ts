import { engineActivity } from '../../activity-channel.ts';
import { pathGuardFor } from '../../folders/path-guard.ts';
import { pathIn, walk } from '../../folders/scan.ts';
import { checkpointAt, checkpointOfAll } from '../../folders/scan-checkpoint.ts';
import { busyWith } from '../../io/time-split.ts';
import type { JobContext, JobPorts } from '../job.ts';
import type { NewFile, UploadRecord } from '../record.ts';
import { uploadRoots } from './upload-roots.ts';

/** Scans an upload's paths into the files table, while the first files are already being sent. */
export interface Scanner {
  /** Starts a scan, if there is something to scan and none runs. */
  ensure(): void;
  readonly running: boolean;
  /** Resolves when the table has more files or the scan has ended; rejects with the error that ended it. */
  nextUpdate(): Promise<void>;
  /** Stops it; resolves when nothing of it runs any more. */
  close(): Promise<void>;
}

const filesPerBatch = 256;

/** The scan's checkpoint is written together with the files: after a restart it continues with the missing ones. */
export function createScanner({ registry, store, pathGuard, fileSystem }: JobPorts, id: string, { signal, activity }: JobContext): Scanner {
  let scanning: Promise<void> | null = null;
  let nextUpdate = Promise.withResolvers<void>();
  const closing = new AbortController();
  const stop = AbortSignal.any([signal, closing.signal]);

  const record = (): UploadRecord => {
    const found = registry.get(id);
    if (found.kind !== 'upload') throw new Error(`The transfer ${id} is no upload.`);
    return found;
  };

  const tell = (): void => {
    nextUpdate.resolve();
    nextUpdate = Promise.withResolvers<void>();
  };

  const note = (batch: readonly NewFile[], facts: Partial<UploadRecord['facts']>): void => {
    const counted = batch.filter(({ state }) => state !== 'skipped');
    store.writer.write(() => {
      store.files.insert(id, batch);
      registry.addTotals(id, { bytes: counted.reduce((sum, { size }) => sum + size, 0), files: counted.length }, facts);
    });
    tell();
  };

  const scan = async (): Promise<void> => {
    // An older agent wrote no checkpoint; what it found is found again.
    if (record().facts.rootsScanned === undefined) {
      store.writer.write(() => store.files.removeAll(id));
      registry.recount(id);
      registry.patchUpload(id, { rootsScanned: 0 });
    }
    let roots: ReturnType<typeof uploadRoots> = [];
    let { rootsScanned = 0, lastScanned } = record().facts;
    const all = record().facts.rescanning ? await checkpointOfAll(store, id, stop) : null;
    let batch: NewFile[] = [];
    for (; ; rootsScanned++, lastScanned = undefined) {
      const { request, added } = record();
      if (roots.length < request.paths.length + added.length) roots = uploadRoots({ request, added }, fileSystem);
      const root = roots[rootsScanned];
      if (!root) break;
      engineActivity.publish(`scan ${root.local} for upload ${id}`);
      const checkpoint = all ?? (lastScanned === undefined ? null : await checkpointAt(store, id, lastScanned, stop));
      for await (const entry of walk({
        ...root,
        checkpoint,
        signal: stop,
        guard: pathGuardFor({ pathGuard }, record()),
        fileSystem,
      })) {
        if (batch.push(entry) < filesPerBatch) continue;
        note(batch, { rootsScanned, lastScanned: pathIn(entry.path, entry.name) });
        batch = [];
      }
    }
    note(batch, { rootsScanned, lastScanned: undefined, rescanning: false, scanned: true });
  };

  return {
    ensure() {
      if (scanning || record().facts.scanned) return;
      const end = activity.begin();
      scanning = busyWith(activity.times, 'reading', scan).finally(() => {
        scanning = null;
        end();
      });
      scanning.then(tell, (error: unknown) => {
        // Waiters get this error; without waiters, the next `ensure` meets it again.
        nextUpdate.promise.catch(() => {});
        nextUpdate.reject(error);
        nextUpdate = Promise.withResolvers<void>();
      });
    },
    get running() {
      return scanning !== null;
    },
    nextUpdate: () => nextUpdate.promise,
    async close() {
      closing.abort();
      await scanning?.catch(() => {});
    },
  };
}
