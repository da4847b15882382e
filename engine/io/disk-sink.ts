import { constants, ftruncateSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { TransferError } from '#client/errors.ts';
import { isOnLocalDisk } from '#filesystem/local-disk.ts';
import { createSyncWhenFast, type SyncWhenFast } from '#filesystem/sync-when-fast.ts';
import { smallFileSize } from '#protocol/limits.ts';
import {
  closeDescriptor,
  openDescriptor,
  readFully,
  statDescriptor,
  syncDescriptor,
  timesOfDescriptor,
  truncateDescriptor,
  writeFully,
  writeFullyNow,
} from './descriptor.ts';
import { codeOf, targetFailure } from './disk-failures.ts';
import { secondsOf } from './file-time.ts';
import { createHoles, type Holes } from './holes.ts';
import { publishFile } from './publish-file.ts';
import type { DiskSink } from './sink.ts';
import { createSmallSink } from './small-sink.ts';
import { createFolderFlush, type FolderFlush } from './sync-folder.ts';

export type { CommitOptions, DiskSink } from './sink.ts';

// A symbolic link planted at the temporary name must not redirect the bytes.
const noFollow = constants.O_NOFOLLOW ?? 0;

/**
 * A sink for a file of `size` bytes, stored at `temporary` (in the target's own folder) until it is committed. Nothing
 * is opened yet.
 */
export function createDiskSink(
  temporary: string,
  size: number,
  { syncWhenFast = createSyncWhenFast(), opened, flushFolder = sharedFlush }: SinkOptions = {},
): DiskSink {
  if (size <= smallFileSize) return createSmallSink(temporary, size, { flushFolder, opened });
  return createLargeSink(temporary, size, { syncWhenFast, opened, flushFolder });
}

/** Shared by all sinks, since many files are written to one folder at once. It stores only flushes in progress. */
const sharedFlush = createFolderFlush();

interface SinkOptions {
  readonly syncWhenFast?: SyncWhenFast;
  /** Called with the temporary file once it is open and before anything is written to it; if it throws, nothing is written. */
  readonly opened?: ((descriptor: number) => void) | undefined;
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
  }: { readonly syncWhenFast: SyncWhenFast; readonly flushFolder: FolderFlush; readonly opened: SinkOptions['opened'] },
): DiskSink {
  let opening: Promise<number> | null = null;
  /** Set once it is open and known to be on a local disk. */
  let near: number | null = null;
  /** Set once it is open. */
  let holes: Holes | null = null;
  let length = 0;
  let last: Promise<void> = Promise.resolve();
  let waiting = 0;

  function descriptor(create: number): Promise<number> {
    opening ??= open(create).catch((error: unknown) => {
      opening = null;
      throw error;
    });
    return opening;
  }

  async function open(create: number): Promise<number> {
    const fd = await openDescriptor(temporary, constants.O_RDWR | create | noFollow, 0o666);
    try {
      opened?.(fd);
    } catch (error) {
      await closeDescriptor(fd);
      throw error;
    }
    const found = await statDescriptor(fd);
    length = found.size;
    if (found.isFile()) holes = createHoles(size, found.size);
    if (await isOnLocalDisk(temporary)) near = fd;
    return fd;
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
    const fd = near;
    if (fd === null || waiting > 0) return false;
    try {
      return (
        syncWhenFast(() => {
          const plan = holes?.plan(buffers, position) ?? null;
          if (!plan) writeFullyNow(fd, buffers, position);
          else {
            for (const piece of plan.pieces) writeFullyNow(fd, piece.buffers, piece.position);
            if (plan.end > length) ftruncateSync(fd, plan.end);
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
    const fd = await descriptor(constants.O_CREAT);
    const plan = holes?.plan(buffers, position) ?? null;
    if (!plan) await writeFully(fd, buffers, position);
    else {
      for (const piece of plan.pieces) await writeFully(fd, piece.buffers, piece.position);
      if (plan.end > length) await truncateDescriptor(fd, plan.end);
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
    await opened.then(closeDescriptor, () => {});
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
        const count = await descriptor(0).then(
          (fd) => readFully(fd, buffer, length, position),
          (error: unknown) => {
            if (codeOf(error) === 'ENOENT') return 0;
            throw error;
          },
        );
        if (count < length) throw shorter(temporary);
      }),
    commit: (target, { mtimeMs, durable, replace = false }) =>
      orTargetFailure(target, async () => {
        const fd = await descriptor(constants.O_CREAT);
        await last;
        const written = (await statDescriptor(fd)).size;
        if (written < size) throw shorter(temporary);
        if (written > size) await truncateDescriptor(fd, size);
        await timesOfDescriptor(fd, secondsOf(mtimeMs));
        if (durable) await syncDescriptor(fd);
        await close();
        publishFile(temporary, target, replace);
        if (durable) await flushFolder(dirname(target));
      }),
    async discard() {
      await close();
      await orTargetFailure(temporary, () => rm(temporary, { force: true }));
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
