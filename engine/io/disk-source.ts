import { TransferError } from '#client/errors.ts';
import type { ByteSource, Slice } from '#client/ports.ts';
import { openFlags } from '#filesystem/flags.ts';
import { readFully, readFullyNow } from '#filesystem/fully.ts';
import { nodeFileSystem } from '#filesystem/node-file-system.ts';
import type { FileSystem, OpenFile } from '#filesystem/port.ts';
import { closeRead, closeReadNow } from '../folders/close-read.ts';
import { sourceFailure } from './disk-failures.ts';
import { type FileStamp, growsFrom, sameStamp, stampOf } from './file-stamp.ts';

/**
 * A file on disk that is sent. Every read is checked against the stamp of the scan: another size, time or inode is
 * `file_changed`. The file is opened at the first read; `close` may be called at any time, also twice.
 */
export interface DiskSource extends ByteSource {
  readonly path: string;
  /** Checks the stamp. Senders call it before the first byte of a slice and after the last. */
  check(): Promise<void>;
  /** Fills the buffer's first `length` bytes from `position`. If the file ends early, it has changed. */
  read(buffer: Buffer, length: number, position: number): Promise<void>;
  /**
   * The same synchronously, if the file is on a local disk that answers without delay. `false`: nothing was read, and
   * `read` has to be used. Before the first `check` it is always `false`.
   */
  readNow(buffer: Buffer, length: number, position: number): boolean;
  /** Reads and checks a small slice with synchronous calls: for small files that costs a third less CPU. */
  readSmall(slice: Slice): Buffer;
  /** The same into a buffer of the slice's length. */
  readSmallInto(slice: Slice, buffer: Buffer): void;
  close(): Promise<void>;
}

/** The part of a `DiskSource` needed for a small file that is sent whole; the file is never open for longer than one call. */
export type SmallSource = Pick<DiskSource, 'size' | 'readSmallInto'>;

export function createSmallSource(path: string, stamp: FileStamp, fileSystem: FileSystem = nodeFileSystem): SmallSource {
  const expected = { stamp, isAsExpected: sameStamp };
  return { size: stamp.size, readSmallInto: (slice, buffer) => readSmallInto(fileSystem, path, expected, slice, buffer) };
}

/** Whether a file that was found is the one that was scanned. */
type Expectation = (scanned: FileStamp, found: FileStamp) => boolean;

interface Expected {
  readonly stamp: FileStamp;
  readonly isAsExpected: Expectation;
}

function readSmallInto(fileSystem: FileSystem, path: string, expected: Expected, slice: Slice, buffer: Buffer): void {
  try {
    readChecked(fileSystem, path, expected, slice, buffer);
  } catch (error) {
    throw sourceFailure(path, error);
  }
}

/** Measures whether a read had to wait for the disk. */
interface DiskWatch {
  /** Monotonic, in milliseconds. */
  clock(): number;
  /** Blocks that this process has read from disks so far. */
  blocksRead(): number;
}

const systemWatch: DiskWatch = { clock: () => performance.now(), blocksRead: () => process.resourceUsage().fsRead };

/** A read of a few hundred kilobytes that takes longer was delayed: by the disk, or by other programs that used the processor. */
const slowMs = 2;
/** Longer than any delay by another program. */
const verySlowMs = 100;
/** How long a slow disk is read by other threads only. */
const restMs = 1_000;

interface SourceOptions {
  readonly fileSystem?: FileSystem | undefined;
  readonly watch?: DiskWatch;
  /** It is still being written to: it has to be the same file, at least as large as the stamp says. */
  readonly grows?: boolean;
}

export function createDiskSource(
  path: string,
  stamp: FileStamp,
  { fileSystem = nodeFileSystem, watch = systemWatch, grows = false }: SourceOptions = {},
): DiskSource {
  const isAsExpected: Expectation = grows ? growsFrom : sameStamp;
  let opening: Promise<OpenFile> | null = null;
  /** Set once it is open and known to be on a local disk. */
  let near: OpenFile | null = null;
  let blocksRead = 0;
  let restsUntil = 0;

  async function open(): Promise<OpenFile> {
    const file = await fileSystem.open(path, openFlags.read);
    if (await fileSystem.isLocal(path)) near = file;
    blocksRead = watch.blocksRead();
    return file;
  }

  function rest(tookMs: number): void {
    if (tookMs < slowMs) return;
    const before = blocksRead;
    blocksRead = watch.blocksRead();
    if (blocksRead > before || tookMs > verySlowMs) restsUntil = watch.clock() + restMs;
  }

  async function opened(): Promise<OpenFile> {
    opening ??= open();
    try {
      return await opening;
    } catch (error) {
      opening = null;
      throw sourceFailure(path, error);
    }
  }

  return {
    path,
    size: stamp.size,
    async check() {
      const file = await opened();
      const stats = await file.stat().catch((error: unknown) => {
        throw sourceFailure(path, error);
      });
      if (!isAsExpected(stamp, stampOf(stats))) throw changed(path);
    },
    async read(buffer, length, position) {
      const file = await opened();
      const count = await readFully(file, buffer, length, position).catch((error: unknown) => {
        throw sourceFailure(path, error);
      });
      if (count < length) throw changed(path);
    },
    readNow(buffer, length, position) {
      const began = watch.clock();
      if (near === null || began < restsUntil) return false;
      try {
        if (readFullyNow(near, buffer, length, position) < length) throw changed(path);
      } catch (error) {
        throw sourceFailure(path, error);
      }
      rest(watch.clock() - began);
      return true;
    },
    readSmall(slice) {
      const buffer = Buffer.allocUnsafe(slice.length);
      readSmallInto(fileSystem, path, { stamp, isAsExpected }, slice, buffer);
      return buffer;
    },
    readSmallInto: (slice, buffer) => readSmallInto(fileSystem, path, { stamp, isAsExpected }, slice, buffer),
    async close() {
      const pendingOpen = opening;
      opening = null;
      near = null;
      await pendingOpen?.then(closeRead, () => {});
    },
  };
}

function readChecked(fileSystem: FileSystem, path: string, { stamp, isAsExpected }: Expected, slice: Slice, buffer: Buffer): void {
  const file = fileSystem.openNow(path, openFlags.read);
  try {
    if (!isAsExpected(stamp, stampOf(file.statNow()))) throw changed(path);
    if (readFullyNow(file, buffer, slice.length, slice.offset) < slice.length) throw changed(path);
    if (!isAsExpected(stamp, stampOf(file.statNow()))) throw changed(path);
  } finally {
    closeReadNow(file);
  }
}

function changed(path: string): TransferError {
  return new TransferError('file_changed', `${path} has changed since it was added. Wait until nothing writes to it, then try again.`);
}
