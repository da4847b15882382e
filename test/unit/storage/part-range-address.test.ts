import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { partRangeQuery, verifyPartRangeQuery } from '#storage/part-range-address.ts';
import type { PartRange } from '#storage/ports.ts';
import { signedQuery } from '#storage/signature.ts';

const secret = Buffer.alloc(32, 1);
const key = '019aa1b2-0000-7000-8000-000000000000';
const uploadId = '0123456789abcdef0123456789abcdef';
const expiresAt = new Date('2026-01-01T00:00:00.900Z');
const before = Date.parse('2025-12-31T23:59:59.000Z');

const template = (range: PartRange) => partRangeQuery(secret, key, uploadId, range, expiresAt);
const numbered = (query: string, number: number | string) => query.replace('{part_number}', String(number));
const verify = (query: string, now = before) => verifyPartRangeQuery(secret, key, query, now);

const range = { first: 3, last: 12, partSize: 10, size: 115 };
const query = numbered(template(range), 3);

describe('one address for many parts', () => {
  test('permits each part of its range, in the size that it has', () => {
    const sizeOf = (number: number) => verify(numbered(template(range), number));
    for (const number of [3, 4, 11]) {
      expect(sizeOf(number)).toEqual({ kind: 'valid', part: { uploadId, partNumber: number, size: 10, exact: true } });
    }
    expect(sizeOf(12)).toEqual({ kind: 'valid', part: { uploadId, partNumber: 12, size: 5, exact: true } });
  });

  test('permits parts of up to the size of a part where the size of the file is unknown', () => {
    const unknown = template({ ...range, size: null });
    expect(verify(numbered(unknown, 12))).toEqual({ kind: 'valid', part: { uploadId, partNumber: 12, size: 10, exact: false } });
  });

  test('permits the one part of a file without bytes', () => {
    const empty = template({ first: 1, last: 1, partSize: 10, size: 0 });
    expect(verify(numbered(empty, 1))).toEqual({ kind: 'valid', part: { uploadId, partNumber: 1, size: 0, exact: true } });
  });

  test('ends at its second', () => {
    expect(verify(query, Date.parse('2025-12-31T23:59:59.999Z')).kind).toBe('valid');
    expect(verify(query, Date.parse('2026-01-01T00:00:00.000Z')).kind).toBe('expired');
  });

  test.each([0, 1, 2, 13, 100, '03', '3.5', '-3', '{part_number}', '', '3&partNumber=4'])('refuses the number %s', (number) => {
    expect(verify(numbered(template(range), number)).kind).toBe('invalid');
  });

  test.each([
    ['another key', () => verifyPartRangeQuery(secret, key.replace('9', '8'), query, before)],
    ['another secret', () => verifyPartRangeQuery(Buffer.alloc(32, 2), key, query, before)],
    ['a longer range', () => verify(query.replace('last=12', 'last=13'))],
    ['an earlier beginning', () => verify(query.replace('first=3', 'first=1'))],
    ['larger parts', () => verify(query.replace('partSize=10', 'partSize=11'))],
    ['another size', () => verify(query.replace('&size=115', '&size=116'))],
    ['no size', () => verify(query.replace('&size=115', ''))],
    ['an added fact', () => verify(`${query}&size=99`)],
    ['no signature', () => verify(query.replace(/&signature.*/, ''))],
    ['nothing', () => verify('')],
    ['an address of an object', () => verify(`partNumber=3&${signedQuery(secret, 'GET', key, [['fileName', 'a']], expiresAt)}`)],
    ['an address that begins an upload', () => verify(`partNumber=3&${signedQuery(secret, 'POST', key, [['uploads', '']], expiresAt)}`)],
  ])('is refused with %s', (_, judge) => {
    expect(judge().kind).toBe('invalid');
  });

  test('is refused with any one character changed', () => {
    fc.assert(
      fc.property(fc.nat(query.length - 1), fc.constantFrom(...'0afZ-_&='), (index, character) => {
        fc.pre(query[index] !== character);
        expect(verify(query.slice(0, index) + character + query.slice(index + 1)).kind).toBe('invalid');
      }),
    );
  });
});
