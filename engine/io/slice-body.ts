import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Slice } from '#client/ports.ts';
import { type BufferPool, stride } from './buffers.ts';
import { createSliceDigest, type SliceDigest, type SliceDigests } from './digests.ts';
import type { DiskSource } from './disk-source.ts';
import type { RateLimiter } from './rate-limit.ts';
import { type Busy, type Timekeeper, untimed } from './time-split.ts';

export interface SliceBodyOptions {
  readonly source: DiskSource;
  readonly slice: Slice;
  readonly md5: boolean;
  readonly buffers: BufferPool;
  readonly limiter?: RateLimiter;
  /** Told what the slice is busy with; it comes and goes as `network`. */
  readonly times?: Timekeeper;
  /** By default BLAKE3, and MD5 where `md5` says so. */
  readonly digest?: SliceDigest;
  readonly onBytes: (count: number) => void;
  readonly signal: AbortSignal;
}

/**
 * How much is read, digested and sent in one go where reading is no more than a copy: all three use the same buffer,
 * which stays in the processor's own cache.
 */
const hop = 256 * 1024;
/** After so many hops others get a turn: writes that the system takes at once would never end. */
const hopsInTurn = 4;
/** How much other threads read before it is tried again without them. */
const relayed = 16 * stride;

/**
 * Sends a slice of a file. `write` resolves when the bytes that it was given may be overwritten. The file is checked
 * before the first byte and before the last, so that a part of a file that has changed never becomes whole.
 */
export async function writeSlice(options: SliceBodyOptions, write: (bytes: Buffer) => Promise<void>): Promise<SliceDigests> {
  const { source, slice, md5, buffers, limiter, onBytes, signal, times = untimed } = options;
  const digest = options.digest ?? createSliceDigest(md5);

  async function send(bytes: Buffer, at: number, timed: boolean): Promise<void> {
    const began = timed ? times.clock() : 0;
    digest.update(bytes);
    if (timed) times.took('hashing', times.clock() - began);
    if (at + bytes.length === slice.length) await source.check();
    for (let done = 0; done < bytes.length; ) {
      const length = limiter ? Math.min(bytes.length - done, limiter.piece()) : bytes.length;
      const pause = limiter?.take(length, signal);
      if (pause) await busyInstead('limit', pause);
      await write(length === bytes.length ? bytes : bytes.subarray(done, done + length));
      onBytes(length);
      done += length;
    }
  }

  async function busyInstead(cause: Busy, work: Promise<void>): Promise<void> {
    times.move('network', cause);
    try {
      await work;
    } finally {
      times.move(cause, 'network');
    }
  }

  /** At once. False: nothing was read, and other threads have to. */
  async function hopOver(at: number, length: number): Promise<boolean> {
    // Of the slices under way the one that moves takes what the last one has left: still in the processor's cache.
    const buffer = buffers.take();
    try {
      const timed = times.sampled();
      const began = timed ? times.clock() : 0;
      if (!source.readNow(buffer, length, slice.offset + at)) return false;
      if (timed) times.took('reading', times.clock() - began);
      await send(buffer.subarray(0, length), at, timed);
      return true;
    } finally {
      buffers.give(buffer);
    }
  }

  /** By other threads, a stride ahead, so that disk and wire work at the same time. */
  async function relay(from: number, to: number): Promise<void> {
    const pair = [buffers.take(), buffers.take()] as const;
    let filling: Promise<void> = Promise.resolve();
    const fill = (turn: number, at: number): void => {
      filling = source.read(pair[turn % 2]!, Math.min(stride, to - at), slice.offset + at);
      // Heard when it is awaited; until then it must not count as unhandled.
      filling.catch(() => {});
    };
    try {
      fill(0, from);
      for (let at = from, turn = 0; at < to; at += stride, turn++) {
        await busyInstead('reading', filling);
        if (at + stride < to) fill(turn + 1, at + stride);
        await send(pair[turn % 2]!.subarray(0, Math.min(stride, to - at)), at, times.sampled());
      }
    } finally {
      await filling.catch(() => {});
      for (const buffer of pair) buffers.give(buffer);
    }
  }

  await busyInstead('reading', source.check());
  let at = 0;
  for (let turn = 1; at < slice.length; turn++) {
    const length = Math.min(hop, slice.length - at);
    if (await hopOver(at, length)) at += length;
    else {
      const end = Math.min(at + relayed, slice.length);
      await relay(at, end);
      at = end;
    }
    if (turn % hopsInTurn === 0 && at < slice.length) await nextTurn();
  }
  return digest.end();
}
