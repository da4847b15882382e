import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { signedQuery, verifyQuery } from '#storage/signature.ts';
import { anyCharacter } from '#test/support/any-text.ts';

const secret = Buffer.alloc(32, 1);
const expiresAt = new Date('2026-01-01T00:00:00.900Z');
const before = Date.parse('2025-12-31T23:59:59.000Z');
const query = signedQuery(
  secret,
  'POST',
  'a/b',
  [
    ['partNumber', '1'],
    ['size', '10'],
  ],
  expiresAt,
);

describe('a signed query', () => {
  test('gives its facts back', () => {
    const verdict = verifyQuery(secret, 'POST', 'a/b', query, before);
    expect(verdict.kind === 'valid' && Object.fromEntries(verdict.facts)).toEqual({ partNumber: '1', size: '10', expires: '1767225600' });
  });

  test('ends at its second', () => {
    expect(verifyQuery(secret, 'POST', 'a/b', query, Date.parse('2025-12-31T23:59:59.999Z')).kind).toBe('valid');
    expect(verifyQuery(secret, 'POST', 'a/b', query, Date.parse('2026-01-01T00:00:00.000Z')).kind).toBe('expired');
  });

  test.each([
    ['another method', () => verifyQuery(secret, 'GET', 'a/b', query, before)],
    ['another key', () => verifyQuery(secret, 'POST', 'a/c', query, before)],
    ['another secret', () => verifyQuery(Buffer.alloc(32, 2), 'POST', 'a/b', query, before)],
    ['an added fact', () => verifyQuery(secret, 'POST', 'a/b', `x=1&${query}`, before)],
    ['a fact after the signature', () => verifyQuery(secret, 'POST', 'a/b', `${query}&size=99`, before)],
    [
      'facts in another order',
      () => verifyQuery(secret, 'POST', 'a/b', query.replace('partNumber=1&size=10', 'size=10&partNumber=1'), before),
    ],
    ['no signature', () => verifyQuery(secret, 'POST', 'a/b', query.replace(/&signature.*/, ''), before)],
    ['an empty signature', () => verifyQuery(secret, 'POST', 'a/b', query.replace(/signature=.*/, 'signature='), before)],
    ['nothing', () => verifyQuery(secret, 'POST', 'a/b', '', before)],
  ])('is refused with %s', (_, judge) => {
    expect(judge().kind).toBe('invalid');
  });

  test('survives any file name, as a URL parser passes it on', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (name) => {
        const signed = signedQuery(secret, 'GET', 'k', [['fileName', name]], expiresAt);
        const passedOn = new URL(`http://localhost/k?${signed}`).search.slice(1);
        const verdict = verifyQuery(secret, 'GET', 'k', passedOn, before);
        expect(verdict.kind === 'valid' && verdict.facts.get('fileName')).toBe(name.toWellFormed());
      }),
    );
  });

  test('is refused with any one character changed', () => {
    fc.assert(
      fc.property(fc.nat(query.length - 1), fc.constantFrom(...'0aZ-_&='), (index, character) => {
        fc.pre(query[index] !== character);
        const changed = query.slice(0, index) + character + query.slice(index + 1);
        expect(verifyQuery(secret, 'POST', 'a/b', changed, before).kind).toBe('invalid');
      }),
    );
  });
});
