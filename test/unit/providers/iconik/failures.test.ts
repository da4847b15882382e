import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { checkProvider } from '#providers/check.ts';
import { ProviderError } from '#providers/errors.ts';
import { iconikConfig } from '#providers/iconik/config.ts';
import { partRanges } from '#providers/parts.ts';
import type { CloudProvider } from '#providers/ports.ts';
import { withRetry } from '#providers/wrappers/retry.ts';
import { begin, failureOf, put, putAll, store } from '#test/support/providers/conformance.ts';
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
const asked = (method: string, path: RegExp): SeenRequest[] =>
  bench.world.requests.filter((one) => one.method === method && path.test(one.path));

const isCompletion = ({ method, path, query }: SeenRequest): boolean =>
  method === 'POST' && path.startsWith('/s3/') && query.has('uploadId');

async function errorOf(work: Promise<unknown>): Promise<ProviderError> {
  const error: unknown = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ProviderError)) throw new Error(`It is no ProviderError but ${String(error)}.`);
  return error;
}

async function firstFailure(): Promise<string> {
  const { ok, steps } = await checkProvider(provider, { direction: 'service_to_cloud', folder: 'x', signal: never });
  expect(ok).toBe(false);
  return steps.find((step) => !step.ok)!.message;
}

describe('a token', () => {
  test('that is revoked in the middle fails for good, in words that say what to do', async () => {
    const bytes = randomBytes(large);
    const upload = await begin(provider, 'a/revoked.bin', bytes, wish);
    const [first, second] = partRanges(upload.layout);
    await put(provider, upload.handle, first!, bytes);
    bench.world.account.token = 'a-new-one';
    const error = await errorOf(put(retrying(provider), upload.handle, second!, bytes));
    expect(error).toMatchObject({ code: 'credentials_refused', blame: 'connection', retry: 'never' });
    expect(error.message).toContain('Application Tokens');
  });

  test('never goes to the bucket', async () => {
    await store(provider, 'a/token.bin', randomBytes(large), wish);
    const toBucket = bench.world.requests.filter(({ path }) => path.startsWith('/s3/'));
    expect(toBucket.length).toBeGreaterThan(3);
    expect(toBucket.filter(({ headers }) => headers['auth-token'] !== undefined || headers['app-id'] !== undefined)).toEqual([]);
  });

  test('and a storage that cannot be what they are, are refused before anything is asked', () => {
    expect(() => iconikConfig({ ...bench.authorization, storage_id: 'dailies' })).toThrow('storage ID');
    expect(() => iconikConfig({ ...bench.authorization, application_token: 'two\nlines' })).toThrow('characters');
  });
});

describe('the storage', () => {
  test('of another ID is told', async () => {
    provider = bench.create({ storage_id: '00000000-0000-4000-8000-000000000000' });
    expect((await errorOf(provider.check({ direction: 'service_to_cloud', folder: '' }, never))).code).toBe('no_destination');
  });

  test.each([
    ['FILE', 'iconik Storage Gateway'],
    ['B2', 'Backblaze B2'],
    ['AZURE', 'Azure Blob Storage'],
    ['FTP', 'a kind of storage'],
  ])('of the method %s is refused by the check and by a transfer', async (method, words) => {
    bench.world.storage.method = method;
    expect(await firstFailure()).toContain(words);
    expect((await errorOf(begin(provider, 'a.bin', randomBytes(10)))).code).toBe('misconfigured');
    expect(bench.world.assets.size).toBe(0);
  });

  test('that holds previews is refused', async () => {
    bench.world.storage.purpose = 'PROXIES';
    expect(await firstFailure()).toContain('purpose');
  });

  test('that iconik cannot reach is told', async () => {
    bench.world.storage.status = 'FAILING';
    expect(await firstFailure()).toContain('not active');
  });

  test('where iconik may not write is told by the check, before a file is begun', async () => {
    bench.world.storage.access.write = false;
    bench.world.storage.access.delete = false;
    expect(await firstFailure()).toContain('may not write, delete');
    expect(bench.world.assets.size).toBe(0);
  });

  test('whose bucket refuses writes is told, and nothing is left', async () => {
    bench.world.bucketAllows.delete('put');
    expect(await firstFailure()).toContain('bucket behind iconik does not allow this');
    expect(everythingKept(bench.world)).toEqual([]);
  });
});

