import { setImmediate as nextTurn } from 'node:timers/promises';
import { type BatchPut, type PartToSend, progressByPart } from '#client/batch-put.ts';
import { TransferError } from '#client/errors.ts';
import { storageRefusal } from '#client/storage-answers.ts';
import { batchPutAddress, batchPutHead } from '#protocol/storage/batch-put.ts';
import { batchContentType } from '#protocol/storage/requests.ts';
import { type BufferPool, stride } from './buffers.ts';
import { blake3Hex } from './digests.ts';
import type { SmallSource } from './disk-source.ts';
import { answered } from './exchange.ts';
import type { RateLimiter } from './rate-limit.ts';
import { type Busy, type Timekeeper, untimed } from './time-split.ts';
import type { UploadHttp } from './upload-http.ts';

interface BatchPutOptions {
  readonly bulk: UploadHttp;
  readonly buffers: BufferPool;
  readonly limiter?: RateLimiter;
  readonly times?: Timekeeper;
}

/** Milliseconds of reading before the event loop gets a turn. */
const turnMs = 5;
/** Bytes written before the event loop gets a turn and progress is reported. */
const hop = 256 * 1024;
/** Bytes at once under a limit of 400 KB/s: below it a batch request would take too long. */
const slowPiece = 8 * 1024;
/** Maximum bytes of an answer; one for 1,000 parts has 100 KiB. */
const longestAnswer = 1024 * 1024;

export const isQuick = (limiter: RateLimiter | undefined): boolean => !limiter || limiter.piece() >= slowPiece;

/** Parts read one after the other into as many buffers as needed. No part is split over two buffers. */
interface LoadedParts {
  readonly parts: readonly PartToSend<SmallSource>[];
  /** In the order of `parts`. */
  readonly bytes: readonly Buffer[];
  /** The bytes to send, in order. */
  readonly blocks: readonly Buffer[];
  /** Returns the buffers; nothing may use them any more. */
  release(): void;
}

/**
 * Sends small slices of files in batch requests: each is read directly into the buffer that it is hashed and sent from.
 * Not used under a slow limit.
 */
export function createBatchPut({ bulk, buffers, limiter, times = untimed }: BatchPutOptions): BatchPut<SmallSource> {
  return async (url, all, signal) => {
    signal.throwIfAborted();
    if (!isQuick(limiter)) return { blake3: all.map(() => null), text: '' };
    const load = await read(all, buffers, times);
    try {
      signal.throwIfAborted();
      const sent = load.parts.length === 0 ? { text: '', digests: [] } : await send(url, load, signal);
      const digestOf = new Map(load.parts.map((part, index) => [part, sent.digests[index]!]));
      return { blake3: all.map((part) => digestOf.get(part) ?? null), text: sent.text };
    } finally {
      load.release();
    }
  };

  async function send(url: string, { parts, bytes, blocks }: LoadedParts, signal: AbortSignal) {
    const named = parts.map(({ blueprint, slice }) => ({ blueprint, length: slice.length }));
    const head = Buffer.from(batchPutHead(named));
    const progress = progressByPart(parts, 0);
    const length = blocks.reduce((sum, stretch) => sum + stretch.length, head.length);
    let digests: readonly string[] | null = null;
    let cause: Busy = 'network';
    const busyNow = (busy: Busy): void => {
      times.move(cause, busy);
      cause = busy;
    };
    times.enter(cause);
    try {
      const { status, headers, body } = await answered(signal, () =>
        bulk.exchange(
          {
            url: batchPutAddress(url, named),
            method: 'POST',
            headers: { 'content-type': batchContentType, 'content-length': String(length) },
            signal,
            async body(write) {
              await write(head);
              for (const stretch of blocks) {
                for (let at = 0; at < stretch.length; ) {
                  const end = Math.min(stretch.length, at + Math.min(hop, limiter?.piece() ?? hop));
                  const pause = limiter?.take(end - at, signal);
                  if (pause) {
                    busyNow('limit');
                    await pause;
                    busyNow('network');
                  }
                  await write(stretch.subarray(at, end));
                  progress(end - at);
                  at = end;
                }
              }
              busyNow('server');
              // The storage hashes them at the same time.
              digests = bytes.map((part) => digested(part, times));
            },
          },
          longestAnswer,
        ),
      );
      const text = body.toString('utf8');
      if (status < 200 || status > 299) throw storageRefusal({ status, headers, text }, 'upload');
      if (!digests) throw new TransferError('wrong_answer', 'The storage took many parts before all of them were sent.');
      return { text, digests: digests as readonly string[] };
    } finally {
      times.leave(cause);
    }
  }
}

/** Skips unreadable parts: the error is reported when the file is retried by itself. */
async function read(all: readonly PartToSend<SmallSource>[], buffers: BufferPool, times: Timekeeper): Promise<LoadedParts> {
  const taken: { readonly buffer: Buffer; length: number }[] = [];
  const parts: PartToSend<SmallSource>[] = [];
  const bytes: Buffer[] = [];
  const release = (): void => {
    for (const { buffer } of taken.splice(0)) buffers.give(buffer);
  };
  let turnBegan = performance.now();
  for (const part of all) {
    if (performance.now() - turnBegan > turnMs) {
      await nextTurn();
      turnBegan = performance.now();
    }
    const { source, slice } = part;
    let last = taken.at(-1);
    if (!last || last.length + slice.length > stride) {
      last = { buffer: buffers.take(), length: 0 };
      taken.push(last);
    }
    const target = last.buffer.subarray(last.length, last.length + slice.length);
    const timed = times.sampled();
    const began = timed ? times.clock() : 0;
    try {
      const reading = source.readSmallInto(slice, target);
      if (reading) await reading;
    } catch {
      continue;
    }
    if (timed) times.took('reading', times.clock() - began);
    last.length += slice.length;
    parts.push(part);
    bytes.push(target);
  }
  return { parts, bytes, blocks: taken.map(({ buffer, length }) => buffer.subarray(0, length)), release };
}

function digested(part: Buffer, times: Timekeeper): string {
  const timed = times.sampled();
  const began = timed ? times.clock() : 0;
  const digest = blake3Hex(part);
  if (timed) times.took('hashing', times.clock() - began);
  return digest;
}
