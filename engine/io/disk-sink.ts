import { constants } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { MoveError } from '#client/errors.ts';
import { type AtOnce, createAtOnce } from '#disk/at-once.ts';
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
import { giveName } from './give-name.ts';
import { isOnLocalDisk } from './local-disk.ts';
import type { DiskSink } from './sink.ts';
import { createSmallSink } from './small-sink.ts';
import { createFolderFlush, type FolderFlush } from './sync-folder.ts';

export type { CommitOptions, DiskSink } from './sink.ts';

/** Bytes up to which a file is written by synchronous calls: a round through the thread pool costs more than they do. */
const smallFile = 256 * 1024;

// A symbolic link planted under the temporary name must not lead the bytes elsewhere.
const noFollow = constants.O_NOFOLLOW ?? 0;

/** A sink for a file of `size` bytes, kept at `temporary` (in the target's own folder) until it is committed. Nothing is opened yet. */
export function createDiskSink(
  temporary: string,
  size: number,
  { atOnce = createAtOnce(), opened, flushFolder = sharedFlush }: SinkOptions = {},
): DiskSink {
  if (size <= smallFile) return createSmallSink(temporary, size, { flushFolder, opened });
  return createLargeSink(temporary, size, { atOnce, opened, flushFolder });
}

/** For all of them, since many go into one folder at once. It remembers nothing but what is under way. */
const sharedFlush = createFolderFlush();

export interface SinkOptions {
  readonly atOnce?: AtOnce;
  /** Told of the temporary file once it is open, before anything is written to it; what it throws keeps it from being written. */
  readonly opened?: ((descriptor: number) => void) | undefined;
  /** By default one that all share. */
  readonly flushFolder?: FolderFlush;
}

function createLargeSink(
  temporary: string,
  size: number,
  { atOnce, opened, flushFolder }: { readonly atOnce: AtOnce; readonly flushFolder: FolderFlush; readonly opened: SinkOptions['opened'] },
): DiskSink {
  let opening: Promise<number> | null = null;
  /** Once it is open, and known to be on a local disk. */
  let near: number | null = null;
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
    if (await isOnLocalDisk(temporary)) near = fd;
    return fd;
  }

  /** One write at a time: concurrent writes into one file only wait for each other on its lock, busily. */
  function inTurn(work: () => Promise<void>): Promise<void> {
    waiting++;
    const turn = last.then(work).finally(() => {
      waiting--;
    });
    last = turn.catch(() => {});
    return turn;
  }

  /** False: nothing was written, and it has to wait for its turn. */
  function writeNow(buffers: readonly Buffer[], position: number): boolean {
    const fd = near;
    if (fd === null || waiting > 0) return false;
    try {
      return (
        atOnce(() => {
          writeFullyNow(fd, buffers, position);
          return true;
        }) ?? false
      );
    } catch (error) {
      throw targetFailure(temporary, error);
    }
  }

  async function close(): Promise<void> {
    const opened = opening;
    opening = null;
    near = null;
    if (!opened) return;
    await last;
    await opened.then(closeDescriptor, () => {});
  }

  return {
    temporary,
    size,
    write(buffers, position) {
      if (writeNow(buffers, position)) return;
      return inTurn(() => orTargetFailure(temporary, async () => writeFully(await descriptor(constants.O_CREAT), buffers, position)));
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
        const held = (await statDescriptor(fd)).size;
        if (held < size) throw shorter(temporary);
        if (held > size) await truncateDescriptor(fd, size);
        await timesOfDescriptor(fd, mtimeMs / 1_000);
        if (durable) await syncDescriptor(fd);
        await close();
        giveName(temporary, target, replace);
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

function shorter(path: string): MoveError {
  return new MoveError('file_changed', `${path} is shorter than what was written to it. Something else changed it.`);
}
