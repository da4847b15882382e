import { createHash, randomBytes } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { s3ApiConfig } from '#providers/b2/s3-config.ts';
import type { CloudProvider } from '#providers/ports.ts';
import { withRetry } from '#providers/wrappers/retry.ts';
import { type B2Bench, openB2Bench } from '#test/support/providers/b2/bench.ts';
import { begin, complete, putAll } from '#test/support/providers/conformance.ts';
import { type Answer, closeScripted, emptyList, never, serve } from '#test/support/providers/scripted-s3.ts';

/** What no well-behaved server can be made to do; the rest is tried with a real one (test/integration/providers-b2.test.ts). */

let bench: B2Bench;
beforeEach(async () => {
  bench = await openB2Bench();
});
afterEach(async () => {
  await bench.close();
  await closeScripted();
});

async function providerAt(answer: Answer): Promise<CloudProvider> {
  bench.world.s3ApiUrl = await serve(answer);
  return bench.create(bench.world.key);
}

test('the region is that of the address, and the key is the access key', () => {
  const { region, pathStyle, access, endpoint } = s3ApiConfig(
    { keyId: 'id', key: 'secret', bucket: 'b' },
    'https://s3.eu-central-003.backblazeb2.com',
  );
  expect({ region, pathStyle, endpoint }).toEqual({
    region: 'eu-central-003',
    pathStyle: true,
    endpoint: 'https://s3.eu-central-003.backblazeb2.com',
  });
  expect(access).toEqual({ by: 'key', accessKeyId: 'id', secretAccessKey: 'secret' });
});

test('a cap that is reached is told as that, and not as a lack of permission', async () => {
  const provider = await providerAt((_request, response) =>
    response
      .writeHead(403, { 'content-type': 'application/xml' })
      .end(
        '<Error><Code>AccessDenied</Code><Message>Cannot upload files, storage cap exceeded. See the Caps &amp; Alerts page to increase your cap.</Message></Error>',
      ),
  );
  await expect(provider.list({ folder: '', count: 1 }, never)).rejects.toMatchObject({
    code: 'full',
    retry: 'never',
    message: expect.stringContaining('Caps & Alerts'),
  });
});

test('a small file whose answer was lost is not sent again, since a second version would stay', async () => {
  const bytes = randomBytes(100);
  let [puts, mark] = [0, ''];
  const provider = await providerAt((request, response) => {
    if (request.method === 'PUT') {
      puts++;
      mark = String(request.headers['x-amz-meta-longshore-upload']);
      request.resume().once('end', () => request.socket.destroy());
      return;
    }
    const etag = `"${createHash('md5').update(bytes).digest('hex')}"`;
    response.writeHead(200, { 'content-length': bytes.length, etag, 'x-amz-meta-longshore-upload': mark }).end();
  });
  const retrying = withRetry(provider, { sleep: async () => undefined });
  const upload = await begin(retrying, 'lost.bin', bytes);
  const parts = await putAll(retrying, upload, bytes);
  expect(await complete(retrying, upload.handle, parts, bytes)).toMatchObject({ id: 'lost.bin', size: 100 });
  expect(puts).toBe(1);
});

test('an upload stays with the API that it began by when the key changes', async () => {
  const provider = await providerAt((_request, response) => emptyList(response));
  const natively = await begin(bench.create(), 'native.bin', randomBytes(11 * 1024 * 1024), { partSize: 5 * 1024 * 1024 });
  expect(natively.handle['api']).toBe('native');
  expect((await provider.resume({ handle: natively.handle }, never)).state).toBe('open');
  await provider.abort({ handle: natively.handle }, never);
  expect(bench.world.largeFiles.size).toBe(0);
  const byS3 = await begin(provider, 'small.bin', randomBytes(10));
  expect(byS3.handle['api']).toBe('s3');
});
