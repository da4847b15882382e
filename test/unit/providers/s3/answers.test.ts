import { createHash, randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterEach, describe, expect, test } from 'vitest';
import { digestsOf } from '#providers/digests.ts';
import type { CloudProvider, UploadHandle } from '#providers/ports.ts';
import { withRetry } from '#providers/wrappers/retry.ts';
import { failureOf } from '#test/support/providers/conformance.ts';
import { type Answer, closeScripted, emptyList, error, list, never, providerAt, serve, xml } from '#test/support/providers/scripted-s3.ts';

const mebibyte = 1024 * 1024;
afterEach(closeScripted);

const upload: UploadHandle = {
  key: 'file',
  id: 'ours',
  size: 10 * mebibyte,
  partSize: 5 * mebibyte,
  contentType: 'a/b',
  modified: 1,
  uploadId: 'upload',
  doubtful: false,
};
const parts = [1, 2].map((number) => ({ number, size: 5 * mebibyte, tag: String(number).repeat(32) }));
const completing = (provider: CloudProvider) => provider.complete({ handle: upload, parts, digests: {} }, never);

/** The answer to a completion, and the object that is there after it, if any. */
const afterCompletion =
  (answer: (response: ServerResponse) => unknown, object: { readonly id: string; readonly size: number } | null): Answer =>
  (request, response) => {
    if (request.method !== 'HEAD') return answer(response);
    if (!object) return response.writeHead(404).end();
    return response.writeHead(200, { 'content-length': object.size, etag: '"an-etag"', 'x-amz-meta-longshore-upload': object.id }).end();
  };
const ours = { id: 'ours', size: 10 * mebibyte };

describe('a completion is decided by looking', () => {
  test.each([
    ['whose answer had no etag', (response: ServerResponse) => xml(response, '<CompleteMultipartUploadResult/>')],
    ['that is unknown by now', (response: ServerResponse) => error(response, 404, 'NoSuchUpload')],
    ['that failed with status 200', (response: ServerResponse) => error(response, 200, 'InternalError')],
    ['whose answer was lost', (response: ServerResponse) => response.destroy()],
    ['that the server failed at', (response: ServerResponse) => error(response, 500, 'InternalError')],
  ])('one %s has made the file', async (_what, answer) => {
    const provider = providerAt(await serve(afterCompletion(answer, ours)));
    expect(await completing(provider)).toMatchObject({ id: 'file', size: 10 * mebibyte, etag: 'an-etag' });
  });

  test.each([
    ['another one', { id: 'theirs', size: 10 * mebibyte }],
    ['one of another size', { id: 'ours', size: 4 }],
    ['none', null],
  ])('%s under the key is not taken for it', async (_what, object) => {
    const provider = providerAt(await serve(afterCompletion((response) => error(response, 404, 'NoSuchUpload'), object)));
    expect(await failureOf(completing(provider))).toBe('upload_gone');
    const failing = providerAt(await serve(afterCompletion((response) => error(response, 200, 'InternalError'), object)));
    expect(await failureOf(completing(failing))).toBe('busy');
    const lying = providerAt(await serve(afterCompletion((response) => xml(response, '<CompleteMultipartUploadResult/>'), object)));
    expect(await failureOf(completing(lying))).toBe('bad_answer');
  });
});

test('a beginning that arrives late, after another, is ended when the file is complete', async () => {
  const ended: string[] = [];
  const endpoint = await serve((request, response, query) => {
    if (request.method === 'DELETE') {
      ended.push(query.get('uploadId') ?? '');
      return response.writeHead(204).end();
    }
    if (request.method === 'GET') {
      const late = '<Upload><Key>file</Key><UploadId>late</UploadId></Upload>';
      return xml(response, `<ListMultipartUploadsResult><IsTruncated>false</IsTruncated>${late}</ListMultipartUploadsResult>`);
    }
    return afterCompletion((answer) => xml(answer, '<CompleteMultipartUploadResult/>'), ours)(request, response, query);
  });
  const provider = providerAt(endpoint);
  await completing(provider);
  expect(ended).toEqual([]);
  await provider.complete({ handle: { ...upload, doubtful: true }, parts, digests: {} }, never);
  expect(ended).toEqual(['late']);
});

test('a beginning whose answer was lost is ended before the next', async () => {
  const seen: string[] = [];
  let creations = 0;
  const endpoint = await serve((request, response, query) => {
    seen.push(`${request.method} ${[...query.keys()].filter((one) => one === 'uploads' || one === 'uploadId').join()}`);
    if (request.method === 'POST')
      return ++creations === 1
        ? response.destroy()
        : xml(response, '<InitiateMultipartUploadResult><UploadId>second</UploadId></InitiateMultipartUploadResult>');
    if (request.method === 'DELETE') return response.writeHead(204).end();
    const uploads = ['file', 'file2'].map((key) => `<Upload><Key>${key}</Key><UploadId>first</UploadId></Upload>`).join('');
    return xml(response, `<ListMultipartUploadsResult><IsTruncated>false</IsTruncated>${uploads}</ListMultipartUploadsResult>`);
  });
  const saved: UploadHandle[] = [];
  const provider = withRetry(providerAt(endpoint), { firstDelay: 1 });
  const begun = await provider.begin(
    {
      path: 'file',
      size: 20 * mebibyte,
      modified: new Date(),
      contentType: 'a/b',
      digests: {},
      save: async (handle) => void saved.push(handle),
    },
    never,
  );
  expect(begun.handle['uploadId']).toBe('second');
  expect(saved.map(({ uploadId }) => uploadId)).toEqual([null, null, 'second']);
  // Of the two that are listed, only that of the same key.
  expect(seen).toEqual(['POST uploads', 'GET uploads', 'DELETE uploadId', 'POST uploads']);
});

