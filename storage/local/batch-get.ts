import type { IncomingMessage } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { MemoryReservation } from '#net/memory-budget.ts';
import {
  acceptedBatchGet,
  type BatchGetAnswer,
  batchGetHead,
  parseBatchGetBody,
  parseSharedBatchGetBody,
} from '#protocol/storage/batch-get.ts';
import { digestOfKeys } from '../read-batch-address.ts';
import type { BufferPool } from './buffer-pool.ts';
import { collect } from './receive.ts';
import { inBatch, Refusal } from './refusal.ts';

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
  /** Verifies an address, unless it is a key that one address for all has permitted. Throws a `Refusal`. */
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

/** The body's stated length, if it is within the limit. */
export function batchGetLength(stated: string | undefined): number {
  if (stated === undefined) throw new Refusal(411, 'MissingContentLength', 'Send the addresses with a Content-Length.');
  const length = Number(stated);
  if (length > acceptedBatchGet.bodyBytes) {
    throw new Refusal(413, 'EntityTooLarge', `The body has ${length} bytes where at most ${acceptedBatchGet.bodyBytes} are taken.`);
  }
  return length;
}

const receiveText = async (request: IncomingMessage, length: number, memory: MemoryReservation): Promise<string> =>
  Buffer.concat(await collect(request, length, memory), length).toString('utf8');

/** Rejects with a `Refusal` of the request as a whole, or with `SenderGone`. */
export async function receiveTargets(request: IncomingMessage, length: number, memory: MemoryReservation): Promise<readonly string[]> {
  const targets = parseBatchGetBody(await receiveText(request, length, memory));
  if ('malformed' in targets) throw malformed(targets.malformed);
  return targets;
}

/** The keys that are wanted of those that an address stands for; `digest` is the one that it signs. Rejects as `receiveTargets`. */
export async function receiveKeys(
  request: IncomingMessage,
  digest: string,
  length: number,
  memory: MemoryReservation,
): Promise<readonly string[]> {
  const asked = parseSharedBatchGetBody(await receiveText(request, length, memory));
  if ('malformed' in asked) throw malformed(asked.malformed);
  if (digestOfKeys(asked.keys) !== digest) {
    throw new Refusal(403, 'SignatureDoesNotMatch', 'These are not the objects that this address stands for.');
  }
  return asked.wanted.map((position) => asked.keys[position]!);
}

const malformed = (why: string): Refusal => new Refusal(400, 'MalformedObjects', `The addresses are not as they should be: ${why}.`);

/**
 * Reads the objects of the addresses, all of them before the answer begins, so that an unreadable object is refused on
 * its own and cuts off no other. Failures other than a `Refusal` are bugs of this program.
 */
export async function readBatch(targets: readonly string[], { find, pool }: BatchGetPorts): Promise<ReadObjects> {
  const taken: { readonly buffer: Buffer; length: number }[] = [];
  const answers: BatchGetAnswer[] = [];
  let bytes = 0;
  let turnBegan = performance.now();

  function read(target: string): BatchGetAnswer {
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
  const head = Buffer.from(batchGetHead(answers));
  return { head, stretches: taken.map(({ buffer, length }) => buffer.subarray(0, length)), giveBack };
}

function refused(error: unknown): BatchGetAnswer {
  if (!(error instanceof Refusal)) throw error;
  return inBatch(error);
}
