import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { damagedMark } from '#storage/local/layout.ts';
import { isAbsent } from '../backup/backup-error.ts';
import { pathOf } from '../backup/object-copy.ts';
import type { FileStore } from '../backup/ports.ts';

/**
 * Objects that the storage refuses to give out, since a check has found them damaged: by a file beside their parts, so that
 * addresses that are signed already lead nowhere too, and nothing is lost. Objects in segments are compared at each read
 * and need none.
 */
export interface Withheld {
  /** The same store; what is listed through it is known. */
  readonly store: FileStore;
  has(key: string): boolean;
  /** Does nothing for an object that is gone. */
  withhold(key: string, at: Date): Promise<void>;
  release(key: string): Promise<void>;
}

export function withheldObjects(store: FileStore, objectsDir: string): Withheld {
  const marked = new Set<string>();
  const markOf = (key: string): string => join(objectsDir, pathOf(key), damagedMark);
  return {
    store: {
      ...store,
      async list(folder) {
        const entries = await store.list(folder);
        if (entries.some(({ name }) => name === damagedMark)) marked.add(folder);
        return entries;
      },
    },
    has: (key) => marked.has(pathOf(key)),
    async withhold(key, at) {
      try {
        await writeFile(markOf(key), `Found damaged at ${at.toISOString()}.\n`, { flush: true, mode: 0o600 });
      } catch (error) {
        if (!isAbsent(error)) throw error;
      }
    },
    async release(key) {
      await rm(markOf(key), { force: true });
      marked.delete(pathOf(key));
    },
  };
}
