import { smallFileSize } from '../limits.ts';
import { type BatchRefusal, batchAddress, type Malformed, targetOf } from './requests.ts';

/** Many small objects in one answer (contract/storage.md §6). */

const mebi = 1024 * 1024;

/**
 * What the storage takes and gives in one request; sizes in bytes. Larger objects, and those beyond `bytes` in total, are
 * refused: the cost of a request for each is small compared to their size.
 */
export const acceptedBatchGet = { objects: 1_000, bodyBytes: mebi, objectBytes: smallFileSize, bytes: 4 * mebi } as const;

/** What the answer's first line says of one object, in the order asked. */
export type BatchGetAnswer = { readonly length: number } | BatchRefusal;

/**
 * @param url the storage's address for such requests (`many_objects_url`)
 * @param addresses the objects' own
 */
export const batchGetAddress = (url: string, addresses: readonly string[]): string => batchAddress(url, addresses[0]!);

/** The request's body: path and query of each object's own address. */
export const batchGetBody = (addresses: readonly string[]): string => JSON.stringify(addresses.map(targetOf));

/** The request's body as the storage reads it. */
export function parseBatchGetBody(text: string): readonly string[] | Malformed {
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch {
    return { malformed: 'they are no JSON' };
  }
  if (!Array.isArray(list) || !list.every(isTarget)) return { malformed: 'each is a text that begins with a slash' };
  return list.length === 0 || list.length > acceptedBatchGet.objects ? { malformed: `there are ${list.length} of them` } : list;
}

const isTarget = (value: unknown): value is string => typeof value === 'string' && value.startsWith('/');

/** The text before the bytes. */
export const batchGetHead = (answers: readonly BatchGetAnswer[]): string => `${JSON.stringify(answers)}\n`;

/**
 * The first line as a receiver reads it, without its line feed: the length of each object in the answer, `null` for one
 * that was refused. `null` as a whole if it is no answer for these.
 *
 * @param asked the lengths that the objects should have: none may be longer than the longest of them
 */
export function parseBatchGetHead(line: string, asked: readonly number[]): readonly (number | null)[] | null {
  let list: unknown;
  try {
    list = JSON.parse(line);
  } catch {
    return null;
  }
  if (!Array.isArray(list) || list.length !== asked.length) return null;
  const max = Math.max(...asked);
  const lengths: (number | null)[] = [];
  for (const one of list as readonly unknown[]) {
    if (typeof one !== 'object' || one === null) return null;
    const { length } = one as { readonly length?: unknown };
    if (length !== undefined && (typeof length !== 'number' || !Number.isSafeInteger(length) || length < 0 || length > max)) return null;
    lengths.push(length ?? null);
  }
  return lengths;
}
