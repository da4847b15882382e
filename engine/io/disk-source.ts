import type { ByteSource, Slice } from '#client/ports.ts';
import { isFast } from '#filesystem/fast.ts';
import { openFlags } from '#filesystem/flags.ts';
import { readFully, readFullyNow } from '#filesystem/fully.ts';
import { nodeFileSystem } from '#filesystem/node-file-system.ts';
import type { FileSystem, OpenFile } from '#filesystem/port.ts';
import { closeRead } from '../folders/close-read.ts';
import { changed, sourceFailure } from './disk-failures.ts';
import { type Expected, readSmallNow } from './fast/read-small.ts';
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
  /** Reads and checks a small slice, at once unless the fast ways are off (`fast/read-small.ts`). */
  readSmall(slice: Slice): Buffer | Promise<Buffer>;
  /** The same into a buffer of the slice's length. */
  readSmallInto(slice: Slice, buffer: Buffer): void | Promise<void>;
  close(): Promise<void>;
}

/** The part of a `DiskSource` needed for a small file that is sent whole; the file is never open for longer than one call. */
export type SmallSource = Pick<DiskSource, 'size' | 'readSmallInto'>;

export function createSmallSource(path: string, stamp: FileStamp, fileSystem: FileSystem = nodeFileSystem, fast = isFast): SmallSource {
  const expected = { stamp, isAsExpected: sameStamp };
  const read = fast ? readSmallNow : readSmallByOthers;
  return { size: stamp.size, readSmallInto: (slice, buffer) => read(fileSystem, path, expected, slice, buffer) };
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

interface Handle {
  readonly file: OpenFile;
  /** Calls under way. */
  readers: number;
  /** Nobody begins to read by it any more. */
  abandoned: boolean;
}

interface SourceOptions {
  readonly fileSystem?: FileSystem | undefined;
  readonly watch?: DiskWatch;
  /** It is still being written to: it has to be the same file, at least as large as the stamp says. */
  readonly grows?: boolean;
  /** Whether a quick disk may be read by the calling thread. */
  readonly fast?: boolean;
}

export function createDiskSource(
  path: string,
  stamp: FileStamp,
  { fileSystem = nodeFileSystem, watch = systemWatch, grows = false, fast = isFast }: SourceOptions = {},
): DiskSource {
  const isAsExpected = grows ? growsFrom : sameStamp;
  const readSmall: (...args: Parameters<typeof readSmallNow>) => void | Promise<void> = fast ? readSmallNow : readSmallByOthers;
  let opening: Promise<Handle> | null = null;
  let current: Handle | null = null;
  /** The current one, if the file is known to be on a local disk. */
  let near: Handle | null = null;
  let blocksRead = 0;
  let restsUntil = 0;

  function opened(): Promise<Handle> {
    opening ??= open().catch((error: unknown) => {
      opening = null;
      throw error;
    });
    return opening;
  }

  async function open(): Promise<Handle> {
    const handle: Handle = { file: await fileSystem.open(path, openFlags.read), readers: 0, abandoned: false };
    current = handle;
    if (await fileSystem.isLocal(path)) near = handle;
    blocksRead = watch.blocksRead();
    return handle;
  }

  function rest(tookMs: number): void {
    if (tookMs < slowMs) return;
    const before = blocksRead;
    blocksRead = watch.blocksRead();
    if (blocksRead > before || tookMs > verySlowMs) restsUntil = watch.clock() + restMs;
  }

  async function reading<T>(work: (file: OpenFile) => Promise<T>): Promise<T> {
    let handle: Handle | null = null;
    try {
      do handle = await opened();
      while (handle.abandoned);
      handle.readers++;
      return await work(handle.file);
    } catch (error) {
      if (handle) forget(handle);
      throw sourceFailure(path, error);
    } finally {
      if (handle && --handle.readers === 0 && handle.abandoned) await closeRead(handle.file);
    }
  }

  /** After a failed call: a drive that went and came back leaves handles by which nothing can be read any more. */
  function forget(handle: Handle): void {
    if (current === handle) opening = current = near = null;
    void abandon(handle);
  }

  /** Closes it once nobody reads by it, since its number may then be another file's. The next read opens the file anew. */
  async function abandon(handle: Handle): Promise<void> {
    if (handle.abandoned) return;
    handle.abandoned = true;
    if (handle.readers === 0) await closeRead(handle.file);
  }

  return {
    path,
    size: stamp.size,
    async check() {
      const stats = await reading((file) => file.stat());
      if (!isAsExpected(stamp, stampOf(stats))) throw changed(path);
    },
    async read(buffer, length, position) {
      const count = await reading((file) => readFully(file, buffer, length, position));
      if (count < length) throw changed(path);
    },
    readNow(buffer, length, position) {
      const began = watch.clock();
      if (!fast || near === null || began < restsUntil) return false;
      let count: number;
      try {
        count = readFullyNow(near.file, buffer, length, position);
      } catch (error) {
        forget(near);
        throw sourceFailure(path, error);
      }
      if (count < length) throw changed(path);
      rest(watch.clock() - began);
      return true;
    },
    readSmall(slice) {
      const buffer = Buffer.allocUnsafe(slice.length);
      const reading = readSmall(fileSystem, path, { stamp, isAsExpected }, slice, buffer);
      return reading ? reading.then(() => buffer) : buffer;
    },
    readSmallInto: (slice, buffer) => readSmall(fileSystem, path, { stamp, isAsExpected }, slice, buffer),
    async close() {
      const pendingOpen = opening;
      opening = current = near = null;
      await pendingOpen?.then(abandon, () => {});
    },
  };
}

async function readSmallByOthers(fileSystem: FileSystem, path: string, expected: Expected, slice: Slice, buffer: Buffer): Promise<void> {
  try {
    const file = await fileSystem.open(path, openFlags.read);
    try {
      if (!expected.isAsExpected(expected.stamp, stampOf(await file.stat()))) throw changed(path);
      if ((await readFully(file, buffer, slice.length, slice.offset)) < slice.length) throw changed(path);
      if (!expected.isAsExpected(expected.stamp, stampOf(await file.stat()))) throw changed(path);
    } finally {
      await closeRead(file);
    }
  } catch (error) {
    throw sourceFailure(path, error);
  }
}
