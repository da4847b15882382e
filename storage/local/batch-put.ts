import type { IncomingMessage } from 'node:http';
import type { MemoryReservation } from '#net/memory-budget.ts';
import { acceptedBatchPut, type NamedPart, parseBatchPutHead } from '#protocol/storage/batch-put.ts';
import { collect, collectInto } from './receive.ts';
import { Refusal } from './refusal.ts';

/** A part of a batch, by its own address (path and query). */
export interface BatchedPart {
  readonly target: string;
  readonly bytes: Buffer;
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
 * Receives a batch of parts (protocol/storage/batch-put.ts), whose bytes follow each other in one buffer: in `into`, of at
 * least `length` bytes, if it is given. Rejects with a `Refusal` of the request as a whole, before anything is stored, or
 * with `SenderGone`.
 */
export async function receiveBatchPut(
  request: IncomingMessage,
  length: number,
  memory: MemoryReservation,
  into: Buffer | null = null,
): Promise<BatchedPart[]> {
  if (into) await collectInto(into, request, length, memory);
  const body = into ? into.subarray(0, length) : Buffer.concat(await collect(request, length, memory), length);
  const { parts, headLength } = partsIn(body);
  let at = headLength;
  return parts.map((part) => {
    const bytes = body.subarray(at, at + part.length);
    at += part.length;
    return { target: part.target, bytes };
  });
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
