import type { FileStats, FileSystem } from '#filesystem/port.ts';

/** What a look at one entry brought. */
export type Looked = { readonly found: FileStats | null } | { readonly cause: unknown };

/** Entries of a disk that may hang that are looked up at once: each is a round trip. */
const lookupsAtOnce = 64;

/** Looks an entry up on the agent's own thread, which a disk that hangs would stop. */
export function lookNow(fileSystem: FileSystem, path: string): Looked {
  try {
    return { found: fileSystem.lstatNow(path) };
  } catch (cause) {
    return { cause };
  }
}

/** Looks an entry up where that can be left behind. */
export const lookLater = (fileSystem: FileSystem, path: string): Promise<Looked> =>
  fileSystem.lstat(path).then(
    (found) => ({ found }),
    (cause: unknown) => ({ cause }),
  );

export interface LookAhead {
  /** What is at one of the paths. */
  at(path: string): Promise<Looked>;
  /** What was looked up ahead is not used any more, since time has passed. */
  forget(): void;
}

/** Looks up entries that are asked for in this order, some ahead. */
export function lookAhead(fileSystem: FileSystem, paths: readonly string[]): LookAhead {
  let known = new Map<string, Looked>();
  let next = 0;
  return {
    async at(path) {
      const found = known.get(path);
      if (found) return found;
      while (next < paths.length && paths[next] !== path) next++;
      const some = next < paths.length ? paths.slice(next, next + lookupsAtOnce) : [path];
      known = new Map(await Promise.all(some.map(async (one) => [one, await lookLater(fileSystem, one)] as const)));
      return known.get(path)!;
    },
    forget: () => known.clear(),
  };
}
