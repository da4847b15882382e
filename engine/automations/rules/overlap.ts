import { sep } from 'node:path';

/** A folder that something of this agent reads from or writes to. */
export interface UsedFolder {
  /** What it belongs to, as a person knows it: `the automation "Renders"`. */
  readonly of: string;
  /** `source`: what appears in it is sent. `target`: something is put into it. */
  readonly role: 'source' | 'target';
  /** A real path. */
  readonly path: string;
}

export interface Overlap {
  readonly folder: UsedFolder;
  readonly with: UsedFolder;
  /** Why it is refused: a sentence. */
  readonly message: string;
}

/**
 * The first of an automation's folders that must not be used beside the others: a source in a target or a target in a
 * source would send what was received, again and again; a source in another source would send a file twice. Targets
 * may share a folder, since nothing overwrites there.
 *
 * @param own the folders of the automation itself; where one is moved to must not be in the one that is watched
 */
export function findOverlap(
  own: readonly UsedFolder[],
  others: readonly UsedFolder[],
  platform: NodeJS.Platform = process.platform,
): Overlap | null {
  for (const [index, folder] of own.entries()) {
    for (const other of [...own.slice(index + 1), ...others]) {
      if (folder.role === 'target' && other.role === 'target') continue;
      const relation = relationOf(folder.path, other.path, platform);
      if (relation === null) continue;
      return { folder, with: other, message: messageOf(folder, other, relation) };
    }
  }
  return null;
}

type Relation = 'is' | 'lies in' | 'holds';

function relationOf(path: string, other: string, platform: NodeJS.Platform): Relation | null {
  const foldsCase = platform === 'win32' || platform === 'darwin';
  const [one, two] = [path, other].map((text) => withSeparator(foldsCase ? text.normalize('NFC').toLowerCase() : text)) as [string, string];
  if (one === two) return 'is';
  if (one.startsWith(two)) return 'lies in';
  return two.startsWith(one) ? 'holds' : null;
}

const withSeparator = (path: string): string => (path.endsWith(sep) ? path : path + sep);

const uses = { source: 'sends from', target: 'puts files into' } as const;

function messageOf(folder: UsedFolder, other: UsedFolder, relation: Relation): string {
  const loop = folder.role === other.role ? 'The same files would be sent twice' : 'What is put there would be sent again';
  return `${folder.path} ${relation} ${relation === 'is' ? 'the folder' : other.path}, which ${other.of} ${uses[other.role]}. ${loop}. Choose another folder.`;
}