test('a beginning of a process that died may arrive late: the next upload remembers the doubt', async () => {
  const endpoint = await serve((request, response) => {
    if (request.method === 'HEAD') return response.writeHead(404).end();
    if (request.method === 'GET')
      return xml(response, '<ListMultipartUploadsResult><IsTruncated>false</IsTruncated></ListMultipartUploadsResult>');
    return xml(response, '<InitiateMultipartUploadResult><UploadId>second</UploadId></InitiateMultipartUploadResult>');
  });
  const provider = providerAt(endpoint);
  expect(await provider.resume({ handle: { ...upload, uploadId: null } }, never)).toEqual({ state: 'gone' });
  const { handle } = await provider.begin(
    { path: 'file', size: 20 * mebibyte, modified: new Date(), contentType: 'a/b', digests: {}, save: async () => {} },
    never,
  );
  expect(handle).toMatchObject({ uploadId: 'second', doubtful: true });
});

describe('a part', () => {
  const bytes = randomBytes(5 * mebibyte);
  const put = (provider: CloudProvider, opened: () => void = () => {}) =>
    provider.putPart(
      {
        handle: upload,
        number: 1,
        size: bytes.length,
        offset: 0,
        digests: digestsOf(bytes, ['md5']),
        open() {
          opened();
          return Readable.from([bytes]);
        },
      },
      never,
    );

  test('that the quota refuses is told as that, before its bytes are sent', async () => {
    let received = 0;
    const endpoint = await serve(
      () => {},
      (request, response) => {
        request.on('data', (piece: Buffer) => {
          received += piece.length;
        });
        return error(response, 403, 'QuotaExceeded');
      },
    );
    // A busy machine may take its time to refuse.
    const patient = providerAt(endpoint, {}, {}, { continueMilliseconds: 60_000 });
    await expect(put(patient)).rejects.toMatchObject({ code: 'full', blame: 'connection', answered: 'QuotaExceeded 403' });
    expect(received).toBe(0);
  });

  test('goes to a server that knows no 100 Continue too', async () => {
    const endpoint = await serve(
      () => {},
      async (request, response) => {
        const got = await buffer(request);
        return response.writeHead(200, { etag: `"${digestsOf(got, ['md5']).md5}"` }).end();
      },
    );
    expect(await put(providerAt(endpoint))).toMatchObject({ number: 1, tag: digestsOf(bytes, ['md5']).md5 });
  });

  test('whose connection breaks is the network, not our bytes', async () => {
    const endpoint = await serve(
      () => {},
      (request, response) => {
        response.writeContinue();
        request.once('data', () => request.socket.resetAndDestroy());
      },
    );
    await expect(put(providerAt(endpoint))).rejects.toMatchObject({ name: 'ProviderError', code: 'unreachable', retry: 'soon' });
  });

  test('whose etag is of other bytes is sent again', async () => {
    let puts = 0;
    const endpoint = await serve(async (request, response) => {
      const got = await buffer(request);
      const etag = ++puts === 1 ? '0'.repeat(32) : digestsOf(got, ['md5']).md5;
      return response.writeHead(200, { etag: `"${etag}"` }).end();
    });
    let opened = 0;
    await put(withRetry(providerAt(endpoint), { firstDelay: 1 }), () => opened++);
    expect([puts, opened]).toEqual([2, 2]);
  });
});

