import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { createS3Storage, type S3Storage } from '#storage/s3/s3-storage.ts';
import { parseS3Url } from '#storage/s3/settings.ts';
import { failureOf } from '#test/support/storage/conformance.ts';
import { denied, policy, refusing } from '#test/support/storage/s3-policy.ts';

/** S3 storage before a server that answers by a script: what no well-behaved server can be made to do. */
async function scripted(answer: RequestListener, work: (storage: S3Storage) => Promise<void>): Promise<void> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  const storage = createS3Storage(parseS3Url(`s3://key:sesame@127.0.0.1:${port}/bucket?tls=false&path_style=true`));
  await work(storage);
  await storage.close();
  server.closeAllConnections();
  server.close();
}

const parts = [{ partNumber: 1, etag: '0'.repeat(32), size: 5 }];

/** What servers say of an upload that is over: Ceph's gateway the second. */
const saidOfNone = ['NoSuchUpload', 'NoSuchKey'] as const;

/** So it is said to a completion; the object has so many bytes, or is not there. */
const completedBefore =
  (size: number | null, said: string): RequestListener =>
  (request, response) => {
    if (request.method !== 'HEAD') return refusing(404, said)(request, response);
    if (new URL(request.url ?? '', 'http://x').pathname.replace(/\/$/, '') === '/bucket') response.writeHead(200).end();
    else if (size === null) response.writeHead(404).end();
    else response.writeHead(200, { 'Content-Length': size, ETag: '"whole-1"' }).end();
  };

describe.each(saidOfNone)('a completion whose answer was lost, where the second is told %s,', (said) => {
  test('is found in the object', async () => {
    await scripted(completedBefore(5, said), async (storage) => {
      expect(await storage.complete('key', 'upload', parts)).toEqual({ size: 5, etag: 'whole-1' });
    });
  });

  test.each([
    ['another size', 6],
    ['no object', null],
  ])('is not found in %s', async (_, size) => {
    await scripted(completedBefore(size, said), async (storage) => {
      expect(await failureOf(storage.complete('key', 'upload', parts))).toBe('no_such_upload');
    });
  });
});

test('a completion is not believed when the answer is an error with status 200', async () => {
  await scripted(refusing(200, 'InternalError'), async (storage) => {
    expect(await failureOf(storage.complete('key', 'upload', parts))).toBe('storage_unavailable');
  });
});

/** Lists one upload, and says this of all else. */
const oneUpload =
  (said: string): RequestListener =>
  (request, response) => {
    if (!new URL(request.url ?? '', 'http://x').searchParams.has('uploads')) return refusing(404, said)(request, response);
    request.resume();
    response
      .writeHead(200, { 'Content-Type': 'application/xml' })
      .end('<ListMultipartUploadsResult><Upload><Key>key</Key><UploadId>upload</UploadId></Upload></ListMultipartUploadsResult>');
  };

describe.each(saidOfNone)('an upload of which the server says %s', (said) => {
  test('is no more', async () => {
    await scripted(refusing(404, said), async (storage) => {
      expect(await failureOf(storage.listParts('key', 'upload'))).toBe('no_such_upload');
      const part = { key: 'key', uploadId: 'upload', partNumber: 1, size: 5, open: () => Readable.from([Buffer.from('bytes')]) };
      expect(await failureOf(storage.putPart(part, new AbortController().signal))).toBe('no_such_upload');
    });
  });

  test('has nothing, and is aborted, where it ended since it was listed', async () => {
    await scripted(oneUpload(said), async (storage) => {
      expect(await storage.bytesReceived('key')).toBe(0);
      await storage.abort('key');
    });
  });
});

test('an upload in a bucket that is gone may still be there', async () => {
  await scripted(refusing(404, 'NoSuchBucket'), async (storage) => {
    expect(await failureOf(storage.listParts('key', 'upload'))).toBe('storage_refused');
    expect(await failureOf(storage.complete('key', 'upload', parts))).toBe('storage_refused');
  });
});

test('a completion whose answer has no etag, as that of Ceph, asks for it', async () => {
  const done: RequestListener = (request, response) => {
    if (request.method === 'HEAD') response.writeHead(200, { 'Content-Length': 5, ETag: '"whole-1"' }).end();
    else response.writeHead(200).end('<CompleteMultipartUploadResult><ETag></ETag></CompleteMultipartUploadResult>');
  };
  await scripted(done, async (storage) => {
    expect(await storage.complete('key', 'upload', parts)).toEqual({ size: 5, etag: 'whole-1' });
  });
});

