import { dirname, join } from 'node:path';
import { removeEmptyFolders } from '../folders/empty-folders.ts';
import { createSafeRoot } from '../folders/safe-root.ts';
import { temporaryName } from '../folders/temporary-name.ts';
import type { JobPorts } from './job.ts';
import type { DownloadRecord, TransferRecord } from './record.ts';
import { deleteRemotePackageOnce } from './upload/upload-package.ts';

/**
 * Cleanup after a transfer that will not continue: an upload's files at the service, a download's temporary files, and the
 * folders that it made if they are empty. Complete files stay. What cannot be removed now is logged; the cleanup of an
 * upload stays noted and is done at the next start.
 */
export async function cleanUpAfter(ports: JobPorts, record: TransferRecord, signal: AbortSignal): Promise<void> {
  try {
    await cleanUpOnce(ports, record, signal);
  } catch (error) {
    ports.log.warn({ transfer: record.id, error: String(error) }, 'what a stopped transfer left could not be removed');
  }
}

/** One attempt. Throws what keeps it from removing all. */
export async function cleanUpOnce(ports: JobPorts, record: TransferRecord, signal: AbortSignal): Promise<void> {
  if (record.kind === 'download') await removeUnfinished(ports, record, signal);
  else if (record.facts.package.state === 'to_delete') await deleteRemotePackageOnce(ports, record, signal);
}

const filesPerPage = 256;

async function removeUnfinished(ports: JobPorts, { id, facts }: DownloadRecord, signal: AbortSignal): Promise<void> {
  const { store, fileSystem } = ports;
  const { root, made } = facts;
  if (root === '') return;
  const safeRoot = createSafeRoot(root, null, fileSystem);
  let afterId = 0;
  let folder = root;
  const leave = (next: string): void => {
    if (made !== undefined && folder !== next) removeEmptyFolders(folder, made, fileSystem);
    folder = next;
  };
  for (;;) {
    const files = store.files.unfinished(id, afterId, filesPerPage);
    if (files.length === 0) break;
    for (const file of files) {
      afterId = file.id;
      if (file.local === '') continue;
      const path = safeRoot.pathOf(file.local);
      leave(file.kind === 'file' ? dirname(path) : path);
      if (file.kind !== 'file') continue;
      fileSystem.removeNow(join(folder, temporaryName(id, file.id)));
      store.writer.write(() => store.files.chunksForgotten(file.id, 'all'));
    }
    await new Promise((resume) => setImmediate(resume));
    signal.throwIfAborted();
  }
  leave('');
  if (made !== undefined) forgetRemovedRoot(ports, id, { root, made });
}

/** A retry makes the folder again, rather than waiting for a drive that has gone with it. */
function forgetRemovedRoot(
  { registry, fileSystem }: JobPorts,
  id: string,
  { root, made }: { readonly root: string; readonly made: string },
): void {
  removeEmptyFolders(root, made, fileSystem);
  if (fileSystem.lstatNow(root) !== null) return;
  const record = registry.find(id);
  if (record?.kind !== 'download' || record.facts.root !== root) return;
  const { made: _, ...facts } = record.facts;
  registry.changeDownload(id, { facts: { ...facts, root: '', planned: false }, bytes: 0, files: 0 });
}
