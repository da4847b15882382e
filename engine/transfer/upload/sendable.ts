import { checkSource, pathGuardFor } from '../../folders/path-guard.ts';
import type { JobPorts } from '../job.ts';
import { type FileRecord, hasChosenFiles, type UploadRecord } from '../record.ts';
import { isStillEmpty } from './folder-contents.ts';

/** Those of a batch that may be sent by their paths, and folders that are still empty. The others are met when they go one by one. */
export async function sendable(
  all: readonly FileRecord[],
  ports: JobPorts,
  record: UploadRecord,
  signal: AbortSignal,
): Promise<readonly FileRecord[]> {
  const guard = pathGuardFor(ports, record);
  const isChosen = hasChosenFiles(record);
  const files: FileRecord[] = [];
  for (const file of all) {
    try {
      if (file.kind === 'directory') {
        if (!isChosen && !(await isStillEmpty(ports, record, file, signal))) continue;
      } else if (guard) checkSource(guard, file, ports.fileSystem);
      files.push(file);
    } catch {
      signal.throwIfAborted();
    }
  }
  return files;
}
