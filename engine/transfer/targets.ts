import { ApiError } from '#protocol/errors.ts';
import type { File } from '#protocol/hosted/files.ts';
import { limits } from '#protocol/limits.ts';
import { entryFault, partFault } from '#protocol/names.ts';
import { withNumber } from './names.ts';
import type { Collision, NewFile } from './record.ts';

/** How the disk of the chosen folder tells names apart. */
export interface NameRules {
  /** `A` and `a` are one name. */
  readonly foldsCase: boolean;
  /** Composed and decomposed letters are one name. */
  readonly foldsUnicode: boolean;
}

/** What is at a place already. */
export type Standing = 'nothing' | 'file' | 'other';

export interface PlanOptions extends NameRules {
  /** What stands there already, at a path below the root with `/`. */
  readonly standing: (relative: string) => Standing;
  readonly collision: Collision;
}

/**
 * Decides where every record of a package's listing lands below the root, whatever the listing says: names
 * that lead elsewhere, or that some system cannot hold, are errors of their own files. Files whose names
 * would fall on each other, on a folder or on what is there already stand side by side as `name (2)`. On a
 * file that is there already the rule for collisions has its say: it may be replaced, or stay alone (`skipped`).
 */
export function* planTargets(listing: readonly File[], options: PlanOptions): Generator<NewFile> {
  const key = (relative: string): string => {
    const text = options.foldsUnicode ? relative.normalize('NFC') : relative;
    return options.foldsCase ? text.toLowerCase() : text;
  };
  const folders = new Set<string>();
  for (const record of listing) {
    if (faultOf(record) !== null) continue;
    for (const folder of foldersOf(record)) folders.add(key(folder));
  }
  const files = new Set<string>();
  for (const record of listing) {
    const fault = faultOf(record);
    if (fault !== null) {
      yield { ...entryOf(record, ''), state: 'error', error: new ApiError('name_unsafe', { path: shown(record), detail: fault }).body };
      continue;
    }
    const prefix = record.path === '' ? '' : `${record.path}/`;
    if (record.kind === 'directory') {
      yield entryOf(record, prefix + record.name);
      continue;
    }
    const clashes = (relative: string): boolean => files.has(key(relative)) || folders.has(key(relative));
    const own = prefix + record.name;
    const ruled = options.collision !== 'keep_both' && !clashes(own) && options.standing(own) === 'file';
    if (ruled && options.collision === 'skip') {
      files.add(key(own));
      const detail = 'a file of this name is there already.';
      yield { ...entryOf(record, ''), state: 'skipped', error: new ApiError('left_out', { path: shown(record), detail }).body };
      continue;
    }
    const isFree = (candidate: string): boolean => !clashes(prefix + candidate) && options.standing(prefix + candidate) === 'nothing';
    const name = ruled ? record.name : withNumber(record.name, isFree);
    files.add(key(prefix + name));
    yield entryOf(record, prefix + name);
  }
}

/** A folder name made from a package's name. */
export function folderNameFor(packageName: string): string {
  const cleaned = packageName
    .normalize('NFC')
    .replace(/[\p{Cc}<>:"|?*\\/]/gu, '_')
    .slice(0, 200)
    .toWellFormed()
    .replace(/[. ]+$/, '')
    .trim();
  if (cleaned === '') return 'package';
  return partFault(cleaned) === null ? cleaned : `_${cleaned}`;
}

function faultOf(record: File): string | null {
  return entryFault(record.path, record.name)?.replace(/^(name|path): /, '') ?? null;
}

/** The folders that a record needs, from the outermost in. */
function foldersOf(record: File): string[] {
  const whole = record.kind === 'directory' ? [record.path, record.name].filter((part) => part !== '').join('/') : record.path;
  if (whole === '') return [];
  const parts = whole.split('/');
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
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
    remoteId: record.id,
    chunkSize: record.chunk_size || limits.defaultChunkSize,
    digest: record.digest ?? '',
  };
}

/** For a message: control characters must not reach a terminal. */
function shown(record: File): string {
  return [record.path, record.name]
    .filter((part) => part !== '')
    .join('/')
    .replace(/\p{Cc}/gu, '\uFFFD')
    .slice(0, 300);
}
