import { pathGuardFor } from '../../folders/path-guard.ts';
import { allowedPath } from '../../folders/roots.ts';
import { pathIn, type Walk, walk } from '../../folders/scan.ts';
import { checkpointAt, type ScanCheckpoint } from '../../folders/scan-checkpoint.ts';
import type { JobContext, JobPorts } from '../job.ts';
import type { FileRecord, NewFile, UploadRecord } from '../record.ts';
import { retryWithActivity } from '../retry-with-activity.ts';
import { createPinnedRoots } from './pinned-roots.ts';

const entriesPerBatch = 256;

/**
 * A folder that was empty or unreadable at the scan: if it has entries now, they replace it among the files. `true`:
 * nothing is left to do for the folder itself.
 */
export async function takeContents(ports: JobPorts, record: UploadRecord, file: FileRecord, context: JobContext): Promise<boolean> {
  const { store, registry } = ports;
  const { signal } = context;
  if (await retryWithActivity(context, () => isStillEmpty(ports, record, file, signal))) return false;
  // Part of it may be noted: read before it became unreadable, or added just before the agent was killed.
  const checkpoint = await checkpointAt(store, record.id, `${pathIn(file.path, file.name)}/`, signal);
  const without: ScanCheckpoint = { ...checkpoint, has: (path) => path !== pathIn(file.path, file.name) && checkpoint.has(path) };
  let batch: NewFile[] = [];
  const note = (): void => {
    const counted = batch.filter(({ state }) => state !== 'skipped');
    store.writer.write(() => {
      store.files.insert(record.id, batch);
      registry.addTotals(record.id, { bytes: counted.reduce((sum, { size }) => sum + size, 0), files: counted.length });
    });
    batch = [];
  };
  for await (const entry of walk({ ...rootOf(ports, record, file, signal), checkpoint: without })) {
    if (isItself(entry, file)) {
      const trouble = entry.state === 'error' ? entry.error : null;
      note();
      if (trouble) store.writer.write(() => store.files.failed(file.id, trouble));
      return Boolean(trouble);
    }
    if (batch.push(entry) === entriesPerBatch) note();
  }
  store.writer.write(() => {
    note();
    store.files.remove(file.id);
    registry.addTotals(record.id, { bytes: 0, files: -1 });
  });
  return true;
}

function rootOf(ports: JobPorts, record: UploadRecord, { local, path, name }: FileRecord, signal: AbortSignal): Walk {
  const { fileSystem } = ports;
  const root = createPinnedRoots(ports, record.id).pathOf(local);
  // A folder above may be a link by now: what is read anew stays in what was chosen.
  const inRoot = root === null ? null : (at: string): string => allowedPath(at, [root], fileSystem);
  return { local, folder: path, name, signal, guard: pathGuardFor(ports, record) ?? inRoot, fileSystem };
}

/**
 * Whether a folder that was empty at the scan still is, as it nearly always is: then the entries of the transfer need not
 * be read. `source_gone` if another folder is at the path of the upload that it belongs to.
 */
export async function isStillEmpty(ports: JobPorts, record: UploadRecord, file: FileRecord, signal: AbortSignal): Promise<boolean> {
  const roots = createPinnedRoots(ports, record.id);
  roots.checkOf(file.local);
  const isEmpty = await hasNothing(rootOf(ports, record, file, signal), file);
  roots.checkOf(file.local);
  return isEmpty;
}

async function hasNothing(root: Walk, file: FileRecord): Promise<boolean> {
  for await (const entry of walk(root)) if (entry.state !== 'skipped') return isItself(entry, file) && entry.state !== 'error';
  return false;
}

/** Whether an entry is the folder itself: empty, or unreadable. */
function isItself({ kind, path, name }: NewFile, file: FileRecord): boolean {
  return kind === 'directory' && path === file.path && name === file.name;
}
