import { createHash } from 'node:crypto';
import { afterEach, describe, expect, test } from 'vitest';
import type { CopySource, UploadHandle } from '#providers/ports.ts';
import { isMadeOf } from '#providers/s3/copies.ts';
import { createS3Storage } from '#storage/s3/s3-storage.ts';
import { parseS3Url } from '#storage/s3/settings.ts';
import { failureOf } from '#test/support/providers/conformance.ts';
import { closeScripted, error, never, providerAt, serve, xml } from '#test/support/providers/scripted-s3.ts';

afterEach(closeScripted);

const mebibyte = 1024 * 1024;
const md5 = (text: string | Buffer) => createHash('md5').update(text).digest();
const [one, other] = [md5('one'), md5('other')];
const both = `${md5(Buffer.concat([one, other])).toString('hex')}-2`;

test.each([
  ['the MD5 of the one part', one.toString('hex'), [one], true],
  ['another MD5', one.toString('hex'), [other], false],
  ['the MD5 of the MD5s', both, [one, other], true],
  ['of one alone', `${md5(one).toString('hex')}-1`, [one], true],
  ['in another order', both, [other, one], false],
  ['of another number', both.replace(/2$/, '3'), [one, other], false],
  ['none at all', '', [one], false],
])('an etag that is %s', (_, etag, parts, expected) => {
  expect(
    isMadeOf(
      etag,
      parts.map((part) => part.toString('hex')),
    ),
  ).toBe(expected);
});

test('etags that are no digests prove nothing, though they are equal', () => {
  expect(isMadeOf('opaque', ['opaque'])).toBe(false);
  expect(isMadeOf('', [''])).toBe(false);
});

describe('what is reached', () => {
  const locate = (url: string) => ({ ...createS3Storage(parseS3Url(url)).locate!('0190-a'), etag: '' });
  test.each([
    ['the same endpoint', 's3://k:s@minio.example:9000/ours?prefix=files', 'https://minio.example:9000', true],
    ['its address for senders', 's3://k:s@10.0.0.7/ours?public_url=https%3A%2F%2Fminio.example', 'https://minio.example', true],
    ['the usual port by its number', 's3://k:s@minio.example:443/ours', 'https://minio.example', true],
    ['another port', 's3://k:s@minio.example:9001/ours', 'https://minio.example:9000', false],
    ['no TLS', 's3://k:s@minio.example:9000/ours?tls=false', 'https://minio.example:9000', false],
    ['the bucket itself', 's3://k:s@minio.example:9000/bucket', 'https://minio.example:9000', false],
    ['Amazon, another region', 's3:///ours?region=us-east-1', null, true],
    ["Amazon by an endpoint's name", 's3://k:s@s3.eu-west-1.amazonaws.com/ours', null, true],
    ['another partition of Amazon', 's3:///ours?region=cn-north-1', null, false],
    ["somebody's host that looks like it", 's3://k:s@s3.amazonaws.com.evil.example/ours', null, false],
  ])('%s', (_, url, endpoint, expected) => {
    expect(providerAt('http://127.0.0.1:1', { endpoint }).reaches!(locate(url))).toBe(expected);
  });

  test('an object has its prefix, and no other key than a checked one', () => {
    const storage = createS3Storage(parseS3Url('s3://k:s@minio.example/ours?prefix=files'));
    expect(storage.locate!('0190-a')).toEqual({ origins: ['https://minio.example'], bucket: 'ours', key: 'files/0190-a' });
    expect(() => storage.locate!('../secret')).toThrow();
  });
});

const source: CopySource = { origins: [], bucket: 'ours', key: 'files/0190-a', etag: both };
const upload: UploadHandle = {
  key: 'Dailies/a b.mov',
  id: 'ours',
  size: 10 * mebibyte,
  partSize: 5 * mebibyte,
  contentType: 'video/mp4',
  modified: 1,
  uploadId: 'upload',
  doubtful: false,
  copyOf: both,
};
const second = { number: 2, offset: 5 * mebibyte, size: 5 * mebibyte };

