import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { partRanges } from '#providers/parts.ts';
import type { CloudProvider } from '#providers/ports.ts';
import { withRetry } from '#providers/wrappers/retry.ts';
import { type B2Bench, openB2Bench } from '#test/support/providers/b2/bench.ts';
import type { Fault, SeenRequest } from '#test/support/providers/b2/world.ts';
import { begin, complete, failureOf, put, putAll, store } from '#test/support/providers/conformance.ts';

const mebibyte = 1024 * 1024;
const wish = { partSize: 5 * mebibyte };
/** Of two parts: the smallest that a provider takes, and a rest. */
const large = wish.partSize + 1_000;
const never = new AbortController().signal;

let bench: B2Bench;
let provider: CloudProvider;
beforeEach(async () => {
  bench = await openB2Bench();
  provider = bench.create();
});
afterEach(() => bench.close());

const retrying = (inner: CloudProvider) => withRetry(inner, { sleep: async () => undefined });
/** Each fault once, for requests that `matches`. */
function faults(matches: (request: SeenRequest) => boolean, ...given: Fault[]): void {
  bench.world.fault = (request) => (matches(request) ? given.shift() : undefined);
}
const called = (name: string): SeenRequest[] => bench.world.requests.filter(({ call }) => call === name);
const bytesAt = (name: string) => bench.world.visible(name)?.bytes;

describe('addresses to upload to', () => {
  test('are one for each upload at once, and used again', async () => {
    const bytes = randomBytes(4 * wish.partSize);
    const upload = await begin(provider, 'lanes.bin', bytes, wish);
    const ranges = [...partRanges(upload.layout)];
    const first = await Promise.all(ranges.slice(0, 3).map((range) => put(provider, upload.handle, range, bytes)));
    const rest = await Promise.all(ranges.slice(3).map((range) => put(provider, upload.handle, range, bytes)));
    await complete(provider, upload.handle, [...first, ...rest], bytes);
    expect(bench.world.mostAtOnce).toBeGreaterThan(1);
    expect(called('b2_get_upload_part_url')).toHaveLength(3);
    expect(bytesAt('lanes.bin')?.equals(bytes)).toBe(true);
    for (let n = 0; n < 3; n++) await store(provider, `small-${n}.bin`, randomBytes(10));
    expect(called('b2_get_upload_url')).toHaveLength(1);
  });

  test.each([500, 503, 408])('are dropped for another one at once where the server is full (%i)', async (status) => {
    const bytes = randomBytes(large);
    faults(({ host }) => host === 'pod', { kind: 'answer', status }, { kind: 'answer', status });
    await store(provider, 'full.bin', bytes, wish);
    expect(called('b2_get_upload_part_url')).toHaveLength(3);
    expect(bytesAt('full.bin')?.equals(bytes)).toBe(true);
  });

  test('are not asked for without end, and the pause that a server asks for is passed on', async () => {
    const busy: Fault = { kind: 'answer', status: 503 };
    faults(({ host }) => host === 'pod', busy, busy, busy, busy);
    expect(await failureOf(store(provider, 'busy.bin', randomBytes(10)))).toBe('busy');
    expect(called('b2_get_upload_url')).toHaveLength(4);
    faults(({ host }) => host === 'pod', { ...busy, headers: { 'retry-after': '3' } });
    await expect(store(provider, 'busy.bin', randomBytes(10))).rejects.toMatchObject({ code: 'busy', retryAfter: 3000 });
  });

  test.each([
    ['the connection breaks', { kind: 'lose-answer' }, 'unreachable'],
    ['too many requests', { kind: 'answer', status: 429, code: 'too_many_requests' }, 'busy'],
    ['its token is over', { kind: 'answer', status: 401, code: 'expired_auth_token' }, 'expired'],
  ] as const)('are dropped when %s', async (_, fault, code) => {
    const bytes = randomBytes(large);
    const upload = await begin(provider, 'dropped.bin', bytes, wish);
    const [range] = partRanges(upload.layout);
    faults(({ host }) => host === 'pod', fault);
    expect(await failureOf(put(provider, upload.handle, range!, bytes))).toBe(code);
    await complete(provider, upload.handle, await putAll(provider, upload, bytes), bytes);
    const tokens = called('b2_upload_part').map(({ headers }) => headers['authorization']);
    expect(new Set(tokens.slice(1)).has(tokens[0])).toBe(false);
  });

  test('are not used when they are older than a day', async () => {
    await store(provider, 'one.bin', randomBytes(10));
    bench.ours.clockOffset = bench.world.clockOffset = 21 * 3600_000;
    await store(provider, 'two.bin', randomBytes(10));
    expect(called('b2_get_upload_url')).toHaveLength(2);
  });
});

test('a token that ends in the middle is renewed, and nothing is sent twice', async () => {
  const bytes = randomBytes(2 * wish.partSize + 1_000);
  const inner = retrying(provider);
  const upload = await begin(inner, 'token.bin', bytes, wish);
  const [first, ...others] = partRanges(upload.layout);
  const parts = [await put(inner, upload.handle, first!, bytes)];
  bench.world.tokens.clear();
  bench.world.uploadTokens.clear();
  for (const range of others) parts.push(await put(inner, upload.handle, range, bytes));
  bench.world.tokens.clear();
  await complete(inner, upload.handle, parts, bytes);
  expect(bytesAt('token.bin')?.equals(bytes)).toBe(true);
  expect(bench.world.bytesTaken).toBe(bytes.length);
});

