import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { b2Config } from '#providers/b2/config.ts';
import { checkProvider } from '#providers/check.ts';
import { ProviderError } from '#providers/errors.ts';
import type { CloudProvider } from '#providers/ports.ts';
import { withRetry } from '#providers/wrappers/retry.ts';
import { type B2Bench, openB2Bench } from '#test/support/providers/b2/bench.ts';
import { failureOf, store } from '#test/support/providers/conformance.ts';

const never = new AbortController().signal;
const hour = 3600_000;

let bench: B2Bench;
let provider: CloudProvider;
beforeEach(async () => {
  bench = await openB2Bench();
  provider = bench.create();
});
afterEach(() => bench.close());

const list = (from = provider) => from.list({ folder: '', count: 1 }, never);
const check = (from: CloudProvider) => checkProvider(from, { direction: 'service_to_cloud', folder: 'x', signal: never });
const signIns = (): number => bench.world.requests.filter(({ host }) => host === 'authorize').length;
async function errorOf(work: Promise<unknown>): Promise<ProviderError> {
  const error = await work.then(
    () => null,
    (failure: unknown) => failure,
  );
  if (error instanceof ProviderError) return error;
  throw error ?? new Error('It did not fail.');
}

describe('signing in', () => {
  test('is done once for all who wait, and again at four fifths of a day', async () => {
    await Promise.all([list(), list(), list()]);
    expect(signIns()).toBe(1);
    bench.ours.clockOffset = bench.world.clockOffset = 19 * hour;
    await list();
    expect(signIns()).toBe(1);
    bench.ours.clockOffset = bench.world.clockOffset = 20 * hour;
    await list();
    expect(signIns()).toBe(2);
  });

  test('is done again, once, when a token is refused or over', async () => {
    await list();
    bench.world.tokens.clear();
    expect(await failureOf(list())).toBe('expired');
    await list(withRetry(provider));
    expect(signIns()).toBe(2);
    bench.world.clockOffset = 25 * hour;
    await list(withRetry(provider));
    expect(signIns()).toBe(3);
  });

  test('fails for good when the key was deleted, in words that say what to do', async () => {
    await list();
    bench.world.keys.clear();
    const error = await errorOf(list(withRetry(provider)));
    expect(error).toMatchObject({ code: 'credentials_refused', blame: 'connection', retry: 'never' });
    expect(error.message).toContain('make a new one');
  });

  test.each([
    [403, 'bad_account_status', 'credentials_refused', 'owner'],
    [403, 'transaction_cap_exceeded', 'full', 'Caps & Alerts'],
  ] as const)('that is refused by %i %s is told', async (status, code, expected, words) => {
    bench.world.fault = ({ host }) => (host === 'authorize' ? { kind: 'answer', status, code } : undefined);
    const error = await errorOf(list());
    expect(error).toMatchObject({ code: expected, answered: `${code} ${status}` });
    expect(error.message).toContain(words);
  });

  test('takes a key that was copied with blanks around it', async () => {
    const { id, secret } = bench.world.masterKey;
    await list(bench.create({ id: ` ${id}\n`, secret: `${secret} ` }));
    expect(() => b2Config({ client_id: id, client_secret: secret, destination: '' })).toThrow('no bucket');
  });

  test('sends the token to nobody but Backblaze', async () => {
    bench.world.s3ApiUrl = 'https://backblazeb2.com.example.com';
    expect(await failureOf(list())).toBe('bad_answer');
    bench.world.s3ApiUrl = 'http://s3.us-west-004.backblazeb2.com';
    expect(await failureOf(list())).toBe('bad_answer');
  });
});

