import type { FileSystem } from '#filesystem/port.ts';
import { AgentError } from '#protocol/errors.ts';
import type { PathGuard } from '../../folders/path-guard.ts';
import { openFolder } from '../../folders/safe-root.ts';
import type { DownloadAutomation, WatchedFolder } from '../record.ts';
import { identityOf } from '../uploads/scan-folder.ts';

/**
 * Makes the folder of a download automation the first time, and from then on only looks whether it is still that one: a
 * folder that is made anew on the mount point of a missing disk would fill another one. Returns what it is.
 * `path_not_found`, `path_unreadable`, `path_outside`.
 */
export function targetReady(
  { fields, facts, restricted }: DownloadAutomation,
  { fileSystem, pathGuard }: { readonly fileSystem: FileSystem; readonly pathGuard: PathGuard },
): WatchedFolder {
  const { dst_folder: path } = fields;
  const { started } = facts;
  if (!started) openFolder(path, restricted ? pathGuard : null, fileSystem);
  const found = fileSystem.stat(path);
  if (!found) throw new AgentError('path_not_found', { path });
  if (!found.isDirectory()) throw new AgentError('path_unreadable', { path, detail: 'it is not a folder. Choose another folder.' });
  const here = { dev: found.dev, identity: identityOf(found) };
  // Numbers of devices change when disks are connected anew; a folder that was made anew is on the same one.
  if (started && started.dev !== here.dev && started.identity !== here.identity) {
    const detail = 'another folder is there than before. Connect its disk, or save the automation once more to use this folder';
    throw new AgentError('path_unreadable', { path, detail: `${detail}.` });
  }
  return here;
}
