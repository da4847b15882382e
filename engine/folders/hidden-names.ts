import { homedir, userInfo } from 'node:os';
import { nodeFileSystem } from '#filesystem/node-file-system.ts';
import type { FileSystem } from '#filesystem/port.ts';
import { AgentError } from '#protocol/errors.ts';
import type { File } from '#protocol/hosted/files.ts';
import { withoutBidiControls } from '#protocol/names.ts';
import { shownName } from './names.ts';

/** Names that are listed; the others are only counted. */
const listedNames = 3;

/**
 * Programs read names that begin with a dot in the home folder as settings: a `.bash_profile` or `.ssh` from a package
 * could run code or grant access. So a download into the home folder itself asks first: `hidden_names`.
 *
 * @param folder a real path
 * @param homes real paths
 */
export function refuseHiddenNames(folder: string, listing: Iterable<Pick<File, 'path' | 'name'>>, homes = ownHomes()): void {
  if (!homes.includes(folder)) return;
  const hidden = new Set<string>();
  for (const { path, name } of listing) {
    const [first = ''] = withoutBidiControls(path === '' ? name : path).split('/', 1);
    if (first.startsWith('.')) hidden.add(first);
  }
  if (hidden.size === 0) return;
  const names = [...hidden].slice(0, listedNames).map(shownName).join(', ');
  throw new AgentError('hidden_names', { folder, names: hidden.size > listedNames ? `${names} (+ ${hidden.size - listedNames})` : names });
}

/** The home folder as the environment has it, and as the system has it. */
export function ownHomes(fileSystem: FileSystem = nodeFileSystem): string[] {
  const homes = [homedir, () => userInfo().homedir].flatMap((home) => {
    try {
      return [fileSystem.realPath(home())];
    } catch {
      return [];
    }
  });
  return [...new Set(homes)];
}