describe('the key', () => {
  const newStyle = () => {
    const key = { ...bench.world.masterKey, id: `005${bench.world.accountId}0000000000` };
    bench.world.keys.set(key.id, key);
    return key;
  };

  test.each(['old', 'new'])('that is the master key, in the %s form, goes natively and is advised against', async (form) => {
    const report = await check(form === 'old' ? provider : bench.create(newStyle()));
    expect(report).toMatchObject({ ok: true, notes: [expect.stringContaining('master application key')] });
    expect(bench.world.requests.some(({ host }) => host === 'pod')).toBe(true);
  });

  test('of a bucket without the S3-compatible API goes natively', async () => {
    bench.world.bucket.options = [];
    const report = await check(bench.create(bench.world.key));
    expect(report).toMatchObject({ ok: true, notes: [expect.stringContaining('older than the S3-compatible API')] });
  });

  test('is told with all capabilities that it lacks, at once, and nothing is written', async () => {
    for (const one of ['deleteFiles', 'listFiles']) bench.world.masterKey.capabilities.delete(one);
    const { ok, steps } = await check(provider);
    expect(ok).toBe(false);
    expect(steps[0]!.message).toContain('lacks listFiles, deleteFiles.');
    expect(bench.world.files.size).toBe(0);
  });

  test('without listBuckets works if it names the bucket, else says so', async () => {
    bench.world.key.capabilities.delete('listBuckets');
    await provider.check({ direction: 'service_to_cloud', folder: '' }, never);
    const limited = bench.create(bench.world.key);
    expect(await limited.check({ direction: 'service_to_cloud', folder: '' }, never)).toEqual([]);
    bench.world.masterKey.capabilities.delete('listBuckets');
    expect((await errorOf(list(bench.create()))).message).toContain('listBuckets');
  });

  test('that ends soon, has a prefix or reaches all buckets is told', async () => {
    const { key } = bench.world;
    key.namePrefix = 'deliveries/';
    key.buckets = null;
    key.expires = Date.now() + 36 * hour;
    const notes = await bench.create(key).check({ direction: 'service_to_cloud', folder: '' }, never);
    expect(notes).toEqual([
      expect.stringContaining('all buckets of the account'),
      expect.stringContaining('begin with "deliveries/"'),
      expect.stringMatching(/expires on \d{4}-\d\d-\d\d, in 1 day\./),
    ]);
  });

  test('with a prefix writes below it alone', async () => {
    bench.world.masterKey.namePrefix = 'deliveries/';
    await store(provider, 'deliveries/in.bin', randomBytes(10));
    const error = await errorOf(store(provider, 'elsewhere/out.bin', randomBytes(10)));
    expect(error.code).toBe('forbidden');
    expect(error.message).toContain('prefix');
  });
});

describe('a refusal is told', () => {
  test.each([
    [400, 'bad_bucket_id', 'no_destination'],
    [400, 'auth_token_limit', 'busy'],
    [400, 'bad_request', 'misconfigured'],
    [401, 'expired_auth_token', 'expired'],
    [401, 'bad_auth_token', 'expired'],
    [401, 'unauthorized', 'forbidden'],
    [403, 'access_denied', 'forbidden'],
    [403, 'cap_exceeded', 'full'],
    [403, 'transaction_cap_exceeded', 'full'],
    [408, 'request_timeout', 'busy'],
    [429, 'too_many_requests', 'busy'],
    [500, 'internal_error', 'busy'],
    [503, 'service_unavailable', 'busy'],
    [302, '', 'redirected'],
  ] as const)('%i %s as %s', async (status, code, expected) => {
    bench.world.fault = ({ call }) =>
      call === 'b2_list_file_names' ? { kind: 'answer', status, code, headers: { 'retry-after': '7' } } : undefined;
    expect(await errorOf(list())).toMatchObject({ code: expected, retryAfter: 7000, answered: `${code} ${status}`.trim() });
  });

  test('for a sign-in that is busy, as that', async () => {
    bench.world.fault = ({ host }) => (host === 'authorize' ? { kind: 'answer', status: 503, headers: { 'retry-after': '2' } } : undefined);
    expect(await errorOf(list())).toMatchObject({ code: 'busy', retryAfter: 2000 });
  });

  test.each([
    ['storage', 'The storage cap of the Backblaze account is reached.'],
    ['transaction', 'The daily cap for transactions of the Backblaze account is reached.'],
    ['download', 'The daily cap for downloads of the Backblaze account is reached.'],
  ] as const)('for a %s cap in words, and is no reason to try again', async (cap, words) => {
    const { object } = await store(provider, 'before.bin', randomBytes(10));
    bench.world.reached.add(cap);
    const next = bench.create();
    const work = cap === 'download' ? next.openRange({ id: object.id }, never) : store(next, 'more.bin', randomBytes(10));
    const error = await errorOf(work);
    expect(error).toMatchObject({ code: 'full', retry: 'never', blame: 'connection' });
    expect(error.message).toContain(words);
    expect(error.message).toContain('Caps & Alerts');
  });
});

