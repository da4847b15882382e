import { join } from 'node:path';
import { openFlags } from '#filesystem/flags.ts';
import { writeFully } from '#filesystem/fully.ts';
import type { FileSystem } from '#filesystem/port.ts';
import { AgentError } from '#protocol/errors.ts';
import { systemCode } from '../../errors.ts';
import { markerName } from '../marker-name.ts';
import { wordsFor } from './disk-words.ts';
import type { Beginning, Marked } from './messages.ts';

/**
 * The file that tells a mount's folder from the empty folder that an unmounted drive leaves at its place. It holds the
 * mount's id.
 */

/** Bytes; an id is shorter. */
const longest = 256;

/** The id in the marker of a folder; `null` where there is no marker. */
export function readMarker(root: string, fileSystem: FileSystem): string | null {
  try {
    const file = fileSystem.openNow(join(root, markerName), openFlags.readOwn);
    try {
      const buffer = Buffer.alloc(longest);
      return buffer.toString('utf8', 0, file.readNow(buffer, 0, longest, 0)).trim();
    } finally {
      file.closeNow();
    }
  } catch (cause) {
    if (systemCode(cause) === 'ENOENT') return null;
    throw cause;
  }
}

/**
 * Makes a folder a mount's by its marker. A disk that takes no files needs none where the mount is only read.
 * `already_exists` where it is another mount's; `path_not_found`, `path_unreadable`.
 */
export async function markRoot(
  { root, mountId, readOnly }: Pick<Beginning, 'root' | 'mountId' | 'readOnly'>,
  fileSystem: FileSystem,
): Promise<Marked> {
  const found = fileSystem.stat(root);
  if (!found) throw new AgentError('path_not_found', { path: root });
  if (!found.isDirectory()) throw new AgentError('path_unreadable', { path: root, detail: 'it is not a folder.' });
  const real = fileSystem.realPath(root);
  const there = readMarker(real, fileSystem);
  if (there === mountId) return { real, marked: true };
  if (there !== null) {
    throw new Error(
      `${root} is the folder of another mount already, of this agent or another one. Remove that mount; if it is no longer there, delete the file ${markerName} in the folder.`,
    );
  }
  try {
    const file = await fileSystem.open(join(real, markerName), openFlags.create);
    try {
      await writeFully(file, [Buffer.from(`${mountId}\n`)], 0);
      await file.flush();
    } finally {
      await file.close();
    }
    return { real, marked: true };
  } catch (cause) {
    if (readOnly && ['EROFS', 'EACCES', 'EPERM'].includes(systemCode(cause))) return { real, marked: false };
    throw new Error(wordsFor(root, cause), { cause });
  }
}

/** Removes the marker, if it is the one of this mount. */
export function removeMarker(root: string, id: string, fileSystem: FileSystem): void {
  if (readMarker(root, fileSystem) === id) fileSystem.removeNow(join(root, markerName));
}
