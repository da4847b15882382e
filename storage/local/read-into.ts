import { openFlags } from '#filesystem/flags.ts';
import { readFully, readFullyNow } from '#filesystem/fully.ts';
import type { FileSystem, OpenFile } from '#filesystem/port.ts';
import type { SyncWhenFast } from '#filesystem/sync-when-fast.ts';
import { objectDamaged } from '../errors.ts';
import { comparison, partOf } from './compare.ts';
import type { Stretch } from './ranges.ts';

/** Bytes that are read at once in this thread where the disk is as fast as memory: waking another thread would cost more. */
const largestNow = 256 * 1024;

const tooShort = () => objectDamaged('A stored file is shorter than it was when it was received.');

/** Fills the buffers, one after the other, with the bytes of the ranges. Parts that are read as a whole are compared with their digests. Errors are the disk's, or a `StorageError`. */
export async function readInto(
  files: FileSystem,
  pathOf: (file: string) => string,
  wanted: readonly Stretch[],
  buffers: readonly Uint8Array[],
  syncWhenFast: SyncWhenFast,
): Promise<void> {
  const rooms = roomsOf(buffers);
  for (const stretch of wanted) {
    const { file, offset, length } = stretch;
    const path = pathOf(file);
    const into = rooms(length);
    const compareAll = (): void => {
      const comparing = comparison(partOf(stretch));
      for (const room of into) comparing.add(room);
      comparing.end();
    };
    if (length <= largestNow && syncWhenFast(() => readNow(files, path, into, offset))) {
      compareAll();
      continue;
    }
    let opened: OpenFile | undefined;
    try {
      opened = await files.open(path, openFlags.read);
      let at = offset;
      for (const room of into) {
        if ((await readFully(opened, room, room.length, at)) < room.length) throw tooShort();
        at += room.length;
      }
    } finally {
      await opened?.close();
    }
    compareAll();
  }
}

function readNow(files: FileSystem, path: string, into: readonly Uint8Array[], offset: number): true {
  const opened = files.openNow(path, openFlags.read);
  try {
    let at = offset;
    for (const room of into) {
      if (readFullyNow(opened, room, room.length, at) < room.length) throw tooShort();
      at += room.length;
    }
    return true;
  } finally {
    opened.closeNow();
  }
}

/** Gives the next so many bytes of the buffers. */
function roomsOf(buffers: readonly Uint8Array[]): (length: number) => Uint8Array[] {
  let index = 0;
  let used = 0;
  return (length) => {
    const rooms: Uint8Array[] = [];
    for (let left = length; left > 0; ) {
      const buffer = buffers[index]!;
      const room = buffer.subarray(used, used + left);
      rooms.push(room);
      left -= room.length;
      used += room.length;
      if (used < buffer.length) continue;
      index += 1;
      used = 0;
    }
    return rooms;
  };
}
