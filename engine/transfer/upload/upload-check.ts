import type { HostedClient } from '#client/hosted.ts';
import type { FileSystem } from '#filesystem/port.ts';
import type { File } from '#protocol/hosted/files.ts';
import { pathIn, rootsOf } from '../../folders/scan.ts';
import type { JobContext, JobPorts } from '../job.ts';
import { type FileRecord, hasChosenFiles, packageIdOf, type UploadRecord } from '../record.ts';
import { retryWithActivity } from '../retry-with-activity.ts';
import { unlessGone } from './upload-end.ts';

/**
 * Compares three sources before a package is closed (docs/decisions/0038): the counts of the scan, the files table, and
 * the files at the service. A difference is resolved and the paths are scanned again; an upload with a difference never
 * ends `complete`.
 */

/**
 * Whether the table has everything that the scan counted. If not, the totals follow the table, and a new scan finds the
 * missing files.
 */
export function tableIsWhole({ store, registry }: JobPorts, { id, totalBytes, totalFiles }: UploadRecord): boolean {
  const rows = store.files.counts(id);
  if (rows.totalFiles === totalFiles && rows.totalBytes === totalBytes) return true;
  rescan({ store, registry }, id);
  return false;
}

/** Scans the paths again for entries missing in the table. Where files were chosen, their folders are not scanned. */
export function rescan({ store, registry }: Pick<JobPorts, 'store' | 'registry'>, id: string): void {
  store.writer.write(() => {
    registry.recount(id);
    const record = registry.get(id);
    const chosen = record.kind === 'upload' && hasChosenFiles(record) ? record.request.paths.length : 0;
    registry.patchUpload(id, { scanned: false, rootsScanned: chosen, lastScanned: undefined, rescanning: true });
  });
}

const rowsPerPage = 1_000;

/**
 * Synchronizes the package with the table, file by file: a complete file that differs at the service is sent again, and
 * files at the service that did not complete here are deleted there.
 *
 * @param others whether files without a row are deleted too: only after the paths were scanned for them
 */
export async function matchWithService(
  ports: JobPorts,
  record: UploadRecord,
  { api, others }: { readonly api: HostedClient; readonly others: boolean },
  context: JobContext,
): Promise<void> {
  const { store } = ports;
  const { signal } = context;
  const params = { package_id: packageIdOf(record) };
  const listed = await retryWithActivity(context, () => api.call('listFiles', { params, signal }));
  const there = new Map(listed.map((file) => [pathIn(file.path, file.name), file]));
  const surplus: File[] = [];
  for (let afterId = 0; ; ) {
    const rows = store.files.after(record.id, afterId, rowsPerPage);
    if (rows.length === 0) break;
    afterId = rows.at(-1)!.id;
    const missing: FileRecord[] = [];
    for (const row of rows) {
      const path = pathIn(row.path, row.name);
      const file = there.get(path);
      there.delete(path);
      if (row.state === 'complete' && !isAsSent(row, file)) missing.push(row);
      if (row.state !== 'complete' && file) surplus.push(file);
    }
    store.writer.write(() => {
      for (const { id } of missing) store.files.reset(id);
    });
    await new Promise((resume) => setImmediate(resume));
    signal.throwIfAborted();
  }
  context.activity.recount(store.files.counts(record.id));
  if (others) surplus.push(...ofOurRoots(ports.fileSystem, record, there.values()));
  for (const file of surplus) {
    const fileParams = { ...params, file_id: file.id };
    await retryWithActivity(context, () => unlessGone(api.call('deleteFile', { params: fileParams, signal })));
  }
}

/** Files with answers to a Portal's form are not part of the upload. */
function ofOurRoots(fileSystem: FileSystem, { request, added }: UploadRecord, files: Iterable<File>): File[] {
  const ours = new Set(rootsOf([...request.paths, ...added], fileSystem).map(({ name }) => name));
  return [...files].filter((file) => ours.has(pathIn(file.path, file.name).split('/', 1)[0]!));
}

function isAsSent(row: FileRecord, file: File | undefined): boolean {
  if (!file || file.kind !== row.kind) return false;
  return row.kind === 'directory' || (file.state === 'finalized' && file.size === row.size);
}
