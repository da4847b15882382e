/** One file or folder in a zip. */
export interface ZipEntry {
  /** The file's key at the storage. */
  readonly id: string;
  /** UTF-8, with `/` between and, of a folder, at the end. */
  readonly name: Buffer;
  /** Bytes; 0 of a folder. */
  readonly size: number;
  readonly directory: boolean;
  readonly modified: Date | null;
}