describe('what a server says', () => {
  test.each([
    [503, 'SlowDown', 'busy'],
    [500, 'Unheard', 'busy'],
    [429, 'Unheard', 'busy'],
    [403, 'InvalidAccessKeyId', 'credentials_refused'],
    [403, 'AccessDenied', 'forbidden'],
    [403, 'Unheard', 'forbidden'],
    [404, 'NoSuchBucket', 'no_destination'],
    [403, 'QuotaExceeded', 'full'],
    [507, 'Unheard', 'full'],
    [501, 'NotImplemented', 'misconfigured'],
    [400, 'Unheard', 'misconfigured'],
    [307, 'TemporaryRedirect', 'redirected'],
    [400, 'RequestTimeTooSkewed', 'clock_skew'],
    [400, 'ExpiredToken', 'expired'],
  ])('%i %s is %s, in our words alone', async (status, name, code) => {
    const provider = providerAt(await serve((_request, response) => error(response, status, name, { location: 'http://127.0.0.1:1/' })));
    const failure: unknown = await list(provider).catch((failed: unknown) => failed);
    expect(failure).toMatchObject({ code, message: expect.stringMatching(/^[A-Z].*\.$/s) });
    expect((failure as Error).message).not.toContain('sesame');
  });

  test('how long to wait is told', async () => {
    const provider = providerAt(await serve((_request, response) => error(response, 503, 'SlowDown', { 'retry-after': '7' })));
    await expect(list(provider)).rejects.toMatchObject({ code: 'busy', retryAfter: 7000 });
  });

  test('without sense, or without end, is no answer', async () => {
    const garbage = providerAt(await serve((_request, response) => response.writeHead(200).end('<html>not S3')));
    await expect(list(garbage)).rejects.toMatchObject({ name: 'ProviderError' });
    const endless = providerAt(
      await serve((_request, response) => {
        response.writeHead(200, { 'content-type': 'application/xml' });
        const more = (): void => void (response.destroyed || response.write(' '.repeat(mebibyte), () => setImmediate(more)));
        more();
      }),
    );
    await expect(list(endless)).rejects.toMatchObject({ code: 'bad_answer' });
  });

  test('another region is learned, and said', async () => {
    const regions: (string | undefined)[] = [];
    const endpoint = await serve((request, response) => {
      const region = /\/(\w+-\w+-\d)\/s3/.exec(request.headers.authorization ?? '')?.[1];
      regions.push(region);
      return region === 'us-west-2'
        ? emptyList(response)
        : error(response, 400, 'AuthorizationHeaderMalformed', {}, '<Region>us-west-2</Region>');
    });
    const provider = withRetry(providerAt(endpoint));
    expect(await provider.check({ direction: 'service_to_cloud', folder: '' }, never)).toEqual([expect.stringContaining('us-west-2')]);
    expect(regions).toEqual(['eu-central-1', 'us-west-2']);
  });

  test('a file in cold storage is told as that', async () => {
    const provider = providerAt(await serve((_request, response) => error(response, 403, 'InvalidObjectState')));
    expect(await failureOf(provider.openRange({ id: 'file' }, never))).toBe('archived');
  });
});

test('a read that breaks off fails, and never just ends', async () => {
  const endpoint = await serve((_request, response) => {
    response.writeHead(200, { 'content-length': '100', etag: '"x"' });
    response.write('half', () => response.destroy());
  });
  const body = await providerAt(endpoint).openRange({ id: 'file' }, never);
  await expect(buffer(body)).rejects.toMatchObject({ name: 'ProviderError', code: 'unreachable', retry: 'soon' });
});

describe('bytes that are read', () => {
  const bytes = Buffer.from('what was stored');
  const etag = createHash('md5').update(bytes).digest('hex');
  const arriving = Buffer.from('what has arrived');

  async function read(headers: Record<string, string>, body: Buffer, whole = true): Promise<Buffer> {
    const endpoint = await serve((_request, response) => {
      const range = { 'content-range': `bytes 0-${body.length - 1}/${whole ? body.length : 1_000}` };
      response.writeHead(206, { 'content-length': String(body.length), etag: `"${etag}"`, ...range, ...headers }).end(body);
    });
    return await buffer(await providerAt(endpoint).openRange({ id: 'file', range: { start: 0, end: body.length - 1 } }, never));
  }

  test('are compared with the MD5 that the etag of a whole object is', async () => {
    expect((await read({}, bytes)).equals(bytes)).toBe(true);
    expect((await read({ 'x-amz-server-side-encryption': 'AES256' }, bytes)).equals(bytes)).toBe(true);
    await expect(read({}, arriving)).rejects.toMatchObject({ code: 'corrupted', retry: 'soon' });
  });

  test.each([
    ['an object of several parts', { etag: `"${etag}-2"` }, true],
    ['one that a key of KMS encrypts', { 'x-amz-server-side-encryption': 'aws:kms' }, true],
    ["one that a customer's key encrypts", { 'x-amz-server-side-encryption-customer-algorithm': 'AES256' }, true],
    ['a range of an object', {}, false],
  ])('are not compared where the etag says nothing of them: %s', async (_, headers, whole) => {
    expect((await read(headers, arriving, whole)).equals(arriving)).toBe(true);
  });
});

test('every request says that it is of Longshore, and of which version', async () => {
  const said: unknown[] = [];
  const endpoint = await serve((request, response) => {
    said.push(request.headers['user-agent']);
    emptyList(response);
  });
  await list(providerAt(endpoint));
  expect(said).toEqual([expect.stringMatching(/^Longshore\/\d+\.\d+\.\d+$/)]);
});

test.each([
  ['without a length', {}],
  ['of a few bytes', { 'content-length': '1000' }],
])('an answer %s that drips in byte by byte is given up', async (_, headers) => {
  const endpoint = await serve((_request, response) => {
    response.writeHead(200, headers);
    const drip = setInterval(() => response.write(' '), 10);
    response.once('close', () => clearInterval(drip));
  });
  const provider = providerAt(endpoint, {}, {}, { answerMilliseconds: 200 });
  await expect(list(provider)).rejects.toMatchObject({ code: 'unreachable', message: /in time/ });
});
