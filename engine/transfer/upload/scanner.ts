import { engineActivity } from '../../activity-channel.ts';
import { pathGuardFor } from '../../folders/path-guard.ts';
import { pathIn, walk } from '../../folders/scan.ts';
import { checkpointAt, checkpointOfAll } from '../../folders/scan-checkpoint.ts';
import { busyWith } from '../../io/time-split.ts';
import type { JobContext, JobPorts } from '../job.ts';
import type { NewFile, UploadRecord } from '../record.ts';
import { createFileSupply, type FileSupply } from './file-supply.ts';
import { uploadRoots } from './upload-roots.ts';

const filesPerBatch = 256;

/**
 * Scans an upload's paths into the files table, while the first files are already being sent. The scan's checkpoint is
 * written together with the files: after a restart it continues with the missing ones.
 */
export function createScanner(
  { registry, store, pathGuard, fileSystem }: JobPorts,
  id: string,
  { signal, activity }: JobContext,
): FileSupply {
  const record = (): UploadRecord => {
    const found = registry.get(id);
    if (found.kind !== 'upload') throw new Error(`The transfer ${id} is no upload.`);
    return found;
  };

  const note = (batch: readonly NewFile[], facts: Partial<UploadRecord['facts']>, tell: () => void): void => {
    const counted = batch.filter(({ state }) => state !== 'skipped');
    store.writer.write(() => {
      store.files.insert(id, batch);
      registry.addTotals(id, { bytes: counted.reduce((sum, { size }) => sum + size, 0), files: counted.length }, facts);
    });
    tell();
  };

  const scan = async (tell: () => void, stop: AbortSignal): Promise<void> => {
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
        note(batch, { rootsScanned, lastScanned: pathIn(entry.path, entry.name) }, tell);
        batch = [];
      }
    }
    note(batch, { rootsScanned, lastScanned: undefined, rescanning: false, scanned: true }, tell);
  };

  return createFileSupply({
    ascending: true,
    isDue: () => !record().facts.scanned,
    async work(tell, closing) {
      const end = activity.begin();
      try {
        await busyWith(activity.times, 'reading', () => scan(tell, AbortSignal.any([signal, closing])));
      } finally {
        end();
      }
    },
  });
}
