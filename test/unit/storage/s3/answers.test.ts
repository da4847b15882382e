import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import type { ObjectStorage } from '#storage/ports.ts';
import { createS3Storage } from '#storage/s3/s3-storage.ts';
import { parseS3Url } from '#storage/s3/settings.ts';
import { errorDocument } from '#storage/xml.ts';
import { failureOf } from '#test/support/storage-conformance.ts';

/** S3 storage before a server that answers by a script: what no well-behaved server can be made to do. */
async function scripted(answer: RequestListener, work: (storage: ObjectStorage) => Promise<void>): Promise<void> {
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

const refusing =
  (status: number, code: string): RequestListener =>
  (request, response) => {
    request.resume();
    response.writeHead(status, { 'Content-Type': 'application/xml' }).end(errorDocument(code, 'as the script says'));
  };

/** NoSuchUpload to a completion; the object has so many bytes, or is not there. */
const completedBefore =
  (size: number | null): RequestListener =>
  (request, response) => {
    if (request.method !== 'HEAD') return refusing(404, 'NoSuchUpload')(request, response);
    if (size === null) response.writeHead(404).end();
    else response.writeHead(200, { 'Content-Length': size, ETag: '"whole-1"' }).end();
  };

describe('a completion whose answer was lost', () => {
  test('is found in the object', async () => {
    await scripted(completedBefore(5), async (storage) => {
      expect(await storage.complete('key', 'upload', parts)).toEqual({ size: 5, etag: 'whole-1' });
    });
  });

  test.each([
    ['another size', 6],
    ['no object', null],
  ])('is not found in %s', async (_, size) => {
    await scripted(completedBefore(size), async (storage) => {
      expect(await failureOf(storage.complete('key', 'upload', parts))).toBe('no_such_upload');
    });
  });

  test('is not believed when the answer is an error with status 200', async () => {
    await scripted(refusing(200, 'InternalError'), async (storage) => {
      expect(await failureOf(storage.complete('key', 'upload', parts))).toBe('storage_unavailable');
    });
  });
});

describe('what a server says', () => {
  test.each([
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
