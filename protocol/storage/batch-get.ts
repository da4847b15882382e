import { smallFileSize } from '../limits.ts';
import { type BatchRefusal, batchAddress, type Malformed, targetsOf } from './requests.ts';

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
export const batchGetBody = (addresses: readonly string[]): string => JSON.stringify(targetsOf(addresses));

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

/** Objects by their keys, for all of which the storage gave one address. */
export interface SharedBatchGet {
  /** All of them, in the order of the address. */
  readonly keys: readonly string[];
  /** Positions in `keys` of those to send, in the order of the answer. */
  readonly wanted: readonly number[];
}

/** The request's body where one address stands for all objects. */
export const sharedBatchGetBody = ({ keys, wanted }: SharedBatchGet): string =>
  JSON.stringify(wanted.length === keys.length ? { objects: keys } : { objects: keys, wanted });

/** The same as the storage reads it. */
export function parseSharedBatchGetBody(text: string): SharedBatchGet | Malformed {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return { malformed: 'they are no JSON' };
  }
  const { objects: keys, wanted = null } = typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
  if (!Array.isArray(keys) || !keys.every((key): key is string => typeof key === 'string')) {
    return { malformed: '`objects` is a list of keys where one address stands for all of them' };
  }
  if (keys.length === 0 || keys.length > acceptedBatchGet.objects) return { malformed: `there are ${keys.length} of them` };
  if (wanted === null) return { keys, wanted: [...keys.keys()] };
  const isPosition = (value: unknown): value is number =>
    Number.isInteger(value) && (value as number) >= 0 && (value as number) < keys.length;
  if (!Array.isArray(wanted) || wanted.length === 0 || !wanted.every(isPosition) || new Set(wanted).size < wanted.length) {
    return { malformed: '`wanted` holds positions in `objects`, each once' };
  }
  return { keys, wanted };
}

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
