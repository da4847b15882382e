/** A file or an empty folder that somebody has chosen. */
export interface Entry {
  readonly kind: 'file' | 'directory';
  /** The folder inside the package, with `/`; empty for the root. */
  readonly path: string;
  readonly name: string;
  /** Bytes; 0 of a folder. */
  readonly size: number;
  /** Milliseconds since 1970. */
  readonly lastModified: number;
  /** Null of a folder. */
  readonly file: File | null;
  /** What it was found in, itself or a folder; null where the browser gives no such thing. */
  readonly root: FileSystemHandle | null;
}

export const pathOf = ({ path, name }: Pick<Entry, 'path' | 'name'>): string => (path === '' ? name : `${path}/${name}`);

/** What two names share that one folder cannot hold both of: systems differ in capitals and in how accents are written. */
export const placeOf = (entry: Pick<Entry, 'path' | 'name'>): string => pathOf(entry).normalize('NFC').toLowerCase();

const order = new Intl.Collator(undefined, { numeric: true });

/** Adds what was chosen now to what was before, by path. What is chosen once more takes the place of what it was. */
export function mergeEntries(before: readonly Entry[], added: readonly Entry[]): Entry[] {
  const all = new Map(before.map((entry) => [pathOf(entry), entry]));
  for (const entry of added) all.set(pathOf(entry), entry);
  return [...all].sort(([a], [b]) => order.compare(a, b)).map(([, entry]) => entry);
}
