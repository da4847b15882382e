import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Slice } from '#client/ports.ts';
import { type BufferPool, stride } from './buffers.ts';
import { createSliceDigest, type SliceDigest, type SliceDigests } from './digests.ts';
import type { DiskSource } from './disk-source.ts';
import type { RateLimiter } from './rate-limit.ts';
import { type Busy, type Timekeeper, untimed } from './time-split.ts';

interface SliceBodyOptions {
  readonly source: DiskSource;
  readonly slice: Slice;
  readonly md5: boolean;
  readonly buffers: BufferPool;
  readonly limiter?: RateLimiter;
  /** Records what the slice is busy with; it must be in `network` before and after. */
  readonly times?: Timekeeper;
  /** By default BLAKE3, and MD5 if `md5` says so. */
  readonly digest?: SliceDigest;
  readonly onBytes: (count: number) => void;
  readonly signal: AbortSignal;
}

/**
 * Bytes read, hashed and sent at once if reading is only a memory copy: all three steps use the same buffer, which
 * stays in the processor's cache.
 */
const hop = 256 * 1024;
/** After this many hops the event loop gets a turn: a loop of immediately accepted writes would never yield. */
const hopsInTurn = 4;
/** Bytes read by other threads before the synchronous way is tried again. */
const relayed = 16 * stride;

/**
 * Sends a slice of a file. `write` resolves when the bytes that it was given may be overwritten. The file is checked
 * before the first byte and before the last, so that a part of a changed file is never completed.
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

  /** Synchronous read. False: nothing was read, and other threads have to read. */
  async function hopOver(at: number, length: number): Promise<boolean> {
    // The active slice reuses the buffer that the last one returned: it is still in the processor's cache.
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

  /** Reads with other threads, one stride ahead, so that disk and network work at the same time. */
  async function relay(from: number, to: number): Promise<void> {
    const pair = [buffers.take(), buffers.take()] as const;
    let filling: Promise<void> = Promise.resolve();
    const fill = (turn: number, at: number): void => {
      filling = source.read(pair[turn % 2]!, Math.min(stride, to - at), slice.offset + at);
      // The error is handled when this is awaited; until then it must not count as unhandled.
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
