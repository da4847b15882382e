import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createFence } from './fence.ts';
import { type JobPorts, packageClient } from './job.ts';
import type { DownloadRecord, TransferRecord, UploadRecord } from './record.ts';
import { temporaryName } from './temporary-name.ts';
import { cleanUp } from './upload-end.ts';

/**
 * Removes what a transfer that will not go on has left half done: an upload's files at the service, a
 * download's temporary files. Files that came whole stay. What cannot be removed now is logged; an upload's
 * debt stays noted and is paid at the next start.
 */
export async function tidyAfter(ports: JobPorts, record: TransferRecord, signal: AbortSignal): Promise<void> {
  try {
    if (record.kind === 'upload') await tidyUpload(ports, record, signal);
    else tidyDownload(ports, record);
  } catch (error) {
    ports.log.warn({ transfer: record.id, error: String(error) }, 'what a stopped transfer left could not be removed');
  }
}

async function tidyUpload(ports: JobPorts, { id, request, facts, secrets }: UploadRecord, signal: AbortSignal): Promise<void> {
  if (!facts.cleanUpDue) return;
  await cleanUp(packageClient(ports, request.serviceUrl, secrets.packageToken), facts.packageId, signal);
  ports.book.noteUpload(id, { cleanUpDue: false });
}

const filesPerPage = 256;

function tidyDownload({ store }: JobPorts, { id, facts }: DownloadRecord): void {
  if (facts.root === '') return;
  const fence = createFence(facts.root);
  let afterId = 0;
  for (;;) {
    const files = store.files.unfinished(id, afterId, filesPerPage);
    if (files.length === 0) return;
    for (const file of files) {
      afterId = file.id;
      if (file.kind === 'file' && file.local !== '')
        rmSync(join(dirname(fence.place(file.local)), temporaryName(id, file.id)), { force: true });
    }
  }
}
