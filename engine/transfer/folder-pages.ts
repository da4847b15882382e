import type { Dir } from 'node:fs';
import { opendir } from 'node:fs/promises';

/** Names in a folder, sorted, and whether these are the last of it. */
export interface NamesPage {
  readonly names: readonly string[];
  readonly last: boolean;
}

/** The names in one folder, page after page; what one of some millions holds is never in memory as a whole. */
export interface FolderPages {
  /** Not asked again after the last page. Rejects with the system's error. */
  next(): Promise<NamesPage>;
  /** Lets the folder go; after the last page it is gone already. */
  close(): Promise<void>;
}

/** Names in one page: a folder of no more is sorted as a whole, a larger one comes in the disk's order, each page sorted. */
export const namesPerPage = 10_000;
/** What one call of the system brings. */
const namesPerRead = 1_024;

export function openPages(place: string, perPage = namesPerPage): FolderPages {
  let folder: Dir | null = null;

  const close = async (): Promise<void> => {
    const open = folder;
    folder = null;
    await open?.close();
  };

  return {
    async next() {
      folder ??= await opendir(place, { bufferSize: namesPerRead });
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
