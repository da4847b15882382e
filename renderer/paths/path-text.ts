import { nameFrom } from '#protocol/names.ts';

/**
 * Path functions on text for POSIX and Windows, since the agent's machine may run another system than the browser's.
 */

/** Whether a path is absolute on either system. */
export function isAbsolute(path: string): boolean {
  return /^(\/|\\\\|[A-Za-z]:[\\/])/.test(path);
}

/** A name inside a folder. */
export function joined(folder: string, name: string): string {
  const mark = /^(\\\\|[A-Za-z]:\\)/.test(folder) ? '\\' : '/';
  return folder.endsWith(mark) ? `${folder}${name}` : `${folder}${mark}${name}`;
}

const parts = (path: string): string[] => path.split(/[\\/]+/).filter((part) => part !== '');

/** The last part of a path; a root gives the root itself. */
export const baseName = (path: string): string => parts(path).at(-1) ?? path;

/** A guess until the agent has looked: names of files mostly have an ending. */
export const looksLikeFolder = (path: string): boolean => !/[^.]\.[^.]+$/.test(baseName(path));

/** The id of the drop that a path lies in (contract/agent.md §13.1); null for what was there before. */
export const dropIdOf = (path: string): string | null => /[\\/]drops[\\/]([0-9a-f-]{36})[\\/]files[\\/]/.exec(path)?.[1] ?? null;

/** A package name for these paths: the name of a single path, or their common folder. */
export function nameFor(paths: readonly string[]): string {
  const [first] = paths;
  if (first === undefined) return '';
  const name = (paths.length === 1 || dropIdOf(first) !== null ? parts(first).at(-1) : parts(first).at(-2)) ?? parts(first).at(-1) ?? '';
  return nameFrom(name, '');
}

/** Whether a name came from one of these paths: it is the name of what is there, or of a folder above. */
export const isNamedBy = (name: string, paths: readonly string[]): boolean =>
  paths.some((path) => parts(path).some((part) => nameFrom(part, '') === name));

/** Both lists without duplicates, in order. */
export function withPaths(before: readonly string[], added: readonly string[]): string[] {
  return [...new Set([...before, ...added.map((path) => path.trim()).filter((path) => path !== '')])];
}
