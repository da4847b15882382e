import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createAzureProvider } from '#providers/azure/azure-provider.ts';
import { azureConfig } from '#providers/azure/config.ts';
import { partRanges } from '#providers/parts.ts';
import type { CloudProvider, StoredPart } from '#providers/ports.ts';
import { withRetry } from '#providers/wrappers/retry.ts';
import { type FaultProxy, startFaultProxy } from '#test/support/faults/proxy/proxy.ts';
import { accountSas, newContainer, type TestContainer } from '#test/support/providers/azurite/azurite.ts';
import { begin, complete, failureOf, put, putAll } from '#test/support/providers/conformance.ts';

const never = new AbortController().signal;
const environment = { mayConnect: () => true, now: () => new Date() };
const bytes = randomBytes(350_000);
const inParts = { partSize: 100_000 };
const path = 'day 1/scene.mov';

/** An id as another program may give, in base64. */
const foreignBlock = (raw: string) => ({ comp: 'block', blockid: Buffer.from(raw).toString('base64') });

describe('Azure, when something goes wrong', () => {
  let container: TestContainer;
  let proxy: FaultProxy;
  let opened: CloudProvider[];
  let pauses: number[];
  let provider: CloudProvider;

  const open = (sas: string): CloudProvider => {
    const service = container.service.replace(/^http:\/\/[^/]+/, proxy.url);
    const one = createAzureProvider(azureConfig({ blob_service_sas_url: `${service}?${sas}`, destination: container.name }), environment);
    opened.push(one);
    return one;
  };
  const puts = () => proxy.requests.filter(({ method }) => method === 'PUT').length;
  const read = async (from: CloudProvider) => await buffer(await from.openRange({ id: path }, never));

  beforeEach(async () => {
    container = await newContainer();
    proxy = await startFaultProxy();
    proxy.upstream = container.service;
    opened = [];
    pauses = [];
    provider = withRetry(open(accountSas()), { sleep: async (milliseconds) => void pauses.push(milliseconds) });
  });
  afterEach(async () => {
    try {
      await proxy.verify();
    } finally {
      await Promise.all(opened.map((one) => one.close()));
      await proxy.close();
    }
  });

  test('the lost answer of Put Block List is found out by looking: it is not sent again', async () => {
    const upload = await begin(provider, path, bytes, inParts);
    const parts = await putAll(provider, upload, bytes);
    proxy.plan([{ on: { method: 'PUT' }, at: { of: 'response', part: 'head', share: 0 }, do: 'cut' }]);
    const object = await complete(provider, upload.handle, parts, bytes);
    expect(puts()).toBe(parts.length + 1);
    expect(object).toEqual(await provider.head({ id: path }, never));
    expect((await read(provider)).equals(bytes)).toBe(true);
  });

  test('503 waits for as long as Azure asks, for a part and for the whole', async () => {
    const answer = { status: 503, headers: { 'retry-after': '7', 'x-ms-error-code': 'ServerBusy' } };
    const upload = await begin(provider, path, bytes, inParts);
    proxy.plan([{ on: { method: 'PUT' }, do: { answer } }]);
    const parts = await putAll(provider, upload, bytes);
    proxy.plan([{ on: { method: 'PUT' }, do: { answer } }]);
    await complete(provider, upload.handle, parts, bytes);
    expect(pauses.length).toBe(2);
    for (const pause of pauses) expect(pause).toBeGreaterThanOrEqual(7000);
    expect((await read(provider)).equals(bytes)).toBe(true);
  });

  test('a byte that changes on its way is noticed, in a part and in a whole file', async () => {
    for (const options of [inParts, {}]) {
      const upload = await begin(provider, path, bytes, options);
      proxy.plan([{ on: { method: 'PUT' }, at: { of: 'request', part: 'body', share: 0.5 }, do: 'corrupt' }]);
      await complete(provider, upload.handle, await putAll(provider, upload, bytes), bytes);
      expect((await read(provider)).equals(bytes)).toBe(true);
    }
    expect(pauses.length).toBe(2);
  });

  test('a connection that breaks within a part, or before its answer, is made again', async () => {
    const upload = await begin(provider, path, bytes, inParts);
    proxy.plan([
      { on: { method: 'PUT' }, at: { of: 'request', part: 'body', share: 0.5 }, do: 'cut' },
      { on: { method: 'PUT', nth: 3 }, at: { of: 'response', part: 'head', share: 0 }, do: 'cut' },
    ]);
    await complete(provider, upload.handle, await putAll(provider, upload, bytes), bytes);
    expect((await read(provider)).equals(bytes)).toBe(true);
  });

  test('a reader learns that bytes are missing', async () => {
    const upload = await begin(provider, path, bytes);
    await complete(provider, upload.handle, await putAll(provider, upload, bytes), bytes);
    for (const deed of ['cut', 'truncate'] as const) {
      proxy.plan([{ on: { method: 'GET' }, at: { of: 'response', part: 'body', share: 0.5 }, do: deed }]);
      expect(await failureOf(read(provider)), deed).toBe('unreachable');
    }
  });

  test('a SAS that expires in the middle ends in words; with a new one the upload goes on where it was', async () => {
    const upload = await begin(provider, path, bytes, inParts);
    const [first] = partRanges(upload.layout);
    let stored: StoredPart | null = null;
    let failure: unknown = null;
    // Azure counts whole seconds. On a crowded machine a call may take longer than a SAS lasts: then it gets a longer one.
    for (let seconds = 2; stored === null; seconds *= 2) {
      const short = open(accountSas({ expires: new Date(Date.now() + seconds * 1000) }));
      for (failure = null; failure === null; await sleep(100)) {
        try {
          stored = await put(short, upload.handle, first!, bytes);
        } catch (error) {
          failure = error;
        }
      }
    }
    expect(failure).toMatchObject({ code: 'credentials_refused', message: expect.stringMatching(/^The SAS expired at .* Make a new one/) });
    const resumed = await provider.resume({ handle: upload.handle }, never);
    if (resumed.state !== 'open') throw new Error(`The upload is ${resumed.state}.`);
    expect(resumed.stored).toEqual([stored]);
    const before = puts();
    await complete(provider, upload.handle, await putAll(provider, resumed, bytes), bytes);
    expect(puts() - before).toBe(4);
    expect((await read(provider)).equals(bytes)).toBe(true);
  });

  test('a SAS that lacks a permission says which', async () => {
    const reader = open(accountSas({ permissions: 'rl' }));
    const upload = await begin(reader, path, bytes);
    const failure = await putAll(reader, upload, bytes).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'forbidden', message: expect.stringMatching(/permission Write \(w\)\. It has sp=rl\./) });
    const keeper = open(accountSas({ permissions: 'rwl' }));
    const kept = await keeper.remove({ id: path }, never).catch((error: unknown) => error);
    expect(kept).toMatchObject({ code: 'forbidden', message: expect.stringMatching(/permission Delete \(d\)/) });
  });

  describe('Unfinished blocks of another program', () => {
    test('whose ids have another length give way where no file is', async () => {
      await container.request('PUT', encodeURIComponent(path), { query: foreignBlock('1'), body: 'theirs' });
      const upload = await begin(provider, path, bytes, inParts);
      await complete(provider, upload.handle, await putAll(provider, upload, bytes), bytes);
      expect((await read(provider)).equals(bytes)).toBe(true);
    });

    test('keep a file from being replaced, and the file stays as it is', async () => {
      await container.request('PUT', encodeURIComponent(path), { headers: { 'x-ms-blob-type': 'BlockBlob' }, body: 'old' });
      await container.request('PUT', encodeURIComponent(path), { query: foreignBlock('1'), body: 'theirs' });
      expect(await failureOf(begin(provider, path, bytes, inParts))).toBe('exists');
      expect((await read(provider)).toString()).toBe('old');
    });

    test('that come in the middle make the file begin again', async () => {
      const upload = await begin(provider, path, bytes, inParts);
      await container.request('PUT', encodeURIComponent(path), { query: foreignBlock('1'), body: 'theirs' });
      const [first] = partRanges(upload.layout);
      expect(await failureOf(put(provider, upload.handle, first!, bytes))).toBe('upload_gone');
      await provider.abort({ handle: upload.handle }, never);
      const again = await begin(provider, path, bytes, inParts);
      await complete(provider, again.handle, await putAll(provider, again, bytes), bytes);
    });

    test('stay when ours are aborted', async () => {
      const upload = await begin(provider, path, bytes, inParts);
      await putAll(provider, upload, bytes);
      const theirs = foreignBlock('eighteen bytes long'.slice(0, 18));
      await container.request('PUT', encodeURIComponent(path), { query: theirs, body: 'theirs' });
      await provider.abort({ handle: upload.handle }, never);
      expect(await container.stored()).toContain(`${path} ${theirs.blockid}`);
    });
  });

  test('an abort that breaks off leaves an empty file, which the next one removes', async () => {
    const upload = await begin(provider, path, bytes, inParts);
    await putAll(provider, upload, bytes);
    const denied = { status: 403, headers: { 'x-ms-error-code': 'AuthorizationFailure' } };
    proxy.plan([{ on: { method: 'DELETE' }, do: { answer: denied } }]);
    expect(await failureOf(provider.abort({ handle: upload.handle }, never))).toBe('credentials_refused');
    expect(await container.stored()).toEqual([path]);
    await provider.abort({ handle: upload.handle }, never);
    expect(await container.stored()).toEqual([]);
  });
});
