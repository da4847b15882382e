import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { MemoryReservation } from '#net/memory-budget.ts';
import { type BatchPutAnswer, batchPutAnswer } from '#protocol/storage/batch-put.ts';
import { authorizingTarget } from '#protocol/storage/requests.ts';
import { type BatchedPart, batchPutLength, receiveBatchPut } from './batch-put.ts';
import { BodyBuffers } from './body-buffers.ts';
import type { AuthorizedPart } from './part-authorization.ts';
import { SenderGone } from './receive.ts';
import { inBatch, Refusal, refusalOf, sentBefore } from './refusal.ts';
import type { SegmentPacker } from './segments/segment-packer.ts';

/** Parts after which the event loop gets a turn: storing one takes some 100 µs. */
const atOnce = 32;

/** Our own senders fill 4 MiB, and their line; four requests at once are those of one agent. */
const bufferBytes = 5 * 1024 * 1024;
const mostBuffers = 4;

interface BatchPutHandlerPorts {
  /** Verifies the address of a part (path and query), whose length in bytes is given. Throws a `Refusal`. */
  readonly authorize: (target: string, length: number) => AuthorizedPart;
  /** Throws a `Refusal` unless the address (path and query) of a part is valid. */
  readonly checkAddress: (target: string) => void;
  readonly packer: SegmentPacker;
  /** Stores one part by itself and returns its etag. Throws the file system's error. */
  readonly store: (part: AuthorizedPart, bytes: Buffer) => string;
  /** What a file system's error means for a part. */
  readonly failure: (error: unknown) => Error;
  /** The sender's memory, for the duration of the request. */
  readonly reserve: (request: IncomingMessage) => MemoryReservation;
  /** Called with failures that are not the caller's fault. */
  readonly onTrouble: (error: Error) => void;
}

/** Answers batch requests with parts (protocol/storage/batch-put.ts). Rejects with a `Refusal` of the request as a whole. */
export function createBatchPutHandler(ports: BatchPutHandlerPorts) {
  const { authorize, checkAddress, packer, store, failure, reserve, onTrouble } = ports;
  const buffers = new BodyBuffers(bufferBytes, mostBuffers);

  function refused(error: unknown): BatchPutAnswer {
    const explained = error instanceof Refusal ? error : failure(error);
    if (!(explained instanceof Refusal)) onTrouble(explained);
    return inBatch(refusalOf(explained));
  }

  /** Each part is judged by its own address. Small ones are packed, all others stored one by one. */
  async function storeParts(parts: readonly BatchedPart[]): Promise<BatchPutAnswer[]> {
    const answers: BatchPutAnswer[] = [];
    const packing = packer.request();
    try {
      for (const [index, { target, bytes }] of parts.entries()) {
        if (index % atOnce === atOnce - 1) await nextTurn();
        try {
          const part = authorize(target, bytes.length);
          const packed = packing.add(index, { ...part, bytes });
          if (!packed && part.signed.batched) throw sentBefore();
          answers[index] = { etag: packed ? packed.etag : store(part, bytes) };
        } catch (error) {
          answers[index] = refused(error);
        }
      }
      for (const { indexes, write } of packing.toWrite()) {
        try {
          await write();
        } catch (error) {
          const answer = refused(error);
          for (const index of indexes) answers[index] = answer;
        }
      }
    } finally {
      packing.end();
    }
    return answers;
  }

  /** `query` is the request's, without `?`. */
  return async (request: IncomingMessage, response: ServerResponse, query: string, expectsContinue: boolean): Promise<void> => {
    // Only a sender with a valid address may occupy memory for a body.
    checkAddress(authorizingTarget(query));
    const length = batchPutLength(request.headers['content-length']);
    const memory = reserve(request);
    const buffer = buffers.take(length);
    try {
      if (expectsContinue) response.writeContinue();
      const body = batchPutAnswer(await storeParts(await receiveBatchPut(request, length, memory, buffer)));
      response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) }).end(body);
    } catch (error) {
      if (error instanceof SenderGone) return void response.destroy();
      throw error;
    } finally {
      if (buffer) buffers.give(buffer);
      memory.end();
    }
  };
}
