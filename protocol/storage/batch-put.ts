import type { Blueprint } from '../schema.ts';
import { type BatchRefusal, batchAddress, type Malformed, targetsOf } from './requests.ts';

/**
 * Many small parts in one request (contract/storage.md §5). A browser needs some milliseconds for a request of any size,
 * and another origin needs a preflight request first; for files smaller than a packet that is the whole cost.
 */

const mebi = 1024 * 1024;

/** What the storage takes in one request; sizes in bytes. Senders fill less, so that a retry costs less. */
export const acceptedBatchPut = { parts: 1_000, partBytes: mebi, headBytes: mebi, bodyBytes: 17 * mebi } as const;

interface BatchPart {
  readonly blueprint: Blueprint;
  /** Bytes. */
  readonly length: number;
}

/** One part in the first line. */
export interface NamedPart {
  /** Path and query of its own address. */
  readonly target: string;
  /** Bytes. */
  readonly length: number;
}

/** The result of one part, in the order sent. */
export type BatchPutAnswer = { readonly etag: string } | BatchRefusal;

/** @param url the storage's address for such requests (`many_parts_url`) */
export const batchPutAddress = (url: string, parts: readonly BatchPart[]): string => batchAddress(url, parts[0]!.blueprint.url);

/** The text before the bytes: one line with the address and length of each part. */
export function batchPutHead(parts: readonly BatchPart[]): string {
  const targets = targetsOf(parts.map(({ blueprint }) => blueprint.url));
  return `${JSON.stringify(parts.map(({ length }, index) => ({ target: targets[index]!, length })))}\n`;
}

/** The first line as the storage reads it, without its line feed. */
export function parseBatchPutHead(line: string): readonly NamedPart[] | Malformed {
  let list: unknown;
  try {
    list = JSON.parse(line);
  } catch {
    return { malformed: 'their line is no JSON' };
  }
  if (!Array.isArray(list) || !list.every(isNamedPart)) return { malformed: 'each has a target and a length of at most 1 MiB' };
  return list.length === 0 || list.length > acceptedBatchPut.parts ? { malformed: `there are ${list.length} of them` } : list;
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

/** The answer's body. */
export const batchPutAnswer = (parts: readonly BatchPutAnswer[]): string => JSON.stringify({ parts });

/** The fields of an answer's items, not checked yet: it may be of a proxy. */
type AnsweredPart = Partial<Record<'etag' | keyof BatchRefusal, unknown>>;

/** The answer as a sender reads it; `null` if it is none for this number of parts. */
export function parseBatchPutAnswer(text: string, count: number): readonly AnsweredPart[] | null {
  try {
    const { parts } = JSON.parse(text) as { parts?: unknown };
    return Array.isArray(parts) && parts.length === count && parts.every((part) => typeof part === 'object' && part !== null)
      ? parts
      : null;
  } catch {
    return null;
  }
}
