import { dirname, join } from 'node:path';
import { createSafeRoot } from '../folders/safe-root.ts';
import { temporaryName } from '../folders/temporary-name.ts';
import type { JobPorts } from './job.ts';
import type { DownloadRecord, TransferRecord } from './record.ts';
import { deleteRemotePackageOnce } from './upload/upload-package.ts';

/**
 * Cleanup after a transfer that will not continue: an upload's files at the service, a download's temporary files.
 * Complete files stay. What cannot be removed now is logged; the cleanup of an upload stays noted and is done at the
 * next start.
 */
export async function cleanUpAfter(ports: JobPorts, record: TransferRecord, signal: AbortSignal): Promise<void> {
  try {
    if (record.kind === 'download') await removeTemporaryFiles(ports, record, signal);
    else if (record.facts.package.state === 'to_delete') await deleteRemotePackageOnce(ports, record, signal);
  } catch (error) {
    ports.log.warn({ transfer: record.id, error: String(error) }, 'what a stopped transfer left could not be removed');
  }
}

const filesPerPage = 256;

async function removeTemporaryFiles({ store, fileSystem }: JobPorts, { id, facts }: DownloadRecord, signal: AbortSignal): Promise<void> {
  if (facts.root === '') return;
  const safeRoot = createSafeRoot(facts.root, null, fileSystem);
  let afterId = 0;
  for (;;) {
    const files = store.files.unfinished(id, afterId, filesPerPage);
    if (files.length === 0) return;
    for (const file of files) {
      afterId = file.id;
      if (file.kind === 'file' && file.local !== '')
        fileSystem.removeNow(join(dirname(safeRoot.pathOf(file.local)), temporaryName(id, file.id)));
    }
    await new Promise((resume) => setImmediate(resume));
    signal.throwIfAborted();
  }
}
