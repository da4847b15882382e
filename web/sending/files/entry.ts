/** A chosen file or empty folder. */
export interface Entry {
  readonly kind: 'file' | 'directory';
  /** The folder inside the package, with `/`; empty for the root. */
  readonly path: string;
  readonly name: string;
  /** Bytes; 0 for a folder. */
  readonly size: number;
  /** Milliseconds since 1970. */
  readonly lastModified: number;
  /** Null for a folder. */
  readonly file: File | null;
  /** The chosen handle that contains it: itself or a folder; null where the browser has no handles. */
  readonly root: FileSystemHandle | null;
}

export const pathOf = ({ path, name }: Pick<Entry, 'path' | 'name'>): string => (path === '' ? name : `${path}/${name}`);

/**
 * The key by which two names collide in one folder: systems differ in upper and lower case and in the encoding of
 * accents.
 */
export const placeOf = (entry: Pick<Entry, 'path' | 'name'>): string => pathOf(entry).normalize('NFC').toLowerCase();

const order = new Intl.Collator(undefined, { numeric: true });

/** Adds newly chosen entries by path. An entry with the same path replaces the earlier one. */
export function mergeEntries(before: readonly Entry[], added: readonly Entry[]): Entry[] {
  const all = new Map(before.map((entry) => [pathOf(entry), entry]));
  for (const entry of added) all.set(pathOf(entry), entry);
  return [...all].sort(([a], [b]) => order.compare(a, b)).map(([, entry]) => entry);
}
