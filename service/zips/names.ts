import { createFolderIndex } from '#protocol/folder-index.ts';
import { withoutBidiControls } from '#protocol/names.ts';
import { createNumbering } from '#protocol/numbered-names.ts';

/** The system that a zip is for: names are decomposed (NFD) for macOS, and composed (NFC) for Windows. */
export type ZipFlavour = 'zip_windows' | 'zip_mac';

interface NamedFile {
  readonly kind: 'file' | 'directory';
  /** Separated by `/`; empty for the root. */
  readonly path: string;
  readonly name: string;
}

const keyOf = (path: string): string => path.normalize('NFC').toLowerCase();

/**
 * The entries' names, in the given order; folders end with `/`. Both systems ignore case, so the later of two files with
 * the same name gets a number, and so does a file with the name of a folder. Bidirectional control characters, which
 * older packages may contain, are replaced.
 */
export function entryNames(flavour: ZipFlavour, files: readonly NamedFile[]): string[] {
  const form = flavour === 'zip_mac' ? 'NFD' : 'NFC';
  const whole = ({ path, name }: NamedFile) => withoutBidiControls(path === '' ? name : `${path}/${name}`);
  const folders = createFolderIndex();
  for (const file of files) folders.add(keyOf(file.kind === 'directory' ? whole(file) : withoutBidiControls(file.path)));
  const taken = new Set<string>();
  const isFree = (path: string): boolean => {
    const key = keyOf(path);
    return !taken.has(key) && !folders.has(key);
  };
  const freeName = createNumbering();
  return files.map((file) => {
    const path = whole(file);
    if (file.kind === 'directory') return `${path.normalize(form)}/`;
    const folder = path.slice(0, path.lastIndexOf('/') + 1);
    const name = folder + freeName(path.slice(folder.length), (candidate) => isFree(folder + candidate), keyOf(path));
    taken.add(keyOf(name));
    return name.normalize(form);
  });
}
