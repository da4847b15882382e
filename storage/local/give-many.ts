import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { BufferPool } from './buffer-pool.ts';
import { diskError, isAbsent } from './disk-errors.ts';
import type { Layout } from './layout.ts';
import { type FoundObject, manyObjectsLength, manyObjectsLimits, readManyObjects, receiveTargets } from './many-objects.ts';
import { MemoryBudget } from './memory-budget.ts';
import { stretches } from './ranges.ts';
import { SenderGone } from './receive.ts';
import { noSuchObject, Refusal, refusalOf } from './refusal.ts';
import { readInto, sendBuffers } from './send.ts';
import { type LocalUploads, objectOf } from './uploads.ts';

export interface ManyGiverPorts {
  readonly layout: Layout;
  readonly uploads: LocalUploads;
  readonly pool: BufferPool;
  /** The key of an object that an address, path and query, allows to be read. Throws a `Refusal`. */
  readonly keyOf: (target: string) => string;
  /** Told of failures that are not the caller's. */
  readonly onTrouble: (error: Error) => void;
}

/**
 * Bytes of answers under way. Apart from what senders have, so that whoever fetches slowly holds up nobody but others
 * that fetch so; who finds it used up is told to wait, and may fetch one by one.
 */
const memory = 128 * 1024 * 1024;

/** Answers requests for many objects (many-objects.ts). Rejects with a `Refusal` of the request as a whole. */
export function createManyGiver({ layout, uploads, pool, keyOf, onTrouble }: ManyGiverPorts) {
  const budget = new MemoryBudget(memory);

  function explained<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (isAbsent(error)) throw noSuchObject();
      const failure = diskError(error);
      onTrouble(failure);
      throw refusalOf(failure);
    }
  }

  function find(target: string): FoundObject {
    const key = keyOf(target);
    const parts = explained(() => uploads.objectParts(key));
    if (!parts) throw noSuchObject();
    const { size } = objectOf(parts);
    const readAll = (buffer: Buffer): void => {
      let at = 0;
      for (const stretch of stretches(parts, 0, size - 1)) {
        readInto(buffer.subarray(at), join(layout.object(key), stretch.file), stretch);
        at += stretch.length;
      }
    };
    return { size, readInto: (buffer) => explained(() => readAll(buffer)) };
  }

  /** `query` is that of the request, without `?`. */
  return async (request: IncomingMessage, response: ServerResponse, query: string, expectsContinue: boolean): Promise<void> => {
    // Nobody who may not fetch any object makes us hold a body.
    keyOf(new URLSearchParams(query).get('for') ?? '');
    const length = manyObjectsLength(request.headers['content-length']);
    const held = length + manyObjectsLimits.bytes;
    if (!budget.take(held)) {
      throw new Refusal(503, 'SlowDown', 'Too many objects are being fetched. Try again in a second.', { 'Retry-After': '1' });
    }
    try {
      if (expectsContinue) response.writeContinue();
      const { head, stretches: bytes, giveBack } = await readManyObjects(await receiveTargets(request, length), { find, pool });
      response.writeHead(200, {
        'Content-Type': 'application/octet-stream',
        'Content-Length': bytes.reduce((sum, one) => sum + one.length, head.length),
        'Cache-Control': 'private, no-transform',
      });
      if (await sendBuffers(response, [head, ...bytes])) giveBack();
    } catch (error) {
      if (error instanceof SenderGone) return void response.destroy();
      throw error;
    } finally {
      budget.give(held);
    }
  };
}
