import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import envPaths from 'env-paths';

/**
 * Where Longshore keeps its data unless told otherwise, by the platform's convention:
 * `~/.local/share/longshore` (or `$XDG_DATA_HOME/longshore`), `~/Library/Application Support/longshore`,
 * `%LOCALAPPDATA%\longshore\Data`.
 */
export function defaultDataDir(): string {
  return envPaths('longshore', { suffix: '' }).data;
}

/** What stands in a data folder: each program keeps to a folder of its own. */
export function dataFolders(dataDir: string): { readonly service: string; readonly agent: string } {
  return { service: join(dataDir, 'service'), agent: join(dataDir, 'agent') };
}

/** A path as a person writes it, made absolute: `~` is the home folder, the rest is relative to `from`. */
export function absolutePath(text: string, from: string): string {
  if (text === '~' || text.startsWith('~/')) return join(homedir(), text.slice(1));
  return resolve(from, text);
}

/** Folder of the built GUI. */
export function guiFolder(): string {
  return fileURLToPath(new URL('../renderer/dist', import.meta.url));
}
