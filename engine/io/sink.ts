/**
 * A file that is being received: a temporary file beside its target until it is complete. The temporary file is kept
 * when work stops, so that work can resume; only `commit` and `discard` remove it. Failures are `TransferError`s.
 */
export interface DiskSink {
  readonly temporary: string;
  /** Bytes that the file will have. */
  readonly size: number;
  /** Writes from `position` on; done when the operating system has taken everything. The buffers may then be reused. */
  write(buffers: readonly Buffer[], position: number): void | Promise<void>;
  /** Reads back written bytes; a missing or too short file is `file_changed`. */
  read(buffer: Buffer, length: number, position: number): Promise<void>;
  /** Gives the complete file its time and its name. `target_exists` if the name is taken, unless it is to be replaced. */
  commit(target: string, options: CommitOptions): Promise<void>;
  /** Deletes what was received. */
  discard(): Promise<void>;
  /** Closes the file and keeps it. */
  close(): Promise<void>;
}

/** The target of an object: it is written in one call. */
export type ObjectSink = Pick<DiskSink, 'write'>;

export interface CommitOptions {
  /** Milliseconds since 1970. */
  readonly mtimeMs: number;
  /** Whether to return only after a flush, when a power failure can no longer lose the file. */
  readonly durable: boolean;
  /** Replaces an existing file atomically: the name never refers to no file, nor to a partial one. */
  readonly replace?: boolean;
}
