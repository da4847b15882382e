import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { errorCatalogue } from '#protocol/errors.ts';
import { hexOfEtag, objectDigest } from '#storage/digests.ts';
import { attachment } from '#storage/disposition.ts';
import { StorageError, type StorageErrorCode, toApiError } from '#storage/errors.ts';
import { isKey } from '#storage/keys.ts';
import { errorDocument } from '#storage/xml.ts';

describe('Content-Disposition', () => {
  test.each([
    ['a.mov', `attachment; filename="a.mov"; filename*=UTF-8''a.mov`],
    ['é"\\%.txt', `attachment; filename="____.txt"; filename*=UTF-8''%C3%A9%22%5C%25.txt`],
    ['日本 (1).mov', `attachment; filename="__ (1).mov"; filename*=UTF-8''%E6%97%A5%E6%9C%AC%20%281%29.mov`],
  ])('of %s', (name, header) => {
    expect(attachment(name)).toBe(header);
  });

  test('can never break out of its header', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (name) => {
        const header = attachment(name);
        expect(header).toMatch(/^attachment; filename="[\x20-\x21\x23-\x5b\x5d-\x7e]*"; filename\*=UTF-8''[A-Za-z0-9%._~-]*$/);
        expect(decodeURIComponent(header.slice(header.indexOf("''") + 2))).toBe(name.toWellFormed());
      }),
    );
  });
});

describe('keys', () => {
  test.each(['a', 'a/b', 'A-1_2.3/x', '0197f3c2-aaaa/0197f3c2'])('takes %s', (key) => expect(isKey(key)).toBe(true));
  test.each(['', '/', 'a/', '/a', 'a//b', '..', 'a/..', '.a', 'a\0', 'a\n', 'a b', 'a~b', 'a@b', 'é', 'a'.repeat(181)])(
    'refuses %j',
    (key) => expect(isKey(key)).toBe(false),
  );
});

describe('digests', () => {
  test('the digest of an object is that of its parts’ binary digests', () => {
    // BLAKE3 of 32 zero bytes twice, from the reference implementation's hasher over 64 zero bytes.
    expect(objectDigest(['00'.repeat(32), '00'.repeat(32)])).toBe(
      'blake3:4d006976636a8696d909a630a4081aad4d7c50f81afdee04020bf05086ab6a55',
    );
  });

  test.each(['b3-', `b3-${'0'.repeat(63)}`, `b3-${'G'.repeat(64)}`, `"b3-${'0'.repeat(64)}"`, '0'.repeat(64)])(
    '%s is none of our etags',
    (etag) => {
      expect(hexOfEtag(etag)).toBeNull();
    },
  );
});

describe('errors', () => {
  const codes: readonly [StorageErrorCode, keyof typeof errorCatalogue, boolean][] = [
    ['storage_full', 'service_storage_full', true],
    ['storage_read_only', 'storage_unavailable', true],
    ['storage_unavailable', 'storage_unavailable', true],
    ['storage_refused', 'storage_refused', false],
    ['storage_misconfigured', 'internal', false],
    ['no_such_upload', 'no_such_upload', false],
    ['no_such_object', 'not_found', false],
    ['part_missing', 'chunk_wrong', false],
    ['invalid_key', 'internal', false],
    ['cannot_listen', 'internal', false],
    ['range_not_satisfiable', 'range_not_satisfiable', false],
  ];

  test.each(codes)('%s is %s to a caller', (code, name, retryable) => {
    const error = new StorageError(code, 'What happened.', { cause: new Error('why'), details: { partNumber: 3, size: 9 } });
    expect([toApiError(error).error, error.retryable]).toEqual([name, retryable]);
    expect(toApiError(error).cause).toBe(error);
  });

  test('an XML answer escapes what it says', () => {
    expect(errorDocument('A&B', `<a href="x">'`)).toContain('<Code>A&amp;B</Code><Message>&lt;a href=&quot;x&quot;&gt;&apos;</Message>');
  });
});
