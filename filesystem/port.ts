/**
 * The port through which engine and storage touch disks. `node-file-system.ts` is the real one, `breaking/` the one that
 * fails on purpose. Errors are the system's own: `code` (`ENOSPC`, `EIO`, …), `syscall` and `path`.
 *
 * Lookups, renames and removals are synchronous: they take microseconds, and a promise would cost several times that.
 * What may wait for the disk returns a promise; where a fast disk is also used synchronously (`sync-when-fast.ts`), that
 * form has `Now` in its name.
 */
export interface FileSystem {
  /** `flags` from `flags.ts`; `mode` of a new file, before the umask. */
  open(path: string, flags: number, mode?: number): Promise<OpenFile>;
  openNow(path: string, flags: number, mode?: number): OpenFile;

  /** What is at the path, or at the end of its links; `null` where nothing is. */
  stat(path: string): FileStats | null;
  /** The same of a link itself. */
  lstat(path: string): Promise<FileStats | null>;
  lstatNow(path: string): FileStats | null;
  /** Throws the reason why this process may not. `mode` from `flags.ts`. */
  access(path: string, mode: number): void;
  /** The path without links, in the letters that the disk has. */
  realPath(path: string): string;
  readLink(path: string): string;

  /** Names in a directory, in the disk's order. */
  list(path: string): string[];
  /** The same for a directory of any size, `batch` names by each system call. */
  openDirectory(path: string, batch: number): Promise<OpenDirectory>;
  /** One directory, `EEXIST` where something is; parents are made by `makeDirs`. */
  mkdir(path: string, mode?: number): void;

  /** Replaces a file of the new name atomically. */
  rename(from: string, to: string): void;
  /** A second name for a file; `EEXIST` where the name is taken. */
  link(existing: string, path: string): void;
  unlink(path: string): void;
  /** An empty directory; `ENOTEMPTY` where something is in it. */
  rmdir(path: string): void;
  /** Like `unlink`, but it is no error where nothing is. */
  remove(path: string): Promise<void>;
  removeNow(path: string): void;
  /** A directory with all that it holds; no error where nothing is. */
  removeTree(path: string): Promise<void>;

  space(path: string): DiskSpace;
  /** Whether it is certainly stored on this machine, so that a call cannot hang on a network. */
  isLocal(path: string): Promise<boolean>;
  /**
   * Tells a file or directory from another one at the same path: it changes when a drive goes and leaves its empty mount
   * point. Compare it within one run of the program only, since a remount may number devices anew. `null` where nothing is.
   */
  identity(path: string): string | null;
  /** Makes scans due when something below `root` may have changed. */
  watch(root: string, options: WatchOptions): Watch;
}

/** An open file. After `close` it must not be used. */
export interface OpenFile {
  /** For `/proc/self/fd`, by which Linux reaches what is open, whatever its name has become. */
  readonly descriptor: number;
  stat(): Promise<FileStats>;
  statNow(): FileStats;
  /** Reads into `buffer` from `offset` on; the number of bytes, 0 at the end of the file. `readFully` reads all. */
  read(buffer: Uint8Array, offset: number, length: number, position: number): Promise<number>;
  readNow(buffer: Uint8Array, offset: number, length: number, position: number): number;
  /** Writes from `position` on; the number of bytes that the disk took, which may be fewer. `writeFully` writes all. */
  write(buffers: readonly Uint8Array[], position: number): Promise<number>;
  writeNow(buffers: readonly Uint8Array[], position: number): number;
  truncate(size: number): Promise<void>;
  truncateNow(size: number): void;
  /** Times of access and change, in seconds since 1970; as text, since Node takes numbers below zero for "now". */
  setTimes(seconds: string): Promise<void>;
  setTimesNow(seconds: string): void;
  /** Returns when a power failure can no longer lose what was written: bytes of a file, names of a directory. */
  flush(): Promise<void>;
  flushNow(): void;
  close(): Promise<void>;
  closeNow(): void;
}

/** An open directory, which a loop over it closes. */
export interface OpenDirectory extends AsyncIterable<DirectoryEntry> {
  /** `null` after the last. */
  read(): Promise<DirectoryEntry | null>;
  close(): Promise<void>;
}

interface FileKind {
  isFile(): boolean;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
}

export interface DirectoryEntry extends FileKind {
  readonly name: string;
}

/** Sizes in bytes, times in milliseconds since 1970 with fractions. */
export interface FileStats extends FileKind {
  readonly dev: number;
  readonly ino: number;
  readonly size: number;
  /** Of 512 bytes each, whatever the disk's own are (stat(2)). */
  readonly blocks: number;
  readonly mtimeMs: number;
  /** When the system last changed anything of it, its name included; nobody can set it back. */
  readonly ctimeMs: number;
  /** 0 where the disk keeps none. */
  readonly birthtimeMs: number;
  isFIFO(): boolean;
  isSocket(): boolean;
}

/** Bytes of a disk. */
export interface DiskSpace {
  readonly total: number;
  /** For this process; `null` if unknown, as on some network drives. */
  readonly free: number | null;
  /** The kind of file system, as statfs(2) numbers it. */
  readonly type: number;
}

/** Options of `watch`; times in milliseconds. */
export interface WatchOptions {
  /** Something may have changed; only a scan tells what. Not called after `close`. */
  readonly onScanDue: () => void;
  /** Events are missed from now on, so that scans come by the clock alone: too few watches, or a disk that gives no events. */
  readonly onTrouble: (error: Error) => void;
  /** Quiet time after an event before a scan is due, since programs write a file in many steps. */
  readonly settleMs: number;
  /** A scan is due at the latest so long after the first event of many. */
  readonly maximumDelayMs: number;
  /** Scans by the clock while events come, since none is certain to come. */
  readonly rescanMs: number;
  /** Scans by the clock where no events come, as from a network drive. */
  readonly pollMs: number;
  /** Paths whose events make no scan due. */
  readonly ignored: (path: string) => boolean;
  readonly clock: WatchClock;
}

export interface WatchClock {
  /** Calls back once after this time; the returned function cancels it. */
  after(milliseconds: number, callback: () => void): () => void;
}

export interface Watch {
  /** How scans become due, once that is known; then the first scan is due. */
  readonly ready: Promise<'events' | 'polling'>;
  close(): Promise<void>;
}