describe('a part', () => {
  test.each([
    ['is not kept', true],
    ['where no digest can go along is noticed', false],
  ])('that arrives changed %s, and is sent again', async (_, takesDigests) => {
    bench.world.takesDigests = takesDigests;
    const bytes = randomBytes(large);
    // The first part learns whether a digest can go along.
    await store(provider, 'a/first.bin', randomBytes(10));
    bench.world.objects.clear();
    faults('PUT', /^\/s3\//, { kind: 'corrupt' });
    const upload = await begin(provider, 'a/changed.bin', bytes, wish);
    const [first] = partRanges(upload.layout);
    expect(await failureOf(put(provider, upload.handle, first!, bytes))).toBe('corrupted');
    const kept = [...bench.world.uploads.values()].flatMap(({ parts }) => [...parts]);
    expect(kept.length).toBe(takesDigests ? 0 : 1);
    faults('PUT', /^\/s3\//, { kind: 'corrupt' });
    await store(retrying(provider), 'a/again.bin', bytes, wish);
    expect([...bench.world.objects.values()].map((one) => one.equals(bytes))).toEqual([true]);
  });

  test('of a bucket that encrypts with KMS is taken, though its etag is no digest', async () => {
    bench.world.encrypted = true;
    await store(provider, 'a/kms.bin', randomBytes(large), wish);
    expect(bench.world.objects.size).toBe(1);
  });

  test('whose address is over gets a new one', async () => {
    const life = bench.world.addressLife;
    const upload = await begin(provider, 'a/over.bin', randomBytes(10));
    const [first] = partRanges(upload.layout);
    bench.world.addressLife = -1;
    expect(await errorOf(put(provider, upload.handle, first!, randomBytes(10)))).toMatchObject({ code: 'expired', retry: 'renew' });
    bench.world.addressLife = life;
    await put(provider, upload.handle, first!, randomBytes(10));
  });

  test('is found again, however many pages their list has', async () => {
    bench.world.partsOfPage = 1;
    const bytes = randomBytes(large);
    const upload = await begin(provider, 'a/pages.bin', bytes, wish);
    const parts = await putAll(provider, upload, bytes);
    expect(await bench.create().resume({ handle: upload.handle }, never)).toMatchObject({ state: 'open', stored: parts });
  });

  test('that S3 fails to put together, though it answers 200, is tried again', async () => {
    const given: Fault[] = [{ kind: 'answer', status: 200, code: 'InternalError' }];
    bench.world.fault = (request) => (isCompletion(request) ? given.shift() : undefined);
    await store(retrying(provider), 'a/late.bin', randomBytes(large), wish);
    expect(bench.world.requests.filter(isCompletion).length).toBe(2);
  });
});

describe('a bucket whose policy', () => {
  test('does not allow to list parts has the file begin again after a crash', async () => {
    bench.world.bucketAllows.delete('list-parts');
    const bytes = randomBytes(large);
    const upload = await begin(provider, 'a/list.bin', bytes, wish);
    await put(provider, upload.handle, [...partRanges(upload.layout)][0]!, bytes);
    expect((await bench.create().resume({ handle: upload.handle }, never)).state).toBe('gone');
  });

  test('does not allow to abort is told, and people see no half file', async () => {
    bench.world.bucketAllows.delete('abort');
    const upload = await begin(provider, 'a/abort.bin', randomBytes(large), wish);
    const error = await errorOf(provider.abort({ handle: upload.handle }, never));
    expect(error).toMatchObject({ code: 'forbidden', answered: 'AccessDenied 403' });
    expect(everythingKept(bench.world).filter((one) => one.startsWith('asset'))).toEqual([]);
  });
});

describe('a role that the user lacks', () => {
  test.each(['can_create_assets', 'can_write_files', 'can_read_collections', 'can_delete_assets'] as const)(
    '%s is told by the check',
    async (role) => {
      bench.world.account.roles.delete(role);
      expect(await firstFailure()).toContain('roles');
    },
  );

  test('can_create_transcode_jobs leaves the file complete, without previews', async () => {
    bench.world.account.roles.delete('can_create_transcode_jobs');
    const { object } = await store(provider, 'a/plain.bin', randomBytes(10));
    expect((await provider.head({ id: object.id }, never))?.size).toBe(10);
    expect(bench.world.previews).toEqual([]);
  });
});

describe('a refusal is told', () => {
  test.each([
    [400, 'misconfigured'],
    [401, 'credentials_refused'],
    [403, 'forbidden'],
    [404, 'not_found'],
    [429, 'busy'],
    [500, 'busy'],
    [503, 'busy'],
    [302, 'redirected'],
  ] as const)('%i as %s', async (status, code) => {
    faults('POST', /collections\/$/, { kind: 'answer', status, headers: { 'retry-after': '7' } });
    const error = await errorOf(provider.makeFolder({ path: 'new' }, never));
    expect(error).toMatchObject({ code, retryAfter: 7000, answered: String(status) });
  });

  test.each([
    [403, 'ExpiredToken', 'expired'],
    [403, 'AccessDenied', 'forbidden'],
    [404, 'NoSuchBucket', 'no_destination'],
    [404, 'NoSuchUpload', 'upload_gone'],
    [400, 'BadDigest', 'corrupted'],
    [403, 'QuotaExceeded', 'full'],
    [503, 'SlowDown', 'busy'],
    [301, 'PermanentRedirect', 'redirected'],
  ] as const)("of the bucket's: %i %s as %s", async (status, name, code) => {
    const bytes = randomBytes(10);
    const upload = await begin(provider, 'a/refused.bin', bytes);
    faults('PUT', /^\/s3\//, { kind: 'answer', status, code: name });
    const error = await errorOf(put(provider, upload.handle, [...partRanges(upload.layout)][0]!, bytes));
    expect(error).toMatchObject({ code, answered: `${name} ${status}` });
  });
});

describe('collections', () => {
  const active = () => [...bench.world.collections.values()].filter(({ status }) => status === 'ACTIVE').map(({ title }) => title);

  test('of several files at once are made once', async () => {
    await Promise.all(['a', 'b', 'c'].map((name) => store(provider, `new/deep/${name}.bin`, randomBytes(10))));
    expect(active()).toEqual(['new', 'deep']);
    expect(asked('POST', /collections\/$/).length).toBe(2);
  });

  test('that several nodes make at once are one', async () => {
    await Promise.all([provider, bench.create(), bench.create()].map((one, index) => store(one, `shared/${index}.bin`, randomBytes(10))));
    expect(active()).toEqual(['shared']);
    expect([...bench.world.assets.values()].map(({ collections }) => [...collections].length)).toEqual([1, 1, 1]);
  });

  test('that people removed meanwhile are made again', async () => {
    await store(provider, 'gone/a.bin', randomBytes(10));
    for (const collection of bench.world.collections.values()) collection.status = 'DELETED';
    await store(provider, 'gone/b.bin', randomBytes(10));
    expect((await provider.list({ folder: 'gone', count: 10 }, never)).entries.map(({ name }) => name)).toEqual(['b.bin']);
  });

  test('with something in them are not removed', async () => {
    await store(provider, 'kept/a.bin', randomBytes(10));
    await provider.remove({ id: 'kept' }, never);
    expect(active()).toEqual(['kept']);
  });
});

test('two files of one name lie in two places of the bucket', async () => {
  await store(provider, 'twice/a.bin', Buffer.from('one'));
  await store(provider, 'twice/a.bin', Buffer.from('two'));
  expect([...bench.world.objects.values()].map(String).sort()).toEqual(['one', 'two']);
  expect([...bench.world.objects.keys()].every((key) => /^twice\/[0-9a-f]{12}\/a\.bin$/.test(key))).toBe(true);
});

test('a file that is complete has its previews asked for, once', async () => {
  const { upload, parts } = await store(provider, 'a/previews.bin', randomBytes(10));
  await bench.create().complete({ handle: upload.handle, parts, digests: {} }, never);
  expect(bench.world.previews.length).toBe(1);
});

test('names that iconik cannot hold are told before', () => {
  const { problem } = provider.paths;
  expect(problem('a/b c/ünï 日本.mov')).toBeNull();
  for (const path of ['', 'a//b', 'a/..', 'x'.repeat(801), 'a /b', 'a\tb', 'a\ud800']) expect(problem(path), path).toMatch(/^[A-Z].*\.$/);
});