describe('reading', () => {
  test('fails where the bytes break off', async () => {
    const { object } = await store(provider, 'breaks.bin', randomBytes(200_000));
    bench.world.fault = ({ host }) => (host === 'download' ? { kind: 'break-read', bytes: 1000 } : undefined);
    expect(await failureOf(provider.openRange({ id: object.id }, never).then(buffer))).toBe('unreachable');
  });

  test('signs in again when the token is over', async () => {
    const bytes = randomBytes(100);
    const { object } = await store(provider, 'again.bin', bytes);
    bench.world.tokens.clear();
    expect((await buffer(await withRetry(provider).openRange({ id: object.id }, never))).equals(bytes)).toBe(true);
  });
});

describe('versions', () => {
  const versions = (name: string) => (bench.world.files.get(name) ?? []).map(({ action }) => action);
  const theirs = (fileName: string) =>
    bench.world.store({
      fileId: bench.world.newFileId(),
      fileName,
      action: 'upload',
      contentType: 'text/plain',
      info: {},
      bytes: Buffer.from('theirs'),
      sha1: null,
    });

  test('of Longshore are deleted, all of them, and not only hidden', async () => {
    await store(provider, 'ours.bin', randomBytes(10));
    const { object } = await store(provider, 'ours.bin', randomBytes(11));
    expect(versions('ours.bin')).toEqual(['upload', 'upload']);
    await provider.remove({ id: object.id }, never);
    expect(versions('ours.bin')).toEqual([]);
  });

  test('of others are hidden, so that they can be brought back', async () => {
    theirs('theirs.txt');
    await provider.remove({ id: 'theirs.txt' }, never);
    await provider.remove({ id: 'theirs.txt' }, never);
    expect(versions('theirs.txt')).toEqual(['hide', 'upload']);
    expect(await provider.head({ id: 'theirs.txt' }, never)).toBeNull();
    const { object } = await store(provider, 'theirs.txt', randomBytes(5));
    await provider.remove({ id: object.id }, never);
    expect(versions('theirs.txt')).toEqual(['hide', 'upload']);
  });

  test('of a name with many others behind it are all found', async () => {
    for (let n = 0; n < 120; n++) theirs(`a${String(n).padStart(3, '0')}`);
    for (let n = 0; n < 103; n++) await store(provider, 'a', randomBytes(1));
    await provider.remove({ id: 'a' }, never);
    expect(versions('a')).toEqual([]);
    expect(bench.world.files.size).toBe(120);
  });
});

test('names that Backblaze cannot hold are told before', () => {
  const { problem } = provider.paths;
  expect(problem('a/b c/ünï 日本.mov')).toBeNull();
  expect(problem(`${'ü'.repeat(125)}/${'x'.repeat(250)}`)).toBeNull();
  for (const path of ['ü'.repeat(126), 'x/'.repeat(513), 'a\nb', '.', 'a/../b', '/a', 'a/', 'a//b', 'a\\b', 'a\u007f', 'a\ud800b'])
    expect(problem(path), path).toMatch(/\.$|"\.\."\.$/);
});
