import { dirname, join } from 'node:path';
import { TransferError } from '#client/errors.ts';
import type { FileStats, FileSystem } from '#filesystem/port.ts';
import { folderIdentityOf, isSameFolder } from '../../folders/folder-identity.ts';
import { temporaryName } from '../../folders/temporary-name.ts';
import type { JobPorts } from '../job.ts';
import type { DownloadRecord, FileRecord } from '../record.ts';

/** Complete files that are looked for in a folder that may be another one. */
const looked = 256;

/**
 * Pins the root of a download: its identity is noted when the first run begins, and what is found at its path later is
 * compared with that, since a drive that goes leaves a mount point, which is a folder that can be written to as well.
 *
 * A folder with another identity counts as the same one if a file is in it that this download has written: identities
 * change on some file systems when a drive is connected again, and nothing is ever written before this check. As long as
 * nothing was received, a new run pins what is there; within a run the inode decides.
 *
 * A download that an older agent began has no pin, and is not checked once it has received something.
 *
 * @returns the check of what is found at the root's path; it throws `target_unwritable`
 */
export function createPinnedRoot(
  { registry, store, fileSystem }: Pick<JobPorts, 'registry' | 'store' | 'fileSystem'>,
  record: () => DownloadRecord,
): (found: FileStats) => void {
  const { id, facts: atStart } = record();
  let isNew = !atStart.planned || received().length === 0;

  /** Files with bytes on the disk: partial ones, and the first of the complete ones. */
  function received(): FileRecord[] {
    const partial = [...store.files.withChunks(id)].map((file) => store.files.one(file)).filter((file) => file !== null);
    return [...partial, ...store.files.complete(id, looked)];
  }

  return (found) => {
    const { facts } = record();
    const { root, rootIdentity: pinned } = facts;
    const here = folderIdentityOf(found);
    if (!isNew) {
      if (pinned === undefined || isSameFolder(pinned, here)) return;
      const files = received();
      const isSame = files.length === 0 ? pinned.ino === here.ino : files.some((file) => isThere(fileSystem, id, root, file));
      if (!isSame) {
        throw new TransferError(
          'target_unwritable',
          `Another folder is at ${root} now, without what this download has put there. Connect its drive again, or choose another folder.`,
        );
      }
    }
    isNew = false;
    registry.changeDownload(id, { facts: { ...facts, rootIdentity: here } });
  };
}

/** Whether a file is in its folder as this download has left it: whole, or its temporary file. */
function isThere(fileSystem: FileSystem, id: string, root: string, file: FileRecord): boolean {
  const path = join(root, ...file.local.split('/'));
  const found = fileSystem.lstatNow(path);
  if (file.kind === 'directory') return found?.isDirectory() ?? false;
  if (found?.isFile() && found.size === file.size) return true;
  const partial = file.state === 'complete' ? null : fileSystem.lstatNow(join(dirname(path), temporaryName(id, file.id)));
  return partial?.isFile() === true && partial.size > 0;
}
