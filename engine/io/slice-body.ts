import type { Slice } from '#client/ports.ts';
import { type BufferPool, stride } from './buffers.ts';
import { createSliceDigest, type SliceDigests } from './digests.ts';
import type { DiskSource } from './disk-source.ts';
import type { RateLimiter } from './rate-limit.ts';

export interface SliceBodyOptions {
  readonly source: DiskSource;
  readonly slice: Slice;
  readonly md5: boolean;
  readonly buffers: BufferPool;
  readonly limiter?: RateLimiter;
  readonly onBytes: (count: number) => void;
  readonly signal: AbortSignal;
}

/** A request's body made from a slice of a file. */
export interface SliceBody {
  /** To be read once. Whoever reads it must be done with a buffer when it asks for the next but one. */
  readonly bytes: AsyncIterable<Buffer>;
  /** Of all the bytes; `null` while not all of them have gone out. */
  digests(): SliceDigests | null;
  /** Why reading the file failed, if it did: what the connection says then is only the consequence. */
  failure(): unknown;
  /**
   * To be called once the request is over, however it ended: stops reading, and gives the buffers back.
   * Not earlier, since the socket may still hold the last of them.
   */
  end(): Promise<void>;
}

/**
 * Reads a stride ahead while the one before goes out, so disk and wire work at the same time. Three
 * buffers: one that the socket holds, one handed over, one being filled.
 */
export function createSliceBody({ source, slice, md5, buffers, limiter, onBytes, signal }: SliceBodyOptions): SliceBody {
  const ring: Buffer[] = [];
  let digests: SliceDigests | null = null;
  let failure: unknown;

  async function* read(): AsyncGenerator<Buffer, void> {
    let filling: Promise<void> = Promise.resolve();
    const fill = (turn: number, at: number): void => {
      filling = source.read(ring[turn % 3]!, Math.min(stride, slice.length - at), slice.offset + at);
      // Heard when it is awaited; until then it must not count as unhandled.
      filling.catch(() => {});
    };
    try {
      ring.push(buffers.take(), buffers.take(), buffers.take());
      const digest = createSliceDigest(md5);
      await source.check();
      fill(0, 0);
      for (let at = 0, turn = 0; at < slice.length; at += stride, turn++) {
        await filling;
        const length = Math.min(stride, slice.length - at);
        if (at + stride < slice.length) fill(turn + 1, at + stride);
        else await source.check();
        const bytes = ring[turn % 3]!.subarray(0, length);
        digest.update(bytes);
        await limiter?.take(length, signal);
        yield bytes;
        onBytes(length);
      }
      digests = digest.end();
    } catch (error) {
      failure = error;
      throw error;
    } finally {
      await filling.catch(() => {});
    }
  }

  const bytes = read();
  return {
    bytes,
    digests: () => digests,
    failure: () => failure,
    async end() {
      await bytes.return();
      for (const buffer of ring.splice(0)) buffers.give(buffer);
    },
  };
}