describe.each([true, false])('where the API tells of unfinished files: %s', (tells) => {
  beforeEach(() => {
    bench.world.tellsUnfinished = tells;
  });

  test('a completion whose answer was lost is found', async () => {
    const bytes = randomBytes(large);
    const upload = await begin(provider, 'lost.bin', bytes, wish);
    const parts = await putAll(provider, upload, bytes);
    faults(({ call }) => call === 'b2_finish_large_file', { kind: 'lose-answer' });
    expect(await failureOf(complete(provider, upload.handle, parts, bytes))).toBe('unreachable');
    const { fileId } = bench.world.visible('lost.bin')!;
    expect(await complete(provider, upload.handle, parts, bytes)).toMatchObject({ id: 'lost.bin', etag: fileId, size: bytes.length });
    expect(await bench.create().resume({ handle: upload.handle }, never)).toMatchObject({ state: 'complete', object: { etag: fileId } });
    expect(bench.world.files.get('lost.bin')).toHaveLength(1);
  });

  test('an upload goes on in another process with the parts that are there', async () => {
    const bytes = randomBytes(2 * wish.partSize + 1_000);
    const upload = await begin(provider, 'dies.bin', bytes, wish);
    const ranges = [...partRanges(upload.layout)];
    await put(provider, upload.handle, ranges[0]!, bytes);
    await put(provider, upload.handle, ranges[2]!, bytes);
    const next = bench.create();
    const resumed = await next.resume({ handle: upload.saved.at(-1)! }, never);
    if (resumed.state !== 'open') throw new Error(resumed.state);
    expect(resumed.stored.map(({ number }) => number)).toEqual([1, 3]);
    await complete(next, resumed.handle, await putAll(next, resumed, bytes), bytes);
    expect(bench.world.bytesTaken).toBe(bytes.length);
  });

  test('a part that another sender replaced is noticed at the end, and sent again', async () => {
    const bytes = randomBytes(large);
    const upload = await begin(provider, 'replaced.bin', bytes, wish);
    const parts = await putAll(provider, upload, bytes);
    await put(provider, upload.handle, [...partRanges(upload.layout)][1]!, randomBytes(bytes.length));
    expect(await failureOf(complete(provider, upload.handle, parts, bytes))).toBe('part_missing');
    await complete(provider, upload.handle, await putAll(provider, { ...upload, stored: [] }, bytes), bytes);
    expect(bytesAt('replaced.bin')?.equals(bytes)).toBe(true);
  });
});

test('a small file whose answer was lost is there once', async () => {
  const bytes = randomBytes(1000);
  const upload = await begin(provider, 'small.bin', bytes);
  faults(({ host }) => host === 'pod', { kind: 'lose-answer' });
  const parts = await putAll(retrying(provider), upload, bytes);
  const object = await complete(provider, upload.handle, parts, bytes);
  expect(bench.world.files.get('small.bin')?.map(({ fileId }) => fileId)).toEqual([object.etag]);
  expect(await bench.create().resume({ handle: upload.handle }, never)).toMatchObject({ state: 'complete', object: { etag: object.etag } });
});

test.each([500, 503])('a small file that was stored by a server that failed then (%i) is there once', async (status) => {
  faults(({ host }) => host === 'pod', { kind: 'fail-after', status });
  await store(provider, 'once.bin', randomBytes(1000));
  expect(bench.world.files.get('once.bin')).toHaveLength(1);
  expect(called('b2_upload_file')).toHaveLength(1);
});

test('a beginning whose answer was lost leaves no large file, however it ends', async () => {
  const bytes = randomBytes(large);
  for (const end of ['complete', 'abort'] as const) {
    faults(({ call }) => call === 'b2_start_large_file', { kind: 'lose-answer' });
    const upload = await begin(retrying(provider), `${end}.bin`, bytes, wish);
    expect(bench.world.largeFiles.size).toBe(2);
    if (end === 'complete') await complete(provider, upload.handle, await putAll(provider, upload, bytes), bytes);
    else await bench.create().abort({ handle: upload.handle }, never);
    expect(bench.world.largeFiles.size).toBe(0);
  }
});

test('an upload of others, of the same name, is left alone', async () => {
  const other = bench.create();
  const bytes = randomBytes(large);
  const theirs = await begin(other, 'same.bin', bytes, wish);
  const upload = await begin(provider, 'same.bin', bytes, wish);
  await provider.abort({ handle: upload.saved[0]! }, never);
  expect([...bench.world.largeFiles.values()]).toHaveLength(1);
  expect((await other.resume({ handle: theirs.handle }, never)).state).toBe('open');
});

test('a handle of the other API begins again, and its parts are removed', async () => {
  const handle = { api: 's3', upload: { key: 'moved.bin', uploadId: 'x' } };
  await begin(provider, 'moved.bin', randomBytes(large), wish);
  expect(await provider.resume({ handle }, never)).toEqual({ state: 'gone' });
  expect(await failureOf(complete(provider, handle, [], Buffer.alloc(0)))).toBe('upload_gone');
  await provider.abort({ handle }, never);
  expect(bench.world.largeFiles.size).toBe(0);
});

test.each([
  ['small', 1000],
  ['large', large],
])('a %s file carries its type, the time of its last change and the mark of its upload', async (_, size) => {
  await store(provider, 'meta.bin', randomBytes(size), { ...wish, contentType: 'video/mp4' });
  expect(bench.world.visible('meta.bin')).toMatchObject({
    contentType: 'video/mp4',
    info: {
      src_last_modified_millis: String(Date.parse('2026-01-02T03:04:05Z')),
      'longshore-upload': expect.stringMatching(/^[0-9a-f-]{36}$/),
    },
  });
});

test('a file of more than 10 TB is refused before anything is made', async () => {
  const request = { path: 'huge.bin', modified: new Date(), contentType: 'a/b', digests: {}, save: async () => undefined };
  expect(await failureOf(provider.begin({ ...request, size: 10_000_000_000_001 }, never))).toBe('too_large');
  expect(bench.world.requests).toEqual([]);
});
