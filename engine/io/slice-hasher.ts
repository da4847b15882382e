import type { SliceHasher } from '#client/ports.ts';
import { type BufferPool, stride } from './buffers.ts';
import { createSliceDigest } from './digests.ts';
import { busyWith, type Timekeeper, untimed } from './time-split.ts';

/** Anything readable at a position: a source, or a partly written sink. */
interface Readable {
  /** Fills the buffer's first `length` bytes from `position`; a file too short is `file_changed`. */
  read(buffer: Buffer, length: number, position: number): Promise<void>;
}

/** Reads a slice in place and hashes it. */
export function createSliceHasher(buffers: BufferPool, times: Timekeeper = untimed): SliceHasher<Readable> {
  return async (file, slice, { md5, signal }) => {
    const digest = createSliceDigest(md5);
    const buffer = buffers.take();
    try {
      for (let at = 0; at < slice.length; at += stride) {
        signal.throwIfAborted();
        const length = Math.min(stride, slice.length - at);
        await busyWith(times, 'reading', () => file.read(buffer, length, slice.offset + at));
        const timed = times.sampled();
        const began = timed ? times.clock() : 0;
        digest.update(buffer.subarray(0, length));
        if (timed) times.took('hashing', times.clock() - began);
      }
    } finally {
      buffers.give(buffer);
    }
    return digest.end();
  };
}
