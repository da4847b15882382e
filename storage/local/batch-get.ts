import type { IncomingMessage } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { smallFileSize } from '#protocol/limits.ts';
import type { BufferPool } from './buffer-pool.ts';
import type { MemoryReservation } from './memory-budget.ts';
import { collect } from './receive.ts';
import { Refusal } from './refusal.ts';

/**
 * Batch answer with many small objects; batch-put.ts does the same for uploads. The request's body is a JSON array
 * with the path and query of each object's own address, `["/{key}?{query}", …]`. The answer begins with a line of JSON
 * that has, in the order of the request, each object's length or the reason of its refusal; then all bytes follow,
 * concatenated. Each address is verified as for a single request. One of them is also in the query, `?for=`, so that a
 * caller without a valid address cannot send a body. All objects are read before the answer begins, so an unreadable
 * object is refused on its own and cuts off no other.
 */

/** The path after the base path. No key has this prefix. */
export const batchGetKey = '-/objects';

const mebi = 1024 * 1024;
/**
 * Larger objects, and those beyond `bytes` in total, are refused: the cost of a request for each is small compared to
 * their size.
 */
export const acceptedBatchGet = { objects: 1_000, bodyBytes: mebi, objectBytes: smallFileSize, bytes: 4 * mebi } as const;

/** Milliseconds of reading files before the event loop gets a turn. */
const turnMs = 5;

/** An object that its address authorizes to read. */
export interface FoundObject {
  /** Bytes. */
  readonly size: number;
  /** Reads the whole object to the beginning of a buffer. Throws a `Refusal`. */
  readonly readInto: (buffer: Buffer) => void;
}

interface BatchGetPorts {
  /** Verifies an address. Throws a `Refusal`. */
  readonly find: (target: string) => FoundObject;
  /** Buffers, each at least as large as the largest allowed object. */
  readonly pool: BufferPool;
}

/** The bytes of objects, with the line that describes them. */
interface ReadObjects {
  readonly head: Buffer;
  /** Their bytes, in order. */
  readonly stretches: readonly Buffer[];
  /** Returns the buffers to the pool; call it when they are no longer used. */
  giveBack(): void;
}

/** Result of one object, in the order of the request. The refusal is the answer that a single request would get. */
type ObjectAnswer =
  | { readonly length: number }
  | { readonly status: number; readonly code: string; readonly message: string; readonly retry_after?: string };

/** The body's stated length, if it is within the limit. */
export function batchGetLength(stated: string | undefined): number {
  if (stated === undefined) throw new Refusal(411, 'MissingContentLength', 'Send the addresses with a Content-Length.');
  const length = Number(stated);
  if (length > acceptedBatchGet.bodyBytes) {
    throw new Refusal(413, 'EntityTooLarge', `The body has ${length} bytes where at most ${acceptedBatchGet.bodyBytes} are taken.`);
  }
  return length;
}

/** Rejects with a `Refusal` of the request as a whole, or with `SenderGone`. */
export async function receiveTargets(request: IncomingMessage, length: number, memory: MemoryReservation): Promise<readonly string[]> {
  const text = Buffer.concat(await collect(request, length, memory), length).toString('utf8');
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch {
    throw malformed('they are no JSON');
  }
  if (!Array.isArray(list) || !list.every(isTarget)) throw malformed('each is a text that begins with a slash');
  if (list.length === 0 || list.length > acceptedBatchGet.objects) throw malformed(`there are ${list.length} of them`);
  return list;
}

const isTarget = (value: unknown): value is string => typeof value === 'string' && value.startsWith('/');

const malformed = (why: string): Refusal => new Refusal(400, 'MalformedObjects', `The addresses are not as they should be: ${why}.`);

/** Reads the objects of the addresses. Failures other than a `Refusal` are bugs of this program. */
export async function readBatch(targets: readonly string[], { find, pool }: BatchGetPorts): Promise<ReadObjects> {
  const taken: { readonly buffer: Buffer; length: number }[] = [];
  const answers: ObjectAnswer[] = [];
  let bytes = 0;
  let turnBegan = performance.now();

  function read(target: string): ObjectAnswer {
    const { size, readInto } = find(target);
    if (size > acceptedBatchGet.objectBytes || bytes + size > acceptedBatchGet.bytes) {
      throw new Refusal(413, 'EntityTooLarge', 'This object is too large to come with others. Ask for it by itself.');
    }
    let last = taken.at(-1);
    if (!last || last.length + size > last.buffer.length) {
      last = { buffer: pool.take(), length: 0 };
      taken.push(last);
    }
    readInto(last.buffer.subarray(last.length, last.length + size));
    last.length += size;
    bytes += size;
    return { length: size };
  }

  const giveBack = (): void => {
    for (const { buffer } of taken.splice(0)) pool.give(buffer);
  };
  try {
    for (const target of targets) {
      if (performance.now() - turnBegan > turnMs) {
        await nextTurn();
        turnBegan = performance.now();
      }
      try {
        answers.push(read(target));
      } catch (error) {
        answers.push(refused(error));
      }
    }
  } catch (error) {
    giveBack();
    throw error;
  }
  const head = Buffer.from(`${JSON.stringify(answers)}\n`);
  return { head, stretches: taken.map(({ buffer, length }) => buffer.subarray(0, length)), giveBack };
}

function refused(error: unknown): ObjectAnswer {
  if (!(error instanceof Refusal)) throw error;
  const { status, code, message, headers } = error;
  const retryAfter = headers['Retry-After'];
  return { status, code, message, ...(retryAfter === undefined ? {} : { retry_after: retryAfter }) };
}
