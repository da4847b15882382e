import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { checkProvider } from '#providers/check.ts';
import { ProviderError } from '#providers/errors.ts';
import { gcsConfig } from '#providers/gcs/config.ts';
import type { CloudProvider } from '#providers/ports.ts';
import { withRetry } from '#providers/wrappers/retry.ts';
import { failureOf, store } from '#test/support/providers/conformance.ts';
import { type GcsBench, openGcsBench } from '#test/support/providers/gcs/bench.ts';

const never = new AbortController().signal;
const minute = 60_000;

let bench: GcsBench;
let provider: CloudProvider;
beforeEach(async () => {
  bench = await openGcsBench();
  provider = bench.create();
});
afterEach(() => bench.close());

const list = (from = provider) => from.list({ folder: '', count: 1 }, never);
const signIns = (): number => bench.world.requests.filter(({ path }) => path === '/token').length;
async function errorOf(work: Promise<unknown>): Promise<ProviderError> {
  const error = await work.then(
    () => null,
    (failure: unknown) => failure,
  );
  if (error instanceof ProviderError) return error;
  throw error ?? new Error('It did not fail.');
}

describe('signing in', () => {
  test('is done once for all who wait, and again at four fifths of the life of a token', async () => {
    await Promise.all([list(), list(), list()]);
    expect(signIns()).toBe(1);
    bench.ours.clockOffset = bench.world.clockOffset = 47 * minute;
    await list();
    expect(signIns()).toBe(1);
    bench.ours.clockOffset = bench.world.clockOffset = 49 * minute;
    await list();
    expect(signIns()).toBe(2);
  });

  test('goes on for the others when the first who waits is cancelled', async () => {
    const first = new AbortController();
    const cancelled = provider.list({ folder: '', count: 1 }, first.signal);
    const other = list();
    first.abort(new Error('cancelled'));
    await expect(cancelled).rejects.toThrow('cancelled');
    await other;
    expect(signIns()).toBe(1);
  });

  test('is done again, once, when a token is refused', async () => {
    await list();
    bench.world.tokens.clear();
    expect(await failureOf(list())).toBe('expired');
    await list(withRetry(provider));
    expect(signIns()).toBe(2);
  });

  test.each([-10, 10])('works though our clock is %i minutes off', async (minutes) => {
    bench.ours.clockOffset = minutes * minute;
    await list();
    await store(provider, 'skewed.bin', randomBytes(10));
  });

  test('fails for good when the key was deleted, in words that say what to do', async () => {
    await list();
    bench.world.account.publicKey = null;
    bench.world.tokens.clear();
    const error = await errorOf(list(withRetry(provider)));
    expect(error).toMatchObject({ code: 'credentials_refused', blame: 'connection', retry: 'never' });
    expect(error.message).toContain('make a new key');
  });

  test('takes a key whose line breaks are still written as in the JSON file', async () => {
    await list(bench.create({ private_key: bench.world.privateKeyPem.replaceAll('\n', '\\n') }));
  });

  test.each(['', 'no key', '-----BEGIN PRIVATE KEY-----\nMIIsecret\n-----END PRIVATE KEY-----'])(
    'refuses what is no key: %j',
    (private_key) => {
      let error: unknown;
      try {
        gcsConfig({ ...bench.authorization, private_key });
      } catch (thrown) {
        error = thrown;
      }
      expect(error).toMatchObject({ code: 'misconfigured', message: expect.stringContaining('cannot be read') });
      expect(String((error as Error).cause)).not.toContain('MIIsecret');
    },
  );
});

describe('a refusal is told', () => {
  test.each([
    [403, 'rateLimitExceeded', 'busy'],
    [403, 'userRateLimitExceeded', 'busy'],
    [403, 'accountDisabled', 'forbidden'],
    [403, 'retentionPolicyNotMet', 'forbidden'],
    [403, 'quotaExceeded', 'full'],
    [401, 'authError', 'expired'],
    [408, '', 'busy'],
    [429, 'rateLimitExceeded', 'busy'],
    [500, 'backendError', 'busy'],
    [503, 'backendError', 'busy'],
    [302, '', 'redirected'],
    [400, 'invalid', 'misconfigured'],
  ] as const)('%i %s as %s', async (status, reason, code) => {
    bench.world.fault = ({ path }) => (path === '/token' ? undefined : { kind: 'answer', status, reason, headers: { 'retry-after': '7' } });
    expect(await errorOf(list())).toMatchObject({ code, retryAfter: 7000, answered: expect.stringContaining(String(status)) });
  });

  test('with the permission that is missing', async () => {
    bench.world.account.permissions.delete('storage.objects.list');
    const error = await errorOf(list());
    expect(error.code).toBe('forbidden');
    expect(error.message).toContain('storage.objects.list');
    expect(error.message).toContain('roles/storage.objectUser');
  });

  test('by the check with all permissions that are missing, at once', async () => {
    bench.world.account.permissions.delete('storage.objects.delete');
    bench.world.account.permissions.delete('storage.objects.list');
    const { ok, steps } = await checkProvider(provider, { direction: 'service_to_cloud', folder: 'x', signal: never });
    expect(ok).toBe(false);
    expect(steps[0]!.message).toContain('storage.objects.delete, storage.objects.list');
    expect(bench.world.objects.size).toBe(0);
  });

  test('for a file that may not be replaced, since nobody may delete here', async () => {
    await store(provider, 'once.bin', randomBytes(10));
    bench.world.account.permissions.delete('storage.objects.delete');
    const error = await errorOf(store(provider, 'once.bin', randomBytes(10)));
    expect(error.message).toContain('storage.objects.delete');
  });
});

describe('reading', () => {
  test('fails where the bytes break off', async () => {
    const { object } = await store(provider, 'breaks.bin', randomBytes(200_000));
    bench.world.fault = ({ query }) => (query.get('alt') === 'media' ? { kind: 'break-read', bytes: 1000 } : undefined);
    expect(await failureOf(provider.openRange({ id: object.id }, never).then(buffer))).toBe('unreachable');
  });

  test('asks for the bytes as they are stored', async () => {
    const { object } = await store(provider, 'plain.bin', randomBytes(10));
    await buffer(await provider.openRange({ id: object.id, ifMatch: object.etag, range: { start: 0, end: 3 } }, never));
    expect(bench.world.requests.at(-1)!.headers['accept-encoding']).toBe('gzip');
  });
});

test('names that Google cannot hold are told before', () => {
  const { problem } = provider.paths;
  expect(problem('a/b c/ünï 日本.mov')).toBeNull();
  expect(problem('ü'.repeat(512))).toBeNull();
  for (const path of ['ü'.repeat(513), 'a\nb', '.', '..', '.well-known/acme-challenge/x', 'a\ud800b'])
    expect(problem(path), path).toMatch(/\.$|\.\.$/);
});
