import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { FileSystem } from '#filesystem/port.ts';
import type { MemoryReservation } from '#net/memory-budget.ts';
import { acceptedBatchGet } from '#protocol/storage/batch-get.ts';
import { authorizingTarget, objectCacheControl } from '#protocol/storage/requests.ts';
import { parsePackedKey } from '../packed-key.ts';
import { batchGetLength, type FoundObject, readBatch, receiveKeys, receiveTargets } from './batch-get.ts';
import type { BufferPool } from './buffer-pool.ts';
import { compare, partOf } from './compare.ts';
import { diskError, isAbsent } from './disk-errors.ts';
import { type Layout, objectOf } from './layout.ts';
import { stretches } from './ranges.ts';
import { SenderGone } from './receive.ts';
import { noSuchObject, refusalOf, tooMuchAtOnce } from './refusal.ts';
import type { PackedObjects, PackedReader } from './segments/packed-objects.ts';
import { readInto, sendBuffers } from './send.ts';
import type { LocalUploads } from './uploads.ts';

interface BatchGetHandlerPorts {
  readonly files: FileSystem;
  readonly layout: Layout;
  readonly uploads: LocalUploads;
  readonly objects: PackedObjects;
  readonly pool: BufferPool;
  /** The key of an object, if the address (path and query) authorizes reading it. Throws a `Refusal`. */
  readonly keyOf: (target: string) => string;
  /** The digest of the keys that the address authorizes reading; `null` for an address of one object. Throws a `Refusal`. */
  readonly digestOf: (target: string) => string | null;
  /** The receiver's memory, for the duration of its answer. */
  readonly reserve: (request: IncomingMessage, response: ServerResponse) => MemoryReservation;
  /** Called with failures that are not the caller's fault. */
  readonly onTrouble: (error: Error) => void;
}

/** Answers batch requests for objects (protocol/storage/batch-get.ts). Rejects with a `Refusal` of the request as a whole. */
export function createBatchGetHandler({
  files,
  layout,
  uploads,
  objects,
  pool,
  keyOf,
  digestOf,
  reserve,
  onTrouble,
}: BatchGetHandlerPorts) {
  function explained<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (isAbsent(error)) throw noSuchObject();
      const failure = diskError(error);
      if (failure.code === 'no_such_object') throw noSuchObject();
      onTrouble(failure);
      throw refusalOf(failure);
    }
  }

  function find(key: string, packed: PackedReader): FoundObject {
    const place = parsePackedKey(key);
    if (place) return { size: place.length, readInto: (buffer) => explained(() => packed.readInto(place, buffer)) };
    const parts = explained(() => uploads.objectParts(key));
    if (!parts) throw noSuchObject();
    const { size } = objectOf(parts);
    const readAll = (buffer: Buffer): void => {
      let at = 0;
      for (const stretch of stretches(parts, 0, size - 1)) {
        readInto(files, buffer.subarray(at), join(layout.object(key), stretch.file), stretch);
        const part = partOf(stretch);
        if (part) compare(buffer.subarray(at, at + stretch.length), part);
        at += stretch.length;
      }
    };
    return { size, readInto: (buffer) => explained(() => readAll(buffer)) };
  }

  async function readAll(targets: readonly string[], keyIn: (target: string) => string) {
    const packed = objects.reader(pool);
    try {
      return await readBatch(targets, { find: (target) => find(keyIn(target), packed), pool });
    } finally {
      packed.close();
    }
  }

  /** `query` is the request's, without `?`. */
  return async (request: IncomingMessage, response: ServerResponse, query: string, expectsContinue: boolean): Promise<void> => {
    // Only a receiver with a valid address may occupy memory for a body.
    const digest = digestOf(authorizingTarget(query));
    const length = batchGetLength(request.headers['content-length']);
    const memory = reserve(request, response);
    try {
      if (expectsContinue) response.writeContinue();
      const targets = await (digest === null ? receiveTargets(request, length, memory) : receiveKeys(request, digest, length, memory));
      // Without free memory the receiver is asked to retry later; it may also fetch the objects one by one.
      if (!memory.take(acceptedBatchGet.bytes)) throw tooMuchAtOnce();
      const { head, stretches: bytes, giveBack } = await readAll(targets, digest === null ? keyOf : (key) => key);
      memory.give(Math.max(0, acceptedBatchGet.bytes - bytes.length * pool.size));
      response.writeHead(200, {
        'Content-Type': 'application/octet-stream',
        'Content-Length': bytes.reduce((sum, one) => sum + one.length, head.length),
        'Cache-Control': objectCacheControl,
      });
      if (await sendBuffers(response, [head, ...bytes], memory)) giveBack();
    } catch (error) {
      if (error instanceof SenderGone) return void response.destroy();
      throw error;
    } finally {
      memory.end();
    }
  };
}
