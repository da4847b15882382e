import { constants } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { MoveError } from '#client/errors.ts';
import {
  closeDescriptor,
  openDescriptor,
  readFully,
  statDescriptor,
  syncDescriptor,
  timesOfDescriptor,
  truncateDescriptor,
  writeFully,
} from './descriptor.ts';
import { codeOf, targetFailure } from './disk-failures.ts';
import { giveName } from './give-name.ts';
import type { DiskSink } from './sink.ts';
import { createSmallSink } from './small-sink.ts';

export type { CommitOptions, DiskSink } from './sink.ts';

/** Bytes up to which a file is written by synchronous calls: a round through the thread pool costs more than they do. */
const smallFile = 256 * 1024;

// A symbolic link planted under the temporary name must not lead the bytes elsewhere.
const noFollow = constants.O_NOFOLLOW ?? 0;

/** A sink for a file of `size` bytes, kept at `temporary` (in the target's own folder) until it is committed. Nothing is opened yet. */
export function createDiskSink(temporary: string, size: number): DiskSink {
  return size <= smallFile ? createSmallSink(temporary, size) : createLargeSink(temporary, size);
}

function createLargeSink(temporary: string, size: number): DiskSink {
  let opening: Promise<number> | null = null;
  let last: Promise<void> = Promise.resolve();

  function descriptor(create: number): Promise<number> {
    opening ??= openDescriptor(temporary, constants.O_RDWR | create | noFollow, 0o666).catch((error: unknown) => {
      opening = null;
      throw error;
    });
    return opening;
  }

  /** One write at a time: concurrent writes into one file only wait for each other on its lock, busily. */
  function inTurn(work: () => Promise<void>): Promise<void> {
    const turn = last.then(work);
    last = turn.catch(() => {});
    return turn;
  }

  async function close(): Promise<void> {
    const opened = opening;
    opening = null;
    if (!opened) return;
    await last;
    await opened.then(closeDescriptor, () => {});
  }

  return {
    temporary,
    size,
    write: (buffers, position) =>
      inTurn(() => orTargetFailure(temporary, async () => writeFully(await descriptor(constants.O_CREAT), buffers, position))),
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
    commit: (target, { mtimeMs, durable }) =>
      orTargetFailure(target, async () => {
        const fd = await descriptor(constants.O_CREAT);
        await last;
        const held = (await statDescriptor(fd)).size;
        if (held < size) throw shorter(temporary);
        if (held > size) await truncateDescriptor(fd, size);
        await timesOfDescriptor(fd, mtimeMs / 1_000);
        if (durable) await syncDescriptor(fd);
        await close();
        giveName(temporary, target);
        if (durable) await syncFolder(dirname(target));
      }),
    async discard() {
      await close();
      await orTargetFailure(temporary, () => rm(temporary, { force: true }));
    },
    close,
  };
}

async function syncFolder(path: string): Promise<void> {
  // Windows has no handle on a folder to sync, and needs none.
  if (process.platform === 'win32') return;
  const fd = await openDescriptor(path, constants.O_RDONLY);
  try {
    await syncDescriptor(fd);
  } finally {
    await closeDescriptor(fd);
  }
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
