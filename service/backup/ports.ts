/** A file or folder in a place. */
export interface StoreEntry {
  readonly name: string;
  /** Bytes; `null` for a folder. */
  readonly size: number | null;
}

/**
 * Where files lie by a path with slashes: the folder of a service's objects, or what backups are kept in. Failures are the
 * file system's errors, also of places that are none: `ENOENT` where a file is not there.
 */
export interface FileStore {
  /** For people. */
  readonly name: string;
  /** What is directly in a folder, in no order. Empty where there is no such folder. */
  list(folder: string): Promise<readonly StoreEntry[]>;
  /** Bytes of a file; `null` where there is none. */
  sizeOf(path: string): Promise<number | null>;
  /** `size` in bytes, where it is known: small files cost less then. */
  read(path: string, size?: number): AsyncIterable<Buffer>;
  /**
   * Keeps the bytes under a path, all or, where their source throws, none. What was there is replaced. They are safe from a
   * power failure once `settle` is called too.
   */
  write(path: string, bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<void>;
  settle(): Promise<void>;
  /** Removes a file, or a folder with all that is in it. */
  remove(path: string): Promise<void>;
  /** Removes what a killed process left half written. Only while nobody else writes there. */
  sweep(): Promise<void>;
}

/** How far it is. Sizes in bytes. */
export interface BackupProgress {
  readonly phase: 'objects' | 'tables' | 'rest' | 'verify' | 'orphans' | 'rows';
  readonly objects: number;
  readonly totalObjects: number;
  readonly bytes: number;
  readonly totalBytes: number;
  readonly bytesPerSecond: number;
  /** `null` while nobody knows. */
  readonly secondsLeft: number | null;
}

export type OnProgress = (progress: BackupProgress) => void;
