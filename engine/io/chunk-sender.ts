import type { Dispatcher } from 'undici';
import { TransferError } from '#client/errors.ts';
import type { ChunkSender, SentChunk } from '#client/ports.ts';
import { storageRefusal } from '#client/storage-answers.ts';
import { smallFileSize } from '#protocol/limits.ts';
import type { Blueprint } from '#protocol/schema.ts';
import { unquoted } from '#protocol/storage/requests.ts';
import type { BufferPool } from './buffers.ts';
import { digestsOf, type SliceDigests } from './digests.ts';
import type { DiskSource } from './disk-source.ts';
import { type Answer, answered, exchange } from './exchange.ts';
import type { RateLimiter } from './rate-limit.ts';
import { type Busy, busyWith, type Timekeeper, untimed } from './time-split.ts';
import type { UploadHttp } from './upload-http.ts';
import { writeSlice } from './write-slice.ts';

interface ChunkSenderOptions {
  /** Few connections for large bodies: more of them would only take turns on the network. */
  readonly bulk: UploadHttp;
  /** Many connections for small slices, where the round trip is the main cost. */
  readonly small: Dispatcher;
  readonly buffers: BufferPool;
  readonly limiter?: RateLimiter;
  readonly times?: Timekeeper;
}

const longestAnswer = 64 * 1024;

/** Streams slices of files on disk to blueprints. All failures are `TransferError`s, or the signal's reason. */
export function createChunkSender({ bulk, small, buffers, limiter, times = untimed }: ChunkSenderOptions): ChunkSender<DiskSource> {
  return async (blueprint, source, slice, { md5, onBytes, signal }) => {
    signal.throwIfAborted();
    // A slice that is sent whole moves at once, which is too much under a slow limit.
    if (slice.length <= Math.min(smallFileSize, limiter?.piece() ?? smallFileSize)) {
      const pause = limiter?.take(slice.length, signal);
      if (pause) await busyWith(times, 'limit', () => pause);
      const timed = times.sampled();
      const began = timed ? times.clock() : 0;
      const reading = source.readSmall(slice);
      const bytes = reading instanceof Promise ? await reading : reading;
      if (timed) times.took('reading', times.clock() - began);
      // The kernel takes a small slice at once: only the answer is waited for.
      times.enter('server');
      let answer: Answer;
      try {
        answer = await answered(signal, () =>
          exchange(small, { ...addressed(blueprint, slice.length), body: bytes, signal }, longestAnswer),
        );
      } finally {
        times.leave('server');
      }
      const answeredAt = timed ? times.clock() : 0;
      const digests = digestsOf(bytes, md5);
      if (timed) times.took('hashing', times.clock() - answeredAt);
      const sent = confirmed(answer, digests);
      onBytes(slice.length);
      return sent;
    }
    let digests: SliceDigests | null = null;
    let spends: Busy = 'network';
    times.enter(spends);
    try {
      const answer = await answered(signal, () =>
        bulk.exchange(
          {
            ...addressed(blueprint, slice.length),
            signal,
            body: async (write) => {
              digests = await writeSlice({ source, slice, md5, buffers, onBytes, signal, times, ...(limiter ? { limiter } : {}) }, write);
              times.move(spends, 'server');
              spends = 'server';
            },
          },
          longestAnswer,
        ),
      );
      return confirmed(answer, digests);
    } finally {
      times.leave(spends);
    }
  };
}

const addressed = ({ url, method, headers }: Blueprint, length: number) => ({
  url,
  method,
  headers: { ...headers, 'content-length': String(length) },
});

function confirmed(answer: Answer, digests: SliceDigests | null): SentChunk {
  const { status, headers, body } = answer;
  if (status < 200 || status > 299) throw storageRefusal({ status, headers, text: body.toString('utf8') }, 'upload');
  const etag = unquoted(headers['etag'] ?? '');
  if (!etag) throw new TransferError('wrong_answer', 'The storage took a chunk without saying what it received (no ETag).');
  if (!digests) throw new TransferError('wrong_answer', 'The storage took a chunk before all of it was sent.');
  return { etag, ...digests };
}