describe('a part that is copied', () => {
  test('names its source, the version of it and its range', async () => {
    const asked: Record<string, unknown>[] = [];
    const endpoint = await serve(({ method, url, headers }, response, query) => {
      const copied = Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('x-amz-copy')));
      asked.push({
        method,
        path: url!.split('?')[0],
        query: ['partNumber', 'uploadId'].map((name) => query.get(name)),
        length: headers['content-length'] ?? '0',
        ...copied,
      });
      xml(response, `<CopyPartResult><ETag>"${other.toString('hex')}"</ETag></CopyPartResult>`);
    });
    const part = await providerAt(endpoint).copyPart!({ handle: upload, ...second, source }, never);
    expect(part).toEqual({ number: 2, size: 5 * mebibyte, tag: other.toString('hex') });
    expect(asked).toEqual([
      {
        method: 'PUT',
        path: '/bucket/Dailies/a%20b.mov',
        query: ['2', 'upload'],
        length: '0',
        'x-amz-copy-source': 'ours/files/0190-a',
        'x-amz-copy-source-if-match': `"${both}"`,
        'x-amz-copy-source-range': `bytes=${5 * mebibyte}-${10 * mebibyte - 1}`,
      },
    ]);
  });

  test.each([
    [403, 'AccessDenied', 'forbidden'],
    [404, 'NoSuchKey', 'not_found'],
    [404, 'NoSuchBucket', 'no_destination'],
    [404, 'NoSuchUpload', 'upload_gone'],
    [412, 'PreconditionFailed', 'changed'],
    [501, 'NotImplemented', 'misconfigured'],
    [200, 'InternalError', 'busy'],
  ])('is answered by %s %s', async (status, code, expected) => {
    const provider = providerAt(await serve((_, response) => error(response, status, code)));
    expect(await failureOf(provider.copyPart!({ handle: upload, ...second, source }, never))).toBe(expected);
  });

  test('whose digest is not told is not counted', async () => {
    const provider = providerAt(await serve((_, response) => xml(response, '<CopyPartResult><ETag>"opaque"</ETag></CopyPartResult>')));
    expect(await failureOf(provider.copyPart!({ handle: upload, ...second, source }, never))).toBe('copy_differs');
  });

  test('of another object than the upload was begun for is not asked for', async () => {
    let asked = 0;
    const provider = providerAt(
      await serve((_, response) => {
        asked++;
        error(response, 500, 'InternalError');
      }),
    );
    const changed = { ...source, etag: one.toString('hex') };
    expect(await failureOf(provider.copyPart!({ handle: upload, ...second, source: changed }, never))).toBe('copy_differs');
    expect(asked).toBe(0);
  });
});

test('parts that do not make up the source are never completed', async () => {
  const asked: string[] = [];
  const endpoint = await serve((request, response) => {
    asked.push(request.method!);
    error(response, 500, 'InternalError');
  });
  const parts = [one, one].map((tag, index) => ({ number: index + 1, size: 5 * mebibyte, tag: tag.toString('hex') }));
  expect(await failureOf(providerAt(endpoint).complete({ handle: upload, parts, digests: {} }, never))).toBe('copy_differs');
  expect(asked).toEqual([]);
});

test('a whole copy whose answer was lost is compared before it counts', async () => {
  const whole = { ...upload, size: 100, uploadId: null, copyOf: one.toString('hex') };
  for (const [etag, state] of [
    [one.toString('hex'), 'complete'],
    [other.toString('hex'), 'gone'],
  ] as const) {
    const endpoint = await serve((_, response) =>
      response.writeHead(200, { 'content-length': 100, etag: `"${etag}"`, 'x-amz-meta-longshore-upload': 'ours' }).end(),
    );
    expect(await providerAt(endpoint).resume({ handle: whole }, never)).toMatchObject({ state });
  }
});
