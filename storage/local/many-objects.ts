import type { IncomingMessage } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { BufferPool } from './buffer-pool.ts';
import { collect } from './receive.ts';
import { Refusal } from './refusal.ts';

/**
 * Many small objects in one answer, the way down's twin of many-parts.ts. The body is a JSON array of the path and
 * query of each object's own address, `["/{key}?{query}", …]`. The answer begins with a line of JSON that says of each,
 * in the order asked, how long it is or why it is refused; then their bytes come, one after the other. Each address is
 * judged as if it came alone; one of them stands in the query too, `?for=`, so that no body is read for somebody who
 * has none. All is read before the answer begins, so what cannot be read is refused by itself and cuts off no other.
 */

/** Behind the base path. No key begins so. */
export const manyObjectsKey = '-/objects';

const mebi = 1024 * 1024;
/** Larger objects, and those beyond `bytes` in all, are refused: they cost a request of their own no more than it is worth. */
export const manyObjectsLimits = { objects: 1_000, bodyBytes: mebi, objectBytes: 256 * 1024, bytes: 4 * mebi } as const;

/** Milliseconds in which files are read before others get a turn. */
const turnMs = 5;

/** An object whose address allows it to be read. */
export interface FoundObject {
  /** Bytes. */
  readonly size: number;
  /** Reads all of it to the beginning of a buffer. Throws a `Refusal`. */
  readonly readInto: (buffer: Buffer) => void;
}

export interface ManyObjectsPorts {
  /** Judges an address. Throws a `Refusal`. */
  readonly find: (target: string) => FoundObject;
  /** Buffers, none smaller than an object may be. */
  readonly pool: BufferPool;
}

/** Objects that are read, with what says which they are. */
export interface ReadObjects {
  readonly head: Buffer;
  /** Their bytes, in order. */
  readonly stretches: readonly Buffer[];
  /** Nothing of them is used any more. */
  giveBack(): void;
}

/** What became of one object, in the order asked. The refusal is what its own address would have been answered. */
type ObjectAnswer =
  | { readonly length: number }
  | { readonly status: number; readonly code: string; readonly message: string; readonly retry_after?: string };

/** The bytes that the body says it has, if they are not too many. */
export function manyObjectsLength(stated: string | undefined): number {
  if (stated === undefined) throw new Refusal(411, 'MissingContentLength', 'Send the addresses with a Content-Length.');
  const length = Number(stated);
  if (length > manyObjectsLimits.bodyBytes) {
    throw new Refusal(413, 'EntityTooLarge', `The body has ${length} bytes where at most ${manyObjectsLimits.bodyBytes} are taken.`);
  }
  return length;
}

/** Rejects with a `Refusal` of the request as a whole, or with `SenderGone`. */
export async function receiveTargets(request: IncomingMessage, length: number): Promise<readonly string[]> {
  const text = Buffer.concat(await collect(request, length), length).toString('utf8');
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch {
    throw malformed('they are no JSON');
  }
  if (!Array.isArray(list) || !list.every(isTarget)) throw malformed('each is a text that begins with a slash');
  if (list.length === 0 || list.length > manyObjectsLimits.objects) throw malformed(`there are ${list.length} of them`);
  return list;
}

const isTarget = (value: unknown): value is string => typeof value === 'string' && value.startsWith('/');

const malformed = (why: string): Refusal => new Refusal(400, 'MalformedObjects', `The addresses are not as they should be: ${why}.`);

/** Reads what the addresses name. What of it fails is no `Refusal` only where the program is at fault. */
export async function readManyObjects(targets: readonly string[], { find, pool }: ManyObjectsPorts): Promise<ReadObjects> {
  const taken: { readonly buffer: Buffer; length: number }[] = [];
  const answers: ObjectAnswer[] = [];
  let bytes = 0;
  let turnBegan = performance.now();

  function read(target: string): ObjectAnswer {
    const { size, readInto } = find(target);
    if (size > manyObjectsLimits.objectBytes || bytes + size > manyObjectsLimits.bytes) {
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
