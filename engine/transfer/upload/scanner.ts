import { engineActivity } from '../../activity-channel.ts';
import { pathGuardFor } from '../../folders/path-guard.ts';
import type { RootFound } from '../../folders/root-identity.ts';
import { pathIn, walk } from '../../folders/scan.ts';
import { checkpointAt, checkpointOfAll, type ScanCheckpoint } from '../../folders/scan-checkpoint.ts';
import { untilDiskAnswers } from '../../folders/until-disk-answers.ts';
import { busyWith } from '../../io/time-split.ts';
import type { JobContext, JobPorts } from '../job.ts';
import type { NewFile, UploadRecord } from '../record.ts';
import { retryWithActivity } from '../retry-with-activity.ts';
import { createFileSupply, type FileSupply } from './file-supply.ts';
import { createPinnedRoots } from './pinned-roots.ts';
import { uploadRoots } from './upload-roots.ts';

const filesPerBatch = 256;

type Root = ReturnType<typeof uploadRoots>[number];

/**
 * Scans an upload's paths into the files table, while the first files are already being sent. The scan's checkpoint is
 * written together with the files: after a restart it continues with the missing ones. While another folder is at a
 * path, such as the mount point of a drive that has gone, nothing of it is written down: the scan waits.
 */
export function createScanner(
  { registry, store, pathGuard, fileSystem }: Pick<JobPorts, 'registry' | 'store' | 'pathGuard' | 'fileSystem'>,
  id: string,
  context: JobContext,
): FileSupply {
  const pinnedRoots = createPinnedRoots({ store, fileSystem }, id);
  const { signal, activity } = context;
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

  const atWork = async <T>(work: () => Promise<T>): Promise<T> => {
    const end = activity.begin();
    try {
      return await busyWith(activity.times, 'reading', work);
    } finally {
      end();
    }
  };

  const scan = async (tell: () => void, stop: AbortSignal): Promise<void> => {
    // An older agent wrote no checkpoint; what it found is found again.
    if (record().facts.rootsScanned === undefined) {
      store.writer.write(() => store.files.removeAll(id));
      registry.recount(id);
      registry.patchUpload(id, { rootsScanned: 0 });
    }
    let roots: Root[] = [];
    let { rootsScanned = 0 } = record().facts;
    let batch: NewFile[] = [];

    // What follows an answer is done on the agent's own thread, which a disk that hangs would stop. Not for each file of a
    // package whose files are all named singly: these are many, and a look at one is short.
    const isNamedSingly = record().request.intoPackage !== undefined;
    const answers = async (path: string): Promise<void> => {
      if (!isNamedSingly) await untilDiskAnswers(path, fileSystem);
      stop.throwIfAborted();
    };

    const checkpointNow = async (): Promise<ScanCheckpoint | null> => {
      const { rescanning, lastScanned, rootsScanned: current } = record().facts;
      if (rescanning) return await checkpointOfAll(store, id, stop);
      return lastScanned === undefined || current !== rootsScanned ? null : await checkpointAt(store, id, lastScanned, stop);
    };

    /** Returns whether it was the same folder all the time. If not, what was found in it since the last note is dropped. */
    const scanRoot = async (root: Root): Promise<boolean> => {
      const ofOthers = batch.length;
      let noted = false;
      const look = async (): Promise<RootFound> => {
        await answers(root.local);
        return pinnedRoots.find(rootsScanned, root.local);
      };
      const before = await look();
      const isSame = async (): Promise<boolean> => (await look()) === before;
      if (before === 'other') return false;
      const checkpoint = await checkpointNow();
      const guard = pathGuardFor({ pathGuard }, record());
      for await (const entry of walk({ ...root, checkpoint, signal: stop, guard, fileSystem, blocks: isNamedSingly })) {
        if (batch.push(entry) < filesPerBatch) continue;
        if (!(await isSame())) break;
        note(batch, { rootsScanned, lastScanned: pathIn(entry.path, entry.name) }, tell);
        batch = [];
        noted = true;
      }
      if (await isSame()) return true;
      batch.length = noted ? 0 : ofOthers;
      return false;
    };

    for (; ; rootsScanned++) {
      const { request, added } = record();
      if (roots.length < request.paths.length + added.length) {
        for (const path of [...request.paths, ...added].slice(roots.length)) await answers(path);
        roots = uploadRoots({ request, added }, fileSystem);
      }
      const root = roots[rootsScanned];
      if (!root) break;
      engineActivity.publish(`scan ${root.local} for upload ${id}`);
      while (!(await atWork(() => scanRoot(root)))) {
        await retryWithActivity({ ...context, signal: stop }, async () => {
          await answers(root.local);
          pinnedRoots.check(rootsScanned, root.local);
        });
      }
    }
    note(batch, { rootsScanned, lastScanned: undefined, rescanning: false, scanned: true }, tell);
  };

  return createFileSupply({
    ascending: true,
    isDue: () => !record().facts.scanned,
    async work(tell, closing) {
      await scan(tell, AbortSignal.any([signal, closing]));
    },
  });
}
