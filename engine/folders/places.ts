import { homedir, userInfo } from 'node:os';
import { join } from 'node:path';
import { nodeFileSystem } from '#filesystem/node-file-system.ts';
import type { FileSystem } from '#filesystem/port.ts';
import type { StartFolder } from '#protocol/agent/paths.ts';
import type { Answers } from './answering-disks.ts';
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
  readonly answers?: Answers;
}

const mostRecent = 5;
const mostVolumes = 50;

/** Where a person would look for files: each folder once, as what it is first. None on a disk that does not answer. */
export async function listPlaces({
  allowed,
  recent,
  restricted,
  home = homedir(),
  user = userInfo().username,
  platform = process.platform,
  fileSystem = nodeFileSystem,
  answers = async () => true,
}: PlacesOptions): Promise<StartFolder[]> {
  const roots = realRoots(allowed, fileSystem);
  const places = new Map<string, StartFolder>();
  const add = async (path: string, kind: StartFolder['kind']): Promise<void> => {
    if (!(await answers(path))) return;
    const real = folderAt(path, fileSystem);
    if (real === null || places.has(real)) return;
    const isAllowed = isInside(real, roots);
    if (restricted && !isAllowed) return;
    const free = kind === 'volume' ? freeAt(real, fileSystem) : null;
    places.set(real, { path: real, kind, allowed: isAllowed, ...(free === null ? {} : { free_bytes: free }) });
  };
  await add(home, 'home');
  for (const path of (await volumesOf(platform, user, fileSystem, answers)).slice(0, mostVolumes)) await add(path, 'volume');
  for (const path of roots) await add(path, 'allowed');
  let shown = 0;
  for (const path of recent) {
    if (shown === mostRecent) break;
    const before = places.size;
    await add(path, 'recent');
    shown += places.size - before;
  }
  return [...places.values()];
}

/** Where systems mount drives and cards, with whether each folder there is one: elsewhere a folder counts if it is another disk. */
async function volumesOf(platform: NodeJS.Platform, user: string, fileSystem: FileSystem, answers: Answers): Promise<string[]> {
  if (platform === 'win32') return [...'CDEFGHIJKLMNOPQRSTUVWXYZ'].map((letter) => `${letter}:\\`);
  if (platform === 'darwin') return namesIn('/Volumes', fileSystem).map((name) => join('/Volumes', name));
  const volumes: string[] = [];
  for (const above of ['/media', `/media/${user}`, `/run/media/${user}`, '/mnt']) {
    const own = deviceOf(above, fileSystem);
    for (const path of namesIn(above, fileSystem).map((name) => join(above, name))) {
      const device = (await answers(path)) ? deviceOf(path, fileSystem) : null;
      if (device !== null && device !== own) volumes.push(path);
    }
  }
  return volumes;
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
