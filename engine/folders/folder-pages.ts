import { nodeFileSystem } from '#filesystem/node-file-system.ts';
import type { FileSystem, OpenDirectory } from '#filesystem/port.ts';

/** One page of sorted names in a folder, and whether it is the last. */
export interface NamesPage {
  readonly names: readonly string[];
  readonly last: boolean;
}

/** The names in one folder, page by page; a folder of millions of names is never in memory as a whole. */
interface FolderPages {
  /** Not asked again after the last page. Rejects with the system's error. */
  next(): Promise<NamesPage>;
  /** Closes the folder; after the last page it is closed already. */
  close(): Promise<void>;
}

/**
 * Names in one page: a folder with at most this many is sorted as a whole; a larger one is read in the disk's order,
 * and each page is sorted.
 */
export const namesPerPage = 10_000;
/** Names read by one system call. */
const namesPerRead = 1_024;

export function openPages(path: string, perPage = namesPerPage, fileSystem: FileSystem = nodeFileSystem): FolderPages {
  let folder: OpenDirectory | null = null;

  const close = async (): Promise<void> => {
    const open = folder;
    folder = null;
    await open?.close();
  };

  return {
    async next() {
      folder ??= await fileSystem.openDirectory(path, namesPerRead);
      const names: string[] = [];
      while (names.length < perPage) {
        const entry = await folder.read();
        if (entry === null) {
          await close();
          return { names: names.sort(), last: true };
        }
        names.push(entry.name);
      }
      return { names: names.sort(), last: false };
    },
    close,
  };
}
