import { describe, expect, test } from 'vitest';
import { storageRefusal } from '#client/storage-answers.ts';

describe('what a storage refuses with', () => {
  test.each([
    [403, '<Error><Code>AccessDenied</Code><Message>Request has expired</Message></Error>', 'address_refused'],
    [401, '', 'address_refused'],
    [400, '<Error><Code>ExpiredToken</Code></Error>', 'address_refused'],
    [400, '<Error><Code>RequestTimeout</Code></Error>', 'cut'],
    [408, '', 'cut'],
    [429, '', 'storage_busy'],
    [503, '<Error><Code>SlowDown</Code></Error>', 'storage_busy'],
    [507, '', 'storage_full'],
    [500, '', 'storage_failed'],
    [502, '<html>bad gateway</html>', 'storage_failed'],
    [404, '<Error><Code>NoSuchBucket</Code></Error>', 'storage_failed'],
    [400, '', 'wrong_answer'],
    [302, '', 'wrong_answer'],
    [400, '<Error><Code>InvalidArgument</Code></Error>', 'storage_refused'],
    [416, '', 'storage_refused'],
  ])('%i %s', (status, text, code) => {
    expect(storageRefusal({ status, headers: {}, text }, 'upload').code).toBe(code);
    expect(storageRefusal({ status, headers: {}, text }, 'object').code).toBe(code);
  });

  test('404 is of what was asked for, and the storage’s own words are passed on', () => {
    const refusal = { status: 404, headers: {}, text: '<Error><Message>The upload was aborted.</Message></Error>' };
    expect(storageRefusal(refusal, 'upload')).toMatchObject({
      code: 'upload_gone',
      message: expect.stringContaining('The upload was aborted.'),
    });
    expect(storageRefusal({ ...refusal, status: 410 }, 'object').code).toBe('object_gone');
  });

  test('a proxy that does not take a body of this size is named, with what its operator can do', () => {
    const html = '<html><title>413 Request Entity Too Large</title></html>';
    expect(storageRefusal({ status: 413, headers: {}, text: html }, 'upload')).toMatchObject({
      code: 'storage_refused',
      message: expect.stringMatching(/proxy .*413.*--storage-max-body/),
    });
  });

  test.each([
    ['The storage is full. Nothing is lost; try again when some room has been made.', undefined],
    ['Quota exceeded.', 'The storage is full: Quota exceeded.'],
  ])('a full storage that says “%s” is not said to be full twice', (said, told = said) => {
    const text = `<Error><Message>${said}</Message></Error>`;
    expect(storageRefusal({ status: 507, headers: {}, text }, 'upload').message).toBe(told);
  });

  test('Retry-After goes along', () => {
    expect(storageRefusal({ status: 503, headers: { 'retry-after': '12' }, text: '' }, 'object').retryAfter).toBe(12);
  });
});
