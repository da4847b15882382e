import { withoutBidiControls } from '#protocol/names.ts';

/** The system that a zip is for: names are decomposed (NFD) for macOS, and composed (NFC) for Windows. */
export type ZipFlavour = 'zip_windows' | 'zip_mac';

interface NamedFile {
  readonly kind: 'file' | 'directory';
  /** Separated by `/`; empty for the root. */
  readonly path: string;
  readonly name: string;
}

const keyOf = (path: string): string => path.normalize('NFC').toLowerCase();

/** `report.mov` and 2 → `report (2).mov`; folders, and names whose only dot is the first character, get it at the end. */
function numbered(path: string, number: number): string {
  const slash = path.lastIndexOf('/') + 1;
  const dot = path.lastIndexOf('.');
  const at = dot > slash ? dot : path.length;
  return `${path.slice(0, at)} (${number})${path.slice(at)}`;
}

/**
 * The entries' names, in the given order; folders end with `/`. Both systems ignore case, so the later of two files with
 * the same name gets a number, and so does a file with the name of a folder. Bidirectional control characters, which
 * older packages may contain, are replaced.
 */
export function entryNames(flavour: ZipFlavour, files: readonly NamedFile[]): string[] {
  const form = flavour === 'zip_mac' ? 'NFD' : 'NFC';
  const whole = ({ path, name }: NamedFile) => withoutBidiControls(path === '' ? name : `${path}/${name}`);
  const taken = new Set<string>();
  for (const file of files) {
    const folder = file.kind === 'directory' ? whole(file) : withoutBidiControls(file.path);
    for (let at = folder.length; at > 0; at = folder.lastIndexOf('/', at - 1)) {
      const key = keyOf(folder.slice(0, at));
      if (taken.has(key)) break;
      taken.add(key);
    }
  }
  return files.map((file) => {
    const path = whole(file);
    if (file.kind === 'directory') return `${path.normalize(form)}/`;
    let name = path;
    for (let number = 2; taken.has(keyOf(name)); number += 1) name = numbered(path, number);
    taken.add(keyOf(name));
    return name.normalize(form);
  });
}
