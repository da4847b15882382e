/**
 * A file that is being received: a temporary file beside its target until all is there. The temporary one
 * stays when work stops, so that work can go on; only `commit` and `discard` end it. Failures are `MoveError`s.
 */
export interface DiskSink {
  readonly temporary: string;
  /** Bytes that the file will have. */
  readonly size: number;
  /** Writes from `position` on; over when the operating system has it all. The buffers may then be used again. */
  write(buffers: readonly Buffer[], position: number): void | Promise<void>;
  /** Reads back what was written; a file too short, or none, is `file_changed`. */
  read(buffer: Buffer, length: number, position: number): Promise<void>;
  /** Gives the whole file its time and its name. `target_exists` where something stands there, unless that is to be replaced. */
  commit(target: string, options: CommitOptions): Promise<void>;
  /** Deletes what was received. */
  discard(): Promise<void>;
  /** Closes the file and leaves it. */
  close(): Promise<void>;
}

export interface CommitOptions {
  /** Milliseconds since 1970. */
  readonly mtimeMs: number;
  /** Whether to return only when a power cut cannot take the file any more. */
  readonly durable: boolean;
  /** Takes the place of a file that is there, in one step: there is never none, nor half of one. */
  readonly replace?: boolean;
}
