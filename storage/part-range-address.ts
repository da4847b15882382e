import type { PartVerdict } from './part-address.ts';
import type { PartRange } from './ports.ts';
import { type SigningSecret, signedQuery, verifyQuery } from './signature.ts';

/**
 * One signed address for many parts of an upload: the sender puts in a part's number. The signature covers upload,
 * expiry, the first and the last number, and all sizes; so whoever has the address may send each of these parts, and
 * nothing else.
 */

/** Stands for a part's number. */
const placeholder = '{part_number}';
const beginning = 'partNumber=';
const pattern = /^partNumber=([1-9]\d{0,8})&(.+)$/;

/** The query of all parts of a range, without `?`. `expiresAt` is rounded down to whole seconds. */
export function partRangeQuery(secret: SigningSecret, key: string, uploadId: string, range: PartRange, expiresAt: Date): string {
  const { first, last, partSize, size } = range;
  const facts = Object.entries({ uploadId, first, last, partSize, ...(size !== null && { size }) });
  const signed = signedQuery(
    secret,
    'PUT',
    key,
    facts.map(([name, value]) => [name, String(value)]),
    expiresAt,
  );
  return `${beginning}${placeholder}&${signed}`;
}

/** Whether a part's query is one of a range. */
export const isOfPartRange = (query: string): boolean => query.startsWith(beginning);

/** Verifies the query of a received request for a part of a range. `now` is in milliseconds. */
export function verifyPartRangeQuery(secret: SigningSecret, key: string, query: string, now: number): PartVerdict {
  const match = pattern.exec(query);
  if (!match) return { kind: 'invalid' };
  const verdict = verifyQuery(secret, 'PUT', key, match[2]!, now);
  if (verdict.kind !== 'valid') return verdict;
  const { facts } = verdict;
  const numberOf = (name: string): number => Number(facts.get(name));
  const partNumber = Number(match[1]);
  if (partNumber < numberOf('first') || partNumber > numberOf('last')) return { kind: 'invalid' };
  const partSize = numberOf('partSize');
  const isExact = facts.has('size');
  const size = isExact ? Math.min(partSize, numberOf('size') - (partNumber - 1) * partSize) : partSize;
  return { kind: 'valid', part: { uploadId: facts.get('uploadId')!, partNumber, size, exact: isExact } };
}
