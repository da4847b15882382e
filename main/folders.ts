import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import envPaths from 'env-paths';

/**
 * The default data folder, by the platform's convention:
 * `~/.local/share/longshore` (or `$XDG_DATA_HOME/longshore`), `~/Library/Application Support/longshore`,
 * `%LOCALAPPDATA%\longshore\Data`.
 */
export function defaultDataDir(): string {
  return envPaths('longshore', { suffix: '' }).data;
}

/** The content of a data folder: one folder for each program. */
export function dataFolders(dataDir: string): { readonly service: string; readonly agent: string } {
  return { service: join(dataDir, 'service'), agent: join(dataDir, 'agent') };
}

/** Makes a typed path absolute: `~` is the home folder, other paths are relative to `from`. */
export function absolutePath(text: string, from: string): string {
  if (text === '~' || text.startsWith('~/')) return join(homedir(), text.slice(1));
  return resolve(from, text);
}

/** Folder of the built GUI. */
export function guiFolder(): string {
  return fileURLToPath(new URL('../renderer/dist', import.meta.url));
}
