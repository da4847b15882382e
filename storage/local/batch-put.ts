import type { IncomingMessage } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { MemoryReservation } from './memory-budget.ts';
import { collect } from './receive.ts';
import { Refusal } from './refusal.ts';

/**
 * Batch request with many small parts. A browser needs some milliseconds for a request of any size, and another origin
 * needs a preflight request first; for files smaller than a packet that is the whole cost. The body is a line of JSON,
 * `[{ "target": "/{key}?{query}", "length": 12 }, …]`, with the path and query of each part's own address, followed by
 * the bytes of all parts, concatenated. Each address is verified as for a single part. One of them is also in the
 * query, `?for=`, so that a caller without a valid address cannot send a body.
 */

/** The path after the base path. No key has this prefix. */
export const batchPutKey = '-/parts';

const mebi = 1024 * 1024;
export const acceptedBatchPut = { parts: 1_000, headBytes: mebi, partBytes: mebi, bodyBytes: 17 * mebi } as const;

/** Parts after which the event loop gets a turn: storing one takes some 100 µs. */
const atOnce = 32;

/** Result of one part, in the order sent. The refusal is the answer that a single part would get. */
type PartAnswer =
  | { readonly etag: string }
  | { readonly status: number; readonly code: string; readonly message: string; readonly retry_after?: string };

interface NamedPart {
  readonly target: string;
  /** Bytes. */
  readonly length: number;
}

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

/** Rejects with a `Refusal` of the request as a whole, before anything is stored, or with `SenderGone`. */
export async function receiveBatchPut(request: IncomingMessage, length: number, { store, memory }: BatchPutPorts): Promise<PartAnswer[]> {
  const body = Buffer.concat(await collect(request, length, memory), length);
  const { parts, headLength } = partsIn(body);
  const answers: PartAnswer[] = [];
  let at = headLength;
  for (const [index, part] of parts.entries()) {
    if (index % atOnce === atOnce - 1) await nextTurn();
    answers.push(answerFor(part, body.subarray(at, at + part.length), store));
    at += part.length;
  }
  return answers;
}

function answerFor({ target }: NamedPart, bytes: Buffer, store: BatchPutPorts['store']): PartAnswer {
  try {
    return { etag: store(target, bytes) };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { status, code, message, headers } = error;
    const retryAfter = headers['Retry-After'];
    return { status, code, message, ...(retryAfter === undefined ? {} : { retry_after: retryAfter }) };
  }
}

const malformed = (why: string): Refusal => new Refusal(400, 'MalformedParts', `The parts are not as they should be: ${why}.`);

function partsIn(body: Buffer): { readonly parts: readonly NamedPart[]; readonly headLength: number } {
  const end = body.subarray(0, acceptedBatchPut.headBytes).indexOf('\n');
  if (end < 0) throw malformed('no line says what they are');
  const parts = listIn(body.toString('utf8', 0, end));
  if (parts.length === 0 || parts.length > acceptedBatchPut.parts) throw malformed(`there are ${parts.length} of them`);
  const bytes = parts.reduce((sum, { length }) => sum + length, 0);
  if (end + 1 + bytes !== body.length) throw malformed(`they name ${bytes} bytes where ${body.length - end - 1} came`);
  return { parts, headLength: end + 1 };
}

function listIn(line: string): readonly NamedPart[] {
  let list: unknown;
  try {
    list = JSON.parse(line);
  } catch {
    throw malformed('their line is no JSON');
  }
  if (!Array.isArray(list) || !list.every(isNamedPart)) throw malformed('each has a target and a length of at most 1 MiB');
  return list;
}

function isNamedPart(value: unknown): value is NamedPart {
  if (typeof value !== 'object' || value === null) return false;
  const { target, length } = value as Partial<Record<keyof NamedPart, unknown>>;
  return (
    typeof target === 'string' &&
    target.startsWith('/') &&
    typeof length === 'number' &&
    Number.isSafeInteger(length) &&
    length >= 0 &&
    length <= acceptedBatchPut.partBytes
  );
}
