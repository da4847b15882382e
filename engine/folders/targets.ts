import { AgentError } from '#protocol/errors.ts';
import { createFolderIndex } from '#protocol/folder-index.ts';
import type { File } from '#protocol/hosted/files.ts';
import { limits } from '#protocol/limits.ts';
import { entryFault, hasBidiControl, partFault, withoutBidiControls } from '#protocol/names.ts';
import { createNumbering } from '#protocol/numbered-names.ts';
import { systemCode } from '../errors.ts';
import type { Collision, NewFile } from '../transfer/record.ts';
import type { NameCutter } from './long-names.ts';
import { shownName } from './names.ts';

/** How the disk of the chosen folder compares names. */
export interface NameRules {
  /** `A` and `a` are one name. */
  readonly foldsCase: boolean;
  /** Composed and decomposed letters are one name. */
  readonly foldsUnicode: boolean;
}

/** What exists at a path already. */
export type EntryKind = 'nothing' | 'file' | 'other';

export interface PlanOptions extends NameRules {
  /** What exists at a path below the root, with `/`. Throws `ENAMETOOLONG` for one that the disk cannot hold. */
  readonly entryAt: (relative: string) => EntryKind;
  readonly collision: Collision;
  /** Cuts names and paths that the disk cannot hold; without it they are errors of their own files. */
  readonly cut?: NameCutter | undefined;
}

/** Decides the target paths of one listing. Every record must be passed to `see` before the first is passed to `plan`. */
export interface TargetPlanner {
  see(record: File): void;
  /** A target path that an earlier run has given away; no other record gets it. */
  take(local: string): void;
  plan(record: File): NewFile;
  /** Files renamed because their names contain a direction control: the first, for a message, and their number. */
  readonly redirected: { readonly count: number; readonly first: string };
}

/**
 * Decides the target path of every record of a package's listing. No target is outside the root, whatever the listing
 * says: names that lead outside, or that some system cannot hold, are errors of their own files. If a name collides
 * with another file, with a folder or with an existing entry, the file is named `name (2)`. For an existing file the
 * collision rule decides: it may be replaced, or be kept alone (`skipped`). Characters that change the text direction
 * are replaced: no package of today contains them, but older ones do.
 */
export function createTargetPlanner(options: PlanOptions): TargetPlanner {
  const key = (relative: string): string => {
    const text = options.foldsUnicode ? relative.normalize('NFC') : relative;
    return options.foldsCase ? text.toLowerCase() : text;
  };
  const faultOf = createFaults();
  const redirected = { count: 0, first: '' };
  const numbered = createNumbering();
  /** By key. */
  const folders = createFolderIndex();
  const files = new Set<string>();
  const { cut } = options;
  /** As the disk can hold it. */
  const fitting = (entryPath: EntryPath): EntryPath => cut?.fitEntry(entryPath) ?? entryPath;
  const clashes = (folded: string): boolean => files.has(folded) || folders.has(folded);
  return {
    redirected,
    see(record) {
      const entryPath = entryPathOf(record);
      if (faultOf(entryPath) !== null) return;
      const { path, name } = fitting(entryPath);
      folders.add(key(record.kind === 'directory' ? joined(path, name) : path));
    },
    take: (local) => void files.add(key(local)),
    plan: (record) => unlessTooLong(record, () => planned(record)),
  };

  function planned(record: File): NewFile {
    const entryPath = entryPathOf(record);
    const fault = faultOf(entryPath);
    if (fault !== null) {
      return {
        ...entryOf(record, ''),
        state: 'error',
        error: new AgentError('name_unsafe', { path: shown(record), detail: fault }).body,
      };
    }
    if (entryPath.path !== record.path || entryPath.name !== record.name) {
      if (redirected.count++ === 0) redirected.first = shown(record);
    }
    const { path, name: ownName } = fitting(entryPath);
    const own = joined(path, ownName);
    if (record.kind === 'directory') {
      // One that holds files exists by their paths.
      if (Buffer.byteLength(own) > longerThanMost) options.entryAt(own);
      return entryOf(record, own);
    }
    const prefix = own.slice(0, own.length - ownName.length);
    const ownKey = key(own);
    const ruled = options.collision !== 'keep_both' && !clashes(ownKey) && options.entryAt(own) === 'file';
    if (ruled && options.collision === 'skip') {
      files.add(ownKey);
      const detail = 'a file of this name is there already.';
      return { ...entryOf(record, ''), state: 'skipped', error: new AgentError('left_out', { path: shown(record), detail }).body };
    }
    const isFree = (candidate: string): boolean => !clashes(key(prefix + candidate)) && options.entryAt(prefix + candidate) === 'nothing';
    const name = ruled ? ownName : numbered(cut && !isFree(ownName) ? cut.fitNumbered(ownName) : ownName, isFree, ownKey);
    files.add(key(prefix + name));
    return entryOf(record, prefix + name);
  }
}

