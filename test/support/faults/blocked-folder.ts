import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { fileURLToPath } from 'node:url';
import { vi } from 'vitest';
import { openedFolder } from './opened-folder.ts';

export interface BlockedFolder {
  /** Resolves once somebody waits. */
  readonly reached: Promise<void>;
  /** Lets all go on. More often does nothing. */
  open(): void;
}

/** Whoever looks into this folder in this process waits until it is opened: what is about to come is certain then. */
export function blockFolder(path: string): BlockedFolder {
  const [reached, opened] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const { opendir } = fs;
  const spy = vi.spyOn(fs, 'opendir').mockImplementation(async (place, options) => {
    if (openedFolder(place) === path) {
      reached.resolve();
      await opened.promise;
    }
    return opendir(place, options);
  });
  syncBuiltinESMExports();
  return {
    reached: reached.promise,
    open() {
      spy.mockRestore();
      syncBuiltinESMExports();
      opened.resolve();
    },
  };
}

const preload = fileURLToPath(new URL('./blocked-folder-preload.ts', import.meta.url));

/** The environment of a process that never gets to see what is in this folder. */
export const withFolderBlocked = (path: string): Readonly<Record<string, string>> => ({
  NODE_OPTIONS: `--import "${preload}"`,
  LONGSHORE_TEST_HELD_FOLDER: path,
});
