import { dirname } from 'node:path';
import { TransferError } from '#client/errors.ts';
import type { HostedClient } from '#client/hosted.ts';
import type { FileSystem } from '#filesystem/port.ts';
import { AgentError } from '#protocol/errors.ts';
import { bodyOf } from '../failures.ts';
import type { JobContext, JobPorts } from '../job.ts';
import { type FileRecord, packageIdOf, type UploadRecord } from '../record.ts';
import { deletePartial } from './upload-end.ts';
import { openUploadLedger } from './upload-ledger.ts';

/**
 * Files that an automation has chosen and that went away before all of them was sent. Their package goes on without them:
 * what comes back, or has another name, is found by a later look at the folder.
 */

/** Whether the error of a chosen file means that it was taken away, and not its disk. */
export function isTakenAway(
  { fileSystem }: Pick<JobPorts, 'fileSystem'>,
  { request }: UploadRecord,
  file: FileRecord,
  error: unknown,
): boolean {
  if (request.automationId === undefined || file.kind !== 'file') return false;
  return error instanceof TransferError && error.code === 'source_gone' && isDiskThere(fileSystem, request.paths[0] ?? '', file);
}

/** Whether the folder that it came from is there, and on the same disk: a drive that is gone leaves an empty mountpoint. */
export function isDiskThere(fileSystem: FileSystem, folder: string, { local, inode }: Pick<FileRecord, 'local' | 'inode'>): boolean {
  try {
    if (!fileSystem.stat(folder)?.isDirectory()) return false;
    for (let above = dirname(local); above.length >= folder.length; above = dirname(above)) {
      const found = fileSystem.stat(above);
      if (found) return String(found.dev) === inode.split(':')[0];
    }
  } catch {
    // A disk that does not answer as it should is not taken for one that is there.
  }
  return false;
}

/** Takes the file out of the package, here and at the service. */
export async function leaveOut(
  ports: Pick<JobPorts, 'store' | 'registry'>,
  { record, api }: { readonly record: UploadRecord; readonly api: HostedClient },
  { id: fileId }: FileRecord,
  detail: string,
  context: JobContext,
): Promise<void> {
  const { store, registry } = ports;
  // As it is noted now: its upload may have begun, and its size may have changed.
  const file = store.files.one(fileId);
  if (!file) return;
  await deletePartial(api, packageIdOf(record), file, context);
  const why = new AgentError('left_out', { path: file.local, detail });
  uncount(store, context.activity, file, () => {
    store.files.restamped(fileId, { size: 0, mtimeMs: file.modifiedAt, inode: file.inode });
    store.files.skipped(fileId, bodyOf(why));
    registry.addTotals(record.id, { bytes: -file.size, files: -1 });
  });
}

/** Nothing of a file counts as sent any more, once `write` has said so. */
export function uncount(store: JobPorts['store'], activity: JobContext['activity'], file: FileRecord, write: () => void): void {
  const sent = openUploadLedger(store, file).bytes();
  store.writer.write(write);
  if (sent === 0) return;
  activity.beginFile(file, sent).stop(0);
  activity.goBack();
}
