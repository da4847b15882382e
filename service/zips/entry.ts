/** One file or folder in a zip. */
export interface ZipEntry {
  readonly id: string;
  /** The file's key at the storage. */
  readonly key: string;
  /** UTF-8, separated by `/`; a folder's name ends with `/`. */
  readonly name: Buffer;
  /** Bytes; 0 for a folder. */
  readonly size: number;
  readonly directory: boolean;
  readonly modified: Date | null;
}
