import type { File as ListedFile } from '#protocol/hosted/files.ts';
import { numbered, type Target } from './plan.ts';

/** Where a file goes on the disk. */
export interface Spot {
  readonly folder: FileSystemDirectoryHandle;
  readonly name: string;
  /** What is there of this name already and has the same size: it may be this file. */
  readonly standing: File | null;
}

/** Opens folders, each once. */
export type Folders = (path: readonly string[]) => Promise<FileSystemDirectoryHandle>;

export function createFolders(root: FileSystemDirectoryHandle): Folders {
  const open = new Map<string, Promise<FileSystemDirectoryHandle>>([['', Promise.resolve(root)]]);
  const folderAt = (path: readonly string[]): Promise<FileSystemDirectoryHandle> => {
    const key = path.join('/');
    const known = open.get(key);
    if (known) return known;
    const made = folderAt(path.slice(0, -1)).then((parent) => parent.getDirectoryHandle(path.at(-1)!, { create: true }));
    open.set(key, made);
    // One that could not be opened is tried again by the next who needs it.
    made.catch(() => open.delete(key));
    return made;
  };
  return folderAt;
}

/**
 * A place for a file that is not noted yet: its own name if that is free or may be this file already, else the first
 * with a number. Nothing that is there is ever written over.
 */
export async function spotFor(
  folder: FileSystemDirectoryHandle,
  { name, file }: Target,
  isThisFile: (standing: File) => Promise<boolean>,
): Promise<Spot> {
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? name : numbered(name, number);
    const standing = await whatStands(folder, candidate);
    if (standing === 'nothing') return { folder, name: candidate, standing: null };
    if (standing !== 'a folder' && mayBe(standing, file) && (await isThisFile(standing))) return { folder, name: candidate, standing };
  }
}

const mayBe = (standing: File, file: ListedFile): boolean => file.digest !== undefined && standing.size === file.size;

async function whatStands(folder: FileSystemDirectoryHandle, name: string): Promise<File | 'nothing' | 'a folder'> {
  try {
    return await (await folder.getFileHandle(name)).getFile();
  } catch (error) {
    if (error instanceof DOMException && error.name === 'NotFoundError') return 'nothing';
    if (error instanceof DOMException && error.name === 'TypeMismatchError') return 'a folder';
    throw error;
  }
}
