import { LRUCache } from 'lru-cache';
import pLimit, { type LimitFunction } from 'p-limit';
import { maxEntries } from '#net/lru-size.ts';

const maxPaths = 10_000;

export interface FolderPathsOptions {
  /** The id of the folder that paths begin in. */
  readonly root: (signal: AbortSignal) => Promise<string>;
  /** Names that differ only in case are the same folder. */
  readonly ignoresCase: boolean;
}

/** One step of a path: the id of the folder `name` in `parent`, found or made; null if there is none. */
export type FolderStep = (parent: string, name: string, signal: AbortSignal) => Promise<string | null>;

export interface FolderPaths {
  /** The id of a path, by its steps; null as soon as one is. */
  walk(path: string, step: FolderStep, signal: AbortSignal): Promise<string | null>;
  /** Ids may be over: a folder was removed by somebody. */
  forget(): void;
}

/** For providers that have ids for folders. One lock a parent, so that two files of one new folder make it once. */
export function createFolderPaths({ root, ignoresCase }: FolderPathsOptions): FolderPaths {
  const known = new LRUCache<string, string>(maxEntries(maxPaths));
  const locks = new LRUCache<string, LimitFunction>(maxEntries(maxPaths));

  function lockOf(parent: string): LimitFunction {
    const lock = locks.get(parent) ?? pLimit(1);
    locks.set(parent, lock);
    return lock;
  }

  return {
    async walk(path, step, signal) {
      signal.throwIfAborted();
      let id = await root(signal);
      let at = '';
      for (const name of path === '' ? [] : path.split('/')) {
        at = at === '' ? name : `${at}/${name}`;
        const key = ignoresCase ? at.toLowerCase() : at;
        const parent = id;
        const look = async (): Promise<string | null> => {
          const found = known.get(key) ?? (await step(parent, name, signal));
          if (found !== null) known.set(key, found);
          return found;
        };
        const found: string | null = known.get(key) ?? (await lockOf(parent)(look));
        if (found === null) return null;
        id = found;
      }
      return id;
    },
    forget: () => known.clear(),
  };
}
