import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { CloudProvider, UploadHandle } from '#providers/ports.ts';
import { withRetry } from '#providers/wrappers/retry.ts';
import { begin, failureOf, putAll, store } from '#test/support/providers/conformance.ts';
import { type IconikBench, openIconikBench } from '#test/support/providers/iconik/bench.ts';
import { everythingKept, type Fault, type SeenRequest } from '#test/support/providers/iconik/world.ts';

const never = new AbortController().signal;
const wish = { partSize: 256 * 1024 };
const large = 2 * 256 * 1024 + 99;

let bench: IconikBench;
let provider: CloudProvider;
beforeEach(async () => {
  bench = await openIconikBench('S3');
  provider = bench.create();
});
afterEach(() => bench.close());

const retrying = (inner: CloudProvider) => withRetry(inner, { sleep: async () => undefined });
/** Each fault once, for requests of that method and path. */
function faults(method: string, path: RegExp, ...given: Fault[]): void {
  bench.world.fault = (request) => (request.method === method && path.test(request.path) ? given.shift() : undefined);
}
const isCompletion = ({ method, path, query }: SeenRequest): boolean =>
  method === 'POST' && path.startsWith('/s3/') && query.has('uploadId');

describe('an answer that is lost', () => {
  const lost: Fault = { kind: 'lose-answer' };

  test('of the completion makes no second file', async () => {
    const bytes = randomBytes(large);
    const given = [lost];
    bench.world.fault = (request) => (isCompletion(request) ? given.shift() : undefined);
    const { object } = await store(retrying(provider), 'a/lost.bin', bytes, wish);
    expect([...bench.world.files.values()].map(({ asset, id, status }) => [`/${asset}/${id}`, status])).toEqual([[object.id, 'CLOSED']]);
    expect([...bench.world.objects.values()].map((one) => one.equals(bytes))).toEqual([true]);
  });

  test('of the completion, where iconik lets nobody read before the end, begins the file again', async () => {
    const bytes = randomBytes(large);
    bench.world.readsOpenFiles = false;
    const upload = await begin(provider, 'a/unread.bin', bytes, wish);
    const parts = await putAll(provider, upload, bytes);
    faults('POST', /^\/s3\//, lost);
    expect(await failureOf(provider.complete({ handle: upload.handle, parts, digests: {} }, never))).toBe('unreachable');
    expect((await provider.resume({ handle: upload.handle }, never)).state).toBe('gone');
    expect(await failureOf(provider.complete({ handle: upload.handle, parts, digests: {} }, never))).toBe('upload_gone');
    await provider.abort({ handle: upload.handle }, never);
    expect(everythingKept(bench.world)).toEqual([]);
  });

  test('of the completion leaves only the end to a process that follows', async () => {
    const bytes = randomBytes(large);
    const upload = await begin(provider, 'a/follows.bin', bytes, wish);
    const parts = await putAll(provider, upload, bytes);
    faults('POST', /^\/s3\//, lost);
    expect(await failureOf(provider.complete({ handle: upload.handle, parts, digests: {} }, never))).toBe('unreachable');
    const resumed = await bench.create().resume({ handle: upload.handle }, never);
    if (resumed.state !== 'open') throw new Error(resumed.state);
    expect(resumed.stored.length).toBe(parts.length);
    const before = bench.world.bytesReceived;
    const { size } = await bench.create().complete({ handle: resumed.handle, parts: resumed.stored, digests: {} }, never);
    expect([size, bench.world.bytesReceived - before]).toEqual([large, 0]);
  });

  test('of the closing asks for the previews at most once', async () => {
    faults('PATCH', /files/, lost);
    await store(retrying(provider), 'a/closed.bin', randomBytes(10));
    expect([...bench.world.files.values()].map(({ status }) => status)).toEqual(['CLOSED']);
    expect(bench.world.previews.length).toBeLessThanOrEqual(1);
  });

  test('of a new asset leaves one that is found and removed', async () => {
    const saved: UploadHandle[] = [];
    faults('POST', /assets\/v1\/assets\/$/, lost);
    const options = { save: async (handle: UploadHandle) => void saved.push(handle) };
    expect(await failureOf(begin(provider, 'a/unknown.bin', randomBytes(10), options))).toBe('unreachable');
    expect(everythingKept(bench.world).length).toBe(1);
    await bench.create().abort({ handle: saved.at(-1)! }, never);
    expect(everythingKept(bench.world)).toEqual([]);
  });
});

describe('a beginning that breaks off and is tried again leaves one asset', () => {
  test.each([
    ['the asset', 'POST', /assets\/v1\/assets\/$/],
    ['the format', 'POST', /formats\/$/],
    ['the file', 'POST', /\/files\/$/],
    ['the upload', 'POST', /^\/s3\//],
  ] as const)('after the answer about %s is lost', async (_, method, path) => {
    const bytes = randomBytes(10);
    faults(method, path, { kind: 'lose-answer' }, { kind: 'lose-answer' });
    await store(retrying(provider), 'a/broken.bin', bytes);
    const kept = everythingKept(bench.world).filter((one) => !one.startsWith('upload'));
    expect(kept.map((one) => one.split(' ')[0])).toEqual(['asset']);
    expect([...bench.world.objects.values()].map((one) => one.equals(bytes))).toEqual([true]);
  });

  test.each([
    ['', /assets\/v1\/assets\/$/],
    [', and the answer of the end is lost too', /assets\/v1\/assets\/$|keyframes/],
  ])('though the search does not know of it yet%s', async (_, lost) => {
    const given: Fault[] = [{ kind: 'lose-answer' }, { kind: 'lose-answer' }];
    let searches = 0;
    let creations = 0;
    bench.world.fault = ({ method, path }) => {
      bench.world.searchKnows = !/search/.test(path) || ++searches > 1;
      const isSecond = method === 'POST' && /assets\/v1\/assets\/$/.test(path) && ++creations > 1;
      return method === 'POST' && lost.test(path) && !isSecond ? given.shift() : undefined;
    };
    await store(retrying(provider), 'a/late.bin', randomBytes(10));
    expect(searches).toBe(2);
    expect(everythingKept(bench.world).length).toBe(1);
  });
});
