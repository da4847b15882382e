/** Paths of the agent's machine as text: POSIX and Windows, since the page may stand on another system. */

/** Whether a path is whole, whichever system it is of. */
export function isAbsolute(path: string): boolean {
  return /^(\/|\\\\|[A-Za-z]:[\\/])/.test(path);
}

/** A name inside a folder. */
export function joined(folder: string, name: string): string {
  const mark = /^(\\\\|[A-Za-z]:\\)/.test(folder) ? '\\' : '/';
  return folder.endsWith(mark) ? `${folder}${name}` : `${folder}${mark}${name}`;
}

const parts = (path: string): string[] => path.split(/[\\/]+/).filter((part) => part !== '');

/** The last part; the whole of a root. */
export const baseName = (path: string): string => parts(path).at(-1) ?? path;

/** A package name for these paths: the one's own name, or the folder they share. */
export function nameFor(paths: readonly string[]): string {
  const [first] = paths;
  if (first === undefined) return '';
  return (paths.length === 1 ? parts(first).at(-1) : parts(first).at(-2)) ?? parts(first).at(-1) ?? '';
}

/** Both, each path once, in order. */
export function withPaths(before: readonly string[], added: readonly string[]): string[] {
  return [...new Set([...before, ...added.map((path) => path.trim()).filter((path) => path !== '')])];
}
