import { describe, expect, test } from 'vitest';
import type { errorCatalogue } from '#protocol/errors.ts';
import { objectDigest } from '#storage/digests.ts';
import { StorageError, type StorageErrorCode, toApiError } from '#storage/errors.ts';
import { isKey } from '#storage/keys.ts';
import { errorDocument } from '#storage/xml.ts';

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
