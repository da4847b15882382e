import { homedir, userInfo } from 'node:os';
import { join } from 'node:path';
import { nodeFileSystem } from '#filesystem/node-file-system.ts';
import type { FileSystem } from '#filesystem/port.ts';
import type { StartFolder } from '#protocol/agent/paths.ts';
import { isInside, realRoots } from './roots.ts';

interface PlacesOptions {
  readonly allowed: readonly string[];
  /** Folders of the last transfers, the newest first. */
  readonly recent: readonly string[];
  /** Shows nothing beyond the allowed folders. */
  readonly restricted: boolean;
  readonly home?: string;
  readonly user?: string;
  readonly platform?: NodeJS.Platform;
  readonly fileSystem?: FileSystem;
}

const mostRecent = 5;
const mostVolumes = 50;

/** Where a person would look for files: each folder once, as what it is first. */
export function listPlaces({
  allowed,
  recent,
  restricted,
  home = homedir(),
  user = userInfo().username,
  platform = process.platform,
  fileSystem = nodeFileSystem,
}: PlacesOptions): StartFolder[] {
  const roots = realRoots(allowed, fileSystem);
  const places = new Map<string, StartFolder>();
  const add = (path: string, kind: StartFolder['kind']): void => {
    const real = folderAt(path, fileSystem);
    if (real === null || places.has(real)) return;
    const isAllowed = isInside(real, roots);
    if (restricted && !isAllowed) return;
    const free = kind === 'volume' ? freeAt(real, fileSystem) : null;
    places.set(real, { path: real, kind, allowed: isAllowed, ...(free === null ? {} : { free_bytes: free }) });
  };
  add(home, 'home');
  for (const path of volumesOf(platform, user, fileSystem).slice(0, mostVolumes)) add(path, 'volume');
  for (const path of roots) add(path, 'allowed');
  let shown = 0;
  for (const path of recent) {
    if (shown === mostRecent) break;
    const before = places.size;
    add(path, 'recent');
    shown += places.size - before;
  }
  return [...places.values()];
}

/** Where systems mount drives and cards, with whether each folder there is one: elsewhere a folder counts if it is another disk. */
function volumesOf(platform: NodeJS.Platform, user: string, fileSystem: FileSystem): string[] {
  if (platform === 'win32') return [...'CDEFGHIJKLMNOPQRSTUVWXYZ'].map((letter) => `${letter}:\\`);
  if (platform === 'darwin') return namesIn('/Volumes', fileSystem).map((name) => join('/Volumes', name));
  return ['/media', `/media/${user}`, `/run/media/${user}`, '/mnt'].flatMap((above) => {
    const own = deviceOf(above, fileSystem);
    return namesIn(above, fileSystem)
      .map((name) => join(above, name))
      .filter((path) => {
        const device = deviceOf(path, fileSystem);
        return device !== null && device !== own;
      });
  });
}

function namesIn(folder: string, fileSystem: FileSystem): string[] {
  try {
    return fileSystem
      .list(folder)
      .filter((name) => !name.startsWith('.'))
      .sort();
  } catch {
    return [];
  }
}

/** The number of the disk that a folder is on; `null` where there is no folder. */
function deviceOf(path: string, fileSystem: FileSystem): number | null {
  try {
    const found = fileSystem.stat(path);
    return found?.isDirectory() ? found.dev : null;
  } catch {
    return null;
  }
}

function folderAt(path: string, fileSystem: FileSystem): string | null {
  try {
    return deviceOf(path, fileSystem) === null ? null : fileSystem.realPath(path);
  } catch {
    return null;
  }
}

function freeAt(path: string, fileSystem: FileSystem): number | null {
  try {
    return fileSystem.space(path).free;
  } catch {
    return null;
  }
}
