import { describe, expect, test } from 'vitest';
import { StorageError } from '#storage/errors.ts';
import { openStorage } from '#storage/open.ts';
import { parseS3Url } from '#storage/s3/settings.ts';
import { failureOf } from '#test/support/storage/conformance.ts';

const gateway = { secret: Buffer.alloc(32), url: 'http://127.0.0.1:1/storage' };

describe('a storage URL', () => {
  test('says everything', () => {
    expect(
      parseS3Url(
        's3://k%2Fey:se%3Acret@minio.example:9000/files?region=eu-1&path_style=true&tls=false&prefix=/a/b/&public_url=https://s3.example/',
      ),
    ).toEqual({
      endpoint: 'http://minio.example:9000',
      publicEndpoint: 'https://s3.example',
      region: 'eu-1',
      bucket: 'files',
      prefix: 'a/b/',
      pathStyle: true,
      packed: false,
      credentials: { accessKeyId: 'k/ey', secretAccessKey: 'se:cret' },
    });
  });

  test('needs little', () => {
    expect(parseS3Url('s3:///files')).toEqual({
      endpoint: null,
      publicEndpoint: null,
      region: 'us-east-1',
      bucket: 'files',
      prefix: '',
      pathStyle: false,
      packed: false,
      credentials: null,
    });
    expect(parseS3Url('s3://s3.example/files').endpoint).toBe('https://s3.example');
  });

  test.each([
    ['nothing at all', ''],
    ['it is no s3:// address', 'https://key:sesame@host/bucket'],
    ['its path must be the name of a bucket', 's3://key:sesame@host'],
    ['its path must be the name of a bucket', 's3://key:sesame@host/a/b'],
    ['only one of key and secret', 's3://key@host/bucket'],
    ['there is no setting pathstyle', 's3://key:sesame@host/bucket?pathstyle=true'],
    ['tls must be true or false', 's3://key:sesame@host/bucket?tls=no'],
    ['public_url must be', 's3://key:sesame@host/bucket?public_url=ftp://x'],
    ['prefix must be', 's3://key:sesame@host/bucket?prefix=a%20b'],
  ])('is refused: %s', (problem, url) => {
    let message = '';
    try {
      parseS3Url(url);
    } catch (error) {
      expect(error).toBeInstanceOf(StorageError);
      message = (error as Error).message;
    }
    expect(message).toContain(url === '' ? 'no s3:// address' : problem);
    expect(message).not.toContain('sesame');
  });

  test('of a storage that is not there is found out at the start', async () => {
    expect(await failureOf(openStorage('s3://a:b@127.0.0.1:1/bucket?tls=false&path_style=true', gateway))).toBe('storage_unavailable');
  });
});
