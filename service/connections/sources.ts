/** The folders that may be read through a connection: contract/connections.md §5. None: everything in its destination. */
export type SourceFolders = readonly string[];

const trimmed = (path: string): string => path.replace(/^\/+|\/+$/g, '');

/** The folders that a picker begins with; null if that is the destination itself. */
export function sourceRoots(sources: SourceFolders): readonly string[] | null {
  const roots = sources.map(trimmed);
  return roots.length === 0 || roots.includes('') ? null : [...new Set(roots)];
}

/** Whether a folder, or a file, lies in one of the folders that may be read. */
export function isWithinSources(sources: SourceFolders, path: string): boolean {
  const roots = sourceRoots(sources);
  if (roots === null) return true;
  // A server might resolve such steps and so leave the folder.
  if (path.split(/[/\\]/).some((step) => step === '..' || step === '.')) return false;
  return roots.some((root) => path === root || path.startsWith(`${root}/`));
}
