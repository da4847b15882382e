import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { partQueries, verifyPartQuery } from '#storage/part-address.ts';

const secret = Buffer.alloc(32, 1);
const key = '019aa1b2-0000-7000-8000-000000000000';
const expiresAt = new Date('2026-01-01T00:00:00.900Z');
const before = Date.parse('2025-12-31T23:59:59.000Z');
const parts = [
  { partNumber: 1, size: 10, maxSize: 10 },
  { partNumber: 2, size: null, maxSize: 5 * 2 ** 40 },
  { partNumber: 10_000, size: 0, maxSize: 10 },
];

describe.each([
  ['an upload', '0123456789abcdef0123456789abcdef'],
  ['an upload that may be packed', '0123456789ab8def0123456789abcdef'],
])('the address of a part of %s', (_, uploadId) => {
  const queries = partQueries(secret, key, uploadId, parts, expiresAt);
  const [query] = queries as [string, ...string[]];

  test('gives its facts back', () => {
    expect(queries.map((each) => verifyPartQuery(secret, key, each, before))).toEqual([
      { kind: 'valid', part: { uploadId, partNumber: 1, size: 10, exact: true } },
      { kind: 'valid', part: { uploadId, partNumber: 2, size: 5 * 2 ** 40, exact: false } },
      { kind: 'valid', part: { uploadId, partNumber: 10_000, size: 0, exact: true } },
    ]);
  });

  test('is the same whether it was made alone or among others', () => {
    expect(parts.map((part) => partQueries(secret, key, uploadId, [part], expiresAt)[0])).toEqual(queries);
  });

  test('ends at its second', () => {
    expect(verifyPartQuery(secret, key, query, Date.parse('2025-12-31T23:59:59.999Z')).kind).toBe('valid');
    expect(verifyPartQuery(secret, key, query, Date.parse('2026-01-01T00:00:00.000Z')).kind).toBe('expired');
  });

  test.each([
    ['another key', () => verifyPartQuery(secret, key.replace('9', '8'), query, before)],
    ['another secret', () => verifyPartQuery(Buffer.alloc(32, 2), key, query, before)],
    ['another upload', () => verifyPartQuery(secret, key, query.replace('uploadId=0', 'uploadId=1'), before)],
    [
      'an upload of the other kind',
      () =>
        verifyPartQuery(
          secret,
          key,
          query.replace(/(?<=^uploadId=.{12})[8c]/, (mark) => (mark === '8' ? 'c' : '8')),
          before,
        ),
    ],
    ['a later end', () => verifyPartQuery(secret, key, query.replace(/expires=\d+/, 'expires=9999999999'), before)],
    ['another part', () => verifyPartQuery(secret, key, query.replace('partNumber=1', 'partNumber=2'), before)],
    ['another size', () => verifyPartQuery(secret, key, query.replace('size=10', 'size=11'), before)],
    ['a size that is only the greatest', () => verifyPartQuery(secret, key, query.replace('size=', 'maxSize='), before)],
    ['the signature of its neighbour', () => verifyPartQuery(secret, key, query.slice(0, -32) + queries[1]!.slice(-32), before)],
    ['a signature in capitals', () => verifyPartQuery(secret, key, query.slice(0, -32) + query.slice(-32).toUpperCase(), before)],
    ['another spelling of a number', () => verifyPartQuery(secret, key, query.replace('size=', 'size=0'), before)],
    ['an added fact', () => verifyPartQuery(secret, key, `${query}&size=99`, before)],
    ['no signature', () => verifyPartQuery(secret, key, query.replace(/&signature.*/, ''), before)],
    ['nothing', () => verifyPartQuery(secret, key, '', before)],
  ])('is refused with %s', (_, judge) => {
    expect(judge().kind).toBe('invalid');
  });

  test('is refused with any one character changed', () => {
    fc.assert(
      fc.property(fc.nat(query.length - 1), fc.constantFrom(...'0afZ-_&='), (index, character) => {
        fc.pre(query[index] !== character);
        const changed = query.slice(0, index) + character + query.slice(index + 1);
        expect(verifyPartQuery(secret, key, changed, before).kind).toBe('invalid');
      }),
    );
  });
});
