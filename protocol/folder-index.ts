/** The folders of a list of paths, and those above them. */
export interface FolderIndex {
  add(folder: string): void;
  /** Whether this is one of the folders, or above one. */
  has(path: string): boolean;
}

/**
 * Finds those above without noting each: one path of 4,096 characters can name two thousand folders, and who sends files
 * chooses their paths. Memory and time are those of the paths as they are. Folders are sorted at the first question after one
 * was added.
 */
export function createFolderIndex(): FolderIndex {
  const known = new Set<string>();
  let sorted: string[] | null = null;
  return {
    add(folder) {
      if (folder === '' || known.has(folder)) return;
      known.add(folder);
      sorted = null;
    },
    has(path) {
      if (known.has(path)) return true;
      sorted ??= Array.from(known, (folder) => `${folder}/`).sort(byUnits);
      const wanted = `${path}/`;
      let low = 0;
      let high = sorted.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (sorted[middle]! < wanted) low = middle + 1;
        else high = middle;
      }
      return sorted[low]?.startsWith(wanted) ?? false;
    },
  };
}

const byUnits = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);
