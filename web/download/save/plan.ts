import { createFolderIndex } from '#protocol/folder-index.ts';
import type { File } from '#protocol/hosted/files.ts';
import { partFault, withoutBidiControls } from '#protocol/names.ts';
import { createNumbering } from '#protocol/numbered-names.ts';

/** A file to save, and its position in the package's folder. */
export interface Target {
  readonly file: File;
  /** Folder names below the package's folder; empty for its root. */
  readonly folders: readonly string[];
  readonly name: string;
}

interface Plan {
  readonly targets: readonly Target[];
  /** Empty folders, which are created too. */
  readonly emptyFolders: readonly (readonly string[])[];
}

const foldersOf = (path: string): string[] => (path === '' ? [] : path.split('/'));
const keyOf = (path: string): string => path.normalize('NFC').toLowerCase();

/**
 * Plans all target paths. Most disks treat `A` and `a` as the same name, so of two colliding files the later one gets a
 * number; so does a file with a folder's name. Characters that change the text direction, which older packages may
 * contain, are replaced.
 */
export function planOf(records: readonly File[]): Plan {
  const held = createFolderIndex();
  const taken = new Set<string>();
  const folders = records
    .filter(({ kind }) => kind === 'directory')
    .map(({ path, name }) => withoutBidiControls(path === '' ? name : `${path}/${name}`));
  const files = records
    .filter(({ kind }) => kind === 'file')
    .map((file) => ({ file, path: withoutBidiControls(file.path), own: withoutBidiControls(file.name) }));
  for (const path of folders) held.add(keyOf(path));
  for (const { path } of files) held.add(keyOf(path));
  const freeName = createNumbering();
  const targets = files.map(({ file, path, own }): Target => {
    const whole = (name: string): string => keyOf(path === '' ? name : `${path}/${name}`);
    const name = freeName(own, (candidate) => !taken.has(whole(candidate)) && !held.has(whole(candidate)), whole(own));
    taken.add(whole(name));
    return { file, folders: foldersOf(path), name };
  });
  return { targets, emptyFolders: folders.map(foldersOf) };
}

const longest = 120;

/** A package's name as a folder name that is valid on every system. */
export function folderNameFor(packageName: string): string {
  const name = [...packageName.replace(/[\p{Cc}\p{Cs}\p{Bidi_Control}<>:"/\\|?*]/gu, '_')]
    .slice(0, longest)
    .join('')
    .replace(/^[. ]+|[. ]+$/g, '');
  if (name === '') return 'package';
  return partFault(name) === null ? name : `_${name}`;
}
