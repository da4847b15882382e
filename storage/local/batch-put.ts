import type { IncomingMessage } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { MemoryReservation } from '#net/memory-budget.ts';
import { acceptedBatchPut, type BatchPutAnswer, type NamedPart, parseBatchPutHead } from '#protocol/storage/batch-put.ts';
import { collect } from './receive.ts';
import { inBatch, Refusal } from './refusal.ts';

/** Parts after which the event loop gets a turn: storing one takes some 100 µs. */
const atOnce = 32;

interface BatchPutPorts {
  /** Stores one part and returns its etag. Throws a `Refusal`. */
  readonly store: (target: string, bytes: Buffer) => string;
  readonly memory: MemoryReservation;
}

/** The body's stated length, if it is within the limit. */
export function batchPutLength(stated: string | undefined): number {
  if (stated === undefined) throw new Refusal(411, 'MissingContentLength', 'Send the parts with a Content-Length.');
  const length = Number(stated);
  if (length > acceptedBatchPut.bodyBytes) {
    throw new Refusal(413, 'EntityTooLarge', `The body has ${length} bytes where at most ${acceptedBatchPut.bodyBytes} are taken.`);
  }
  return length;
}

/**
 * Receives a batch of parts (protocol/storage/batch-put.ts). Rejects with a `Refusal` of the request as a whole, before anything is stored, or with
 * `SenderGone`.
 */
export async function receiveBatchPut(
  request: IncomingMessage,
  length: number,
  { store, memory }: BatchPutPorts,
): Promise<BatchPutAnswer[]> {
  const body = Buffer.concat(await collect(request, length, memory), length);
  const { parts, headLength } = partsIn(body);
  const answers: BatchPutAnswer[] = [];
  let at = headLength;
  for (const [index, part] of parts.entries()) {
    if (index % atOnce === atOnce - 1) await nextTurn();
    answers.push(answerFor(part, body.subarray(at, at + part.length), store));
    at += part.length;
  }
  return answers;
}

function answerFor({ target }: NamedPart, bytes: Buffer, store: BatchPutPorts['store']): BatchPutAnswer {
  try {
    return { etag: store(target, bytes) };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return inBatch(error);
  }
}

const malformed = (why: string): Refusal => new Refusal(400, 'MalformedParts', `The parts are not as they should be: ${why}.`);

function partsIn(body: Buffer): { readonly parts: readonly NamedPart[]; readonly headLength: number } {
  const end = body.subarray(0, acceptedBatchPut.headBytes).indexOf('\n');
  if (end < 0) throw malformed('no line says what they are');
  const parts = parseBatchPutHead(body.toString('utf8', 0, end));
  if ('malformed' in parts) throw malformed(parts.malformed);
  const bytes = parts.reduce((sum, { length }) => sum + length, 0);
  if (end + 1 + bytes !== body.length) throw malformed(`they name ${bytes} bytes where ${body.length - end - 1} came`);
  return { parts, headLength: end + 1 };
}
