import type { File } from '#protocol/hosted/files.ts';
import { partFault } from '#protocol/names.ts';

/** A file to save, and where in the package's folder it goes. */
export interface Target {
  readonly file: File;
  /** Folders from the package's own down; none for its root. */
  readonly folders: readonly string[];
  readonly name: string;
}

export interface Plan {
  readonly targets: readonly Target[];
  /** Folders that hold nothing, which are made all the same. */
  readonly emptyFolders: readonly (readonly string[])[];
}

const foldersOf = (path: string): string[] => (path === '' ? [] : path.split('/'));
const keyOf = (path: string): string => path.normalize('NFC').toLowerCase();

/** `take.mov` and 2 → `take (2).mov`. */
export function numbered(name: string, number: number): string {
  const dot = name.lastIndexOf('.');
  const at = dot > 0 ? dot : name.length;
  return `${name.slice(0, at)} (${number})${name.slice(at)}`;
}

/**
 * Where everything goes. Most disks hold `A` and `a` for the same name, so of two files that would fall together the
 * later one gets a number, and so does a file with a folder's name.
 */
export function planOf(records: readonly File[]): Plan {
  const taken = new Set<string>();
  const hold = (path: string): void => {
    for (let at = path.length; at > 0; at = path.lastIndexOf('/', at - 1)) taken.add(keyOf(path.slice(0, at)));
  };
  const folders = records.filter(({ kind }) => kind === 'directory').map(({ path, name }) => (path === '' ? name : `${path}/${name}`));
  const files = records.filter(({ kind }) => kind === 'file');
  for (const path of folders) hold(path);
  for (const { path } of files) hold(path);
  const targets = files.map((file): Target => {
    const whole = (name: string): string => keyOf(file.path === '' ? name : `${file.path}/${name}`);
    let name = file.name;
    for (let number = 2; taken.has(whole(name)); number++) name = numbered(file.name, number);
    taken.add(whole(name));
    return { file, folders: foldersOf(file.path), name };
  });
  return { targets, emptyFolders: folders.map(foldersOf) };
}

const longest = 120;

/** A package's name as a folder that every system can hold. */
export function folderNameFor(packageName: string): string {
  const name = [...packageName.replace(/[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069<>:"/\\|?*]/gu, '_')]
    .slice(0, longest)
    .join('')
    .replace(/^[. ]+|[. ]+$/g, '');
  if (name === '') return 'package';
  return partFault(name) === null ? name : `_${name}`;
}