describe('what a server says', () => {
  test.each([
    [400, 'BadDigest', 'storage_unavailable'],
    [400, 'XAmzContentSHA256Mismatch', 'storage_unavailable'],
    [403, 'AccessDenied', 'storage_refused'],
    [403, 'SignatureDoesNotMatch', 'storage_refused'],
    [404, 'NoSuchBucket', 'storage_refused'],
    [404, 'NoSuchKey', 'no_such_object'],
    [416, 'InvalidRange', 'range_not_satisfiable'],
    [429, 'TooManyRequests', 'storage_unavailable'],
    [500, 'InternalError', 'storage_unavailable'],
    [503, 'SlowDown', 'storage_unavailable'],
    [507, 'InsufficientStorage', 'storage_full'],
  ] as const)('%i %s is %s', async (status, code, expected) => {
    await scripted(refusing(status, code), async (storage) => {
      expect(await failureOf(storage.read('key'))).toBe(expected);
    });
  });

  test('a cut connection is unavailability', async () => {
    await scripted(
      (request) => request.socket.destroy(),
      async (storage) => expect(await failureOf(storage.head('key'))).toBe('storage_unavailable'),
    );
  });

  test('paged listings are followed to their end', async () => {
    const asked: string[] = [];
    await scripted(
      (request, response) => {
        const marker = new URL(request.url ?? '', 'http://x').searchParams.get('part-number-marker');
        asked.push(marker ?? 'first');
        const number = marker === null ? 1 : Number(marker) + 1;
        response
          .writeHead(200, { 'Content-Type': 'application/xml' })
          .end(
            `<ListPartsResult><IsTruncated>${number < 3}</IsTruncated><NextPartNumberMarker>${number}</NextPartNumberMarker>` +
              `<Part><PartNumber>${number}</PartNumber><ETag>&quot;e${number}&quot;</ETag><Size>${number}</Size></Part></ListPartsResult>`,
          );
      },
      async (storage) => {
        expect(await storage.listParts('key', 'upload')).toEqual([1, 2, 3].map((n) => ({ partNumber: n, etag: `e${n}`, size: n })));
      },
    );
    expect(asked).toEqual(['first', '1', '2']);
  });
});

describe('the check of a bucket at the start', () => {
  test('does once all that will be done, and leaves nothing', async () => {
    const { asked, answer } = policy({});
    await scripted(answer, (storage) => storage.check());
    expect(asked).toEqual([
      'HeadBucket',
      'PutObject',
      'GetObject',
      'CreateMultipartUpload',
      'ListMultipartUploads',
      'UploadPart',
      'ListParts',
      'AbortMultipartUpload',
      'DeleteObject',
      // What earlier checks left.
      'ListMultipartUploads',
      'ListBucket',
    ]);
  });

  test.each([
    ['list parts', { ListParts: denied }],
    ['put objects, put parts', { PutObject: denied, UploadPart: denied }],
    ['begin multipart uploads', { CreateMultipartUpload: denied }],
    [
      'get objects, list multipart uploads, abort multipart uploads, delete objects',
      { GetObject: denied, ListMultipartUploads: denied, AbortMultipartUpload: denied, DeleteObject: denied },
    ],
    ['list parts', { ListParts: [501, 'NotImplemented'] as const }],
    // A refused HEAD has no body that says why.
    ['list the bucket, abort multipart uploads', { HeadBucket: denied, ListBucket: denied, AbortMultipartUpload: denied }],
  ])('names what is not allowed: %s', async (what, refused) => {
    const { asked, answer } = policy(refused);
    await scripted(answer, async (storage) => {
      const error = await storage.check().catch((caught: unknown) => caught);
      expect(error).toMatchObject({ code: 'storage_refused', message: expect.stringContaining(`may not ${what} there`) });
    });
    expect(asked.at(-1)).toBe('DeleteObject');
  });

  test('says that a key is unknown', async () => {
    const unknown = [403, 'InvalidAccessKeyId'] as const;
    await scripted(policy({ HeadBucket: unknown, ListBucket: unknown }).answer, async (storage) => {
      expect(await storage.check().catch((error: Error) => error.message)).toContain('(InvalidAccessKeyId)');
    });
  });

  test('says that there is no bucket, and waits for one that is only busy', async () => {
    await scripted(policy({ HeadBucket: [404, 'NotFound'] }).answer, async (storage) => {
      expect(await storage.check().catch((error: Error) => error.message)).toContain('There is no bucket bucket at the object storage');
    });
    await scripted(policy({ PutObject: [503, 'SlowDown'] }).answer, async (storage) => {
      expect(await failureOf(storage.check())).toBe('storage_unavailable');
    });
  });
});

test.each([
  [404, 'storage_refused'],
  [200, null],
  [403, null],
])('an object that is not there where the bucket answers %i', async (status, expected) => {
  const refused = { HeadObject: [404, 'NotFound'] as const, ...(status !== 200 && { HeadBucket: [status, 'x'] as const }) };
  await scripted(policy(refused).answer, async (storage) => {
    if (expected === null) expect(await storage.head('key')).toBe(null);
    else expect(await failureOf(storage.head('key'))).toBe(expected);
  });
});
