import { limits } from '#protocol/limits.ts';
import { entryFault, partFault } from '#protocol/names.ts';
import type { PathRules } from '#providers/ports.ts';
import { safePath } from '../delivery/names.ts';

/** What a package holds as a name, as the rules by which names are changed (delivery/names.ts). */
export const packagePaths: PathRules = {
  problem: (path) =>
    path
      .split('/')
      .map(partFault)
      .find((fault) => fault !== null) ?? null,
  ignoresCase: false,
};

/** Where a file is in a package. */
export interface PackagePath {
  /** Folders joined by `/`; empty for the root. */
  readonly path: string;
  readonly name: string;
}

export function splitPath(whole: string): PackagePath {
  const slash = whole.lastIndexOf('/');
  return { path: whole.slice(0, Math.max(0, slash)), name: whole.slice(slash + 1) };
}

export const wholePath = ({ path, name }: PackagePath): string => (path === '' ? name : `${path}/${name}`);

/** Why a package cannot hold it, as a sentence; null if it can. */
export function pathFault({ path, name }: PackagePath): string | null {
  return (
    entryFault(path, name)?.replace(/^(?:name|path): /, '') ??
    (path.length > limits.pathLength ? `its path is longer than ${limits.pathLength} characters.` : null)
  );
}

/**
 * Where an object below a chosen folder goes. What a package cannot hold in names is changed by the same rule as on the way
 * out, so that it comes out as it was at a provider that can.
 */
export const pathBelow = (folder: string, relative: string): PackagePath => splitPath(`${folder}/${safePath(packagePaths, relative)}`);
