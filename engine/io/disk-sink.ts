import { dirname } from 'node:path';
import { TransferError } from '#client/errors.ts';
import { isFast } from '#filesystem/fast.ts';
import { openFlags } from '#filesystem/flags.ts';
import { readFully, writeFully, writeFullyNow } from '#filesystem/fully.ts';
import { nodeFileSystem } from '#filesystem/node-file-system.ts';
import type { FileSystem, OpenFile } from '#filesystem/port.ts';
import { createSyncWhenFast, type SyncWhenFast } from '#filesystem/sync-when-fast.ts';
import { smallFileSize } from '#protocol/limits.ts';
import { codeOf, targetFailure } from './disk-failures.ts';
import { createSmallSink } from './fast/small-sink.ts';
import { secondsOf } from './file-time.ts';
import { createHoles, type Holes } from './holes.ts';
import { publishFile } from './publish-file.ts';
import type { DiskSink } from './sink.ts';
import { createFolderFlush, type FolderFlush, syncFolder } from './sync-folder.ts';

export type { CommitOptions, DiskSink } from './sink.ts';

/**
 * A sink for a file of `size` bytes, stored at `temporary` (in the target's own folder) until it is committed. Nothing
 * is opened yet.
 */
export function createDiskSink(
  temporary: string,
  size: number,
  {
    syncWhenFast = createSyncWhenFast(),
    opened,
    fileSystem = nodeFileSystem,
    flushFolder = sharedFlush(fileSystem),
    fast = isFast,
  }: SinkOptions = {},
): DiskSink {
  if (fast && size <= smallFileSize) return createSmallSink(temporary, size, { flushFolder, opened, fileSystem });
  return createLargeSink(temporary, size, { syncWhenFast, opened, flushFolder, fileSystem });
}

/** Shared by all sinks of a file system, since many files are written to one folder at once. It stores only flushes in progress. */
function sharedFlush(fileSystem: FileSystem): FolderFlush {
  const flush = flushes.get(fileSystem) ?? createFolderFlush((path) => syncFolder(path, fileSystem));
  flushes.set(fileSystem, flush);
  return flush;
}

const flushes = new WeakMap<FileSystem, FolderFlush>();

interface SinkOptions {
  readonly syncWhenFast?: SyncWhenFast;
  /** Called with the temporary file once it is open and before anything is written to it; if it throws, nothing is written. */
  readonly opened?: ((file: OpenFile) => void) | undefined;
  readonly fileSystem?: FileSystem | undefined;
  /** Whether small files may have the sink of their own, which is synchronous. */
  readonly fast?: boolean;
  /** By default one that all sinks share. */
  readonly flushFolder?: FolderFlush;
}

function createLargeSink(
  temporary: string,
  size: number,
  {
    syncWhenFast,
    opened,
    flushFolder,
    fileSystem,
  }: {
    readonly syncWhenFast: SyncWhenFast;
    readonly flushFolder: FolderFlush;
    readonly opened: SinkOptions['opened'];
    readonly fileSystem: FileSystem;
  },
): DiskSink {
  let opening: Promise<OpenFile> | null = null;
  /** Set once it is open and known to be on a local disk. */
  let near: OpenFile | null = null;
  /** Set once it is open. */
  let holes: Holes | null = null;
  let length = 0;
  let last: Promise<void> = Promise.resolve();
  let waiting = 0;

  function fileOpenedBy(flags: number): Promise<OpenFile> {
    opening ??= open(flags).catch((error: unknown) => {
      opening = null;
      throw error;
    });
    return opening;
  }

  async function open(flags: number): Promise<OpenFile> {
    const file = await fileSystem.open(temporary, flags, 0o666);
    try {
      opened?.(file);
    } catch (error) {
      await file.close();
      throw error;
    }
    const found = await file.stat();
    length = found.size;
    if (found.isFile()) holes = createHoles(size, found.size);
    if (await fileSystem.isLocal(temporary)) near = file;
    return file;
  }

  /** One write at a time: concurrent writes into one file only spin on its lock. */
  function inTurn(work: () => Promise<void>): Promise<void> {
    waiting++;
    const turn = last.then(work).finally(() => {
      waiting--;
    });
    last = turn.catch(() => {});
    return turn;
  }

  /** False if nothing was written because the write has to wait for its turn. */
  function writeNow(buffers: readonly Buffer[], position: number): boolean {
    const file = near;
    if (file === null || waiting > 0) return false;
    try {
      return (
        syncWhenFast(() => {
          const plan = holes?.plan(buffers, position) ?? null;
          if (!plan) writeFullyNow(file, buffers, position);
          else {
            for (const piece of plan.pieces) writeFullyNow(file, piece.buffers, piece.position);
            if (plan.end > length) file.truncateNow(plan.end);
          }
          length = Math.max(length, endOf(buffers, position));
          return true;
        }) ?? false
      );
    } catch (error) {
      throw targetFailure(temporary, error);
    }
  }

  /**
   * Writes without blocks of zeros, and extends the file to its full length: one write at a time, so that no other
   * write is truncated.
   */
  async function writeInTurn(buffers: readonly Buffer[], position: number): Promise<void> {
    const file = await fileOpenedBy(openFlags.readWriteOwnOrCreate);
    const plan = holes?.plan(buffers, position) ?? null;
    if (!plan) await writeFully(file, buffers, position);
    else {
      for (const piece of plan.pieces) await writeFully(file, piece.buffers, piece.position);
      if (plan.end > length) await file.truncate(plan.end);
    }
    length = Math.max(length, endOf(buffers, position));
  }

  async function close(): Promise<void> {
    const opened = opening;
    opening = null;
    near = null;
    holes = null;
    if (!opened) return;
    await last;
    await opened.then(
      (file) => file.close(),
      () => {},
    );
  }

  return {
    temporary,
    size,
    write(buffers, position) {
      if (writeNow(buffers, position)) return;
      return inTurn(() => orTargetFailure(temporary, () => writeInTurn(buffers, position)));
    },
    read: (buffer, length, position) =>
      orTargetFailure(temporary, async () => {
        const count = await fileOpenedBy(openFlags.readWriteOwn).then(
          (file) => readFully(file, buffer, length, position),
          (error: unknown) => {
            if (codeOf(error) === 'ENOENT') return 0;
            throw error;
          },
        );
        if (count < length) throw shorter(temporary);
      }),
    commit: (target, { mtimeMs, durable, replace = false }) =>
      orTargetFailure(target, async () => {
        const file = await fileOpenedBy(openFlags.readWriteOwnOrCreate);
        await last;
        const written = (await file.stat()).size;
        if (written < size) throw shorter(temporary);
        if (written > size) await file.truncate(size);
        await file.setTimes(secondsOf(mtimeMs));
        if (durable) await file.flush();
        await close();
        publishFile(temporary, target, replace, fileSystem);
        if (durable) await flushFolder(dirname(target));
      }),
    async discard() {
      await close();
      await orTargetFailure(temporary, () => fileSystem.remove(temporary));
    },
    close,
  };
}

async function orTargetFailure<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw targetFailure(path, error);
  }
}

const endOf = (buffers: readonly Buffer[], position: number): number => buffers.reduce((sum, { length }) => sum + length, position);

function shorter(path: string): TransferError {
  return new TransferError('file_changed', `${path} is shorter than what was written to it. Something else changed it.`);
}
