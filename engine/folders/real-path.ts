import type { FileSystem } from '#filesystem/port.ts';

/** The real path of a path that a person named: only there is a symbolic link followed. */
export function realPathOf(fileSystem: FileSystem, path: string): string {
  try {
    return fileSystem.realPath(path);
  } catch {
    return path;
  }
}
