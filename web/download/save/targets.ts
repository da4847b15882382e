import type { File as ListedFile } from '#protocol/hosted/files.ts';
import { numbered } from '#protocol/numbered-names.ts';
import type { Target } from './plan.ts';

/** A file's position on the disk. */
interface Spot {
  readonly folder: FileSystemDirectoryHandle;
  readonly name: string;
  /** An existing file with this name and the same size: it may be this file. */
  readonly existing: File | null;
}

/** Opens folders; each is opened once. */
export type Folders = (path: readonly string[]) => Promise<FileSystemDirectoryHandle>;

export function createFolders(root: FileSystemDirectoryHandle): Folders {
  const open = new Map<string, Promise<FileSystemDirectoryHandle>>([['', Promise.resolve(root)]]);
  const folderAt = (path: readonly string[]): Promise<FileSystemDirectoryHandle> => {
    const key = path.join('/');
    const known = open.get(key);
    if (known) return known;
    const made = folderAt(path.slice(0, -1)).then((parent) => parent.getDirectoryHandle(path.at(-1)!, { create: true }));
    open.set(key, made);
    // A failed folder is not cached, so the next caller tries again.
    made.catch(() => open.delete(key));
    return made;
  };
  return folderAt;
}

/**
 * The path for a file without stored state: its own name if it is free or may be this file, otherwise the first free
 * name with a number. Existing files are never overwritten.
 */
export async function spotFor(
  folder: FileSystemDirectoryHandle,
  { name, file }: Target,
  isThisFile: (standing: File) => Promise<boolean>,
): Promise<Spot> {
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? name : numbered(name, number);
    const standing = await whatStands(folder, candidate);
    if (standing === 'nothing') return { folder, name: candidate, existing: null };
    if (standing !== 'a folder' && mayBe(standing, file) && (await isThisFile(standing)))
      return { folder, name: candidate, existing: standing };
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