/** Bytes of a path: of longer ones the disk is asked whether it holds them. */
export const longerThanMost = 100;

/** What the disk cannot hold is an error of this file alone. */
function unlessTooLong(record: File, plan: () => NewFile): NewFile {
  try {
    return plan();
  } catch (cause) {
    if (systemCode(cause) !== 'ENAMETOOLONG') throw cause;
    const detail =
      'its name, or the path to it, is longer than the disk can hold. Choose a folder with a shorter path, or ask for a shorter name.';
    return {
      ...entryOf(record, ''),
      state: 'error',
      error: new AgentError('name_unsafe', { path: shown(record), detail }, { cause }).body,
    };
  }
}

/** The path of a record below the root. */
interface EntryPath {
  readonly path: string;
  readonly name: string;
}

function entryPathOf({ path, name }: File): EntryPath {
  if (!hasBidiControl(path) && !hasBidiControl(name)) return { path, name };
  return { path: withoutBidiControls(path), name: withoutBidiControls(name) };
}

const joined = (folder: string, name: string): string => (folder === '' ? name : `${folder}/${name}`);

/** The parent folder; empty for the root. */
const above = (folder: string): string => folder.slice(0, Math.max(0, folder.lastIndexOf('/')));

/** What is wrong with a record's name or path. Each folder is checked once; of one in a known folder only its own name. */
function createFaults(): (entryPath: EntryPath) => string | null {
  const known = new Map<string, string | null>([['', null]]);
  const ofFolder = (folder: string): string | null => {
    if (folder.startsWith('/')) return entryFault(folder, 'any')?.replace(/^path: /, '') ?? null;
    const before = known.get(folder);
    if (before !== undefined) return before;
    const parent = above(folder);
    const ofParent = known.get(parent);
    const ownName = folder.slice(parent === '' ? 0 : parent.length + 1);
    const fault = ofParent ?? firstFault(ofParent === null ? [ownName] : folder.split('/'));
    known.set(folder, fault);
    return fault;
  };
  return ({ name, path }) => {
    const inName = partFault(name);
    if (inName !== null) return `${inName}.`;
    return ofFolder(path);
  };
}

/** The first that is not null of what is wrong with these names. */
function firstFault(names: readonly string[]): string | null {
  for (const name of names) {
    const fault = partFault(name);
    if (fault !== null) return `${fault}.`;
  }
  return null;
}

/** A folder name made from a package's name. */
export function folderNameFor(packageName: string): string {
  const cleaned = packageName
    .normalize('NFC')
    .replace(/[\p{Cc}\p{Bidi_Control}<>:"|?*\\/]/gu, '_')
    .slice(0, 200)
    .toWellFormed()
    .replace(/[. ]+$/, '')
    .trim();
  if (cleaned === '') return 'package';
  return partFault(cleaned) === null ? cleaned : `_${cleaned}`;
}

function entryOf(record: File, local: string): NewFile {
  return {
    kind: record.kind === 'directory' ? 'directory' : 'file',
    path: record.path,
    name: record.name,
    local,
    size: record.kind === 'directory' ? 0 : (record.size ?? 0),
    modifiedAt: Number.isNaN(Date.parse(record.last_modified)) ? 0 : Date.parse(record.last_modified),
    inode: '',
    remote: {
      state: 'stored',
      fileId: record.id,
      chunkSize: record.chunk_size || limits.defaultChunkSize,
      ...(record.digest ? { digest: record.digest } : {}),
    },
  };
}

/** For a message. */
const shown = (record: File): string => shownName(joined(record.path, record.name));
