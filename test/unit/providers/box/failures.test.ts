import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { boxConfig } from '#providers/box/config.ts';
import { digestsOf } from '#providers/digests.ts';
import { partRanges } from '#providers/parts.ts';
import type { CloudProvider } from '#providers/ports.ts';
import { withRetry } from '#providers/wrappers/retry.ts';
import { runs } from '#test/support/faults/seeds.ts';
import { type BoxBench, openBoxBench } from '#test/support/providers/box/bench.ts';
import type { Fault, SeenRequest } from '#test/support/providers/box/world.ts';
import { begin, complete, failureOf, put, putAll, store } from '#test/support/providers/conformance.ts';

const never = new AbortController().signal;

let bench: BoxBench;
let provider: CloudProvider;
beforeEach(async () => {
  bench = await openBoxBench();
  provider = bench.create();
});
afterEach(() => bench.close());

const retrying = (inner: CloudProvider) => withRetry(inner, { sleep: async () => undefined });
const list = (from = provider) => from.list({ folder: '', count: 1 }, never);
const asked = (method: string, path: RegExp): SeenRequest[] =>
  bench.world.requests.filter((one) => one.method === method && path.test(one.path));
/** Each fault once, for requests of that method and path. */
function faults(method: string, path: RegExp, ...given: Fault[]): void {
  bench.world.fault = (request) => (request.method === method && path.test(request.path) ? given.shift() : undefined);
}
const files = () => [...bench.world.items.values()].filter(({ type }) => type === 'file');
const [upload, part, commit] = [/files\/content$/, /upload_sessions\/\d+$/, /commit$/];

describe('signing in', () => {
  test.each([-10, 10])('works though our clock is %i minutes off', async (minutes) => {
    bench.ours.clockOffset = minutes * 60_000;
    await list();
  });

  test('is done again, once, when a token is refused in the middle', async () => {
    const bytes = randomBytes(3500);
    const around = retrying(provider);
    const begun = await begin(around, 'token.bin', bytes);
    bench.world.tokens.clear();
    await complete(around, begun.handle, await putAll(around, begun, bytes), bytes);
    expect(asked('POST', /token$/).length).toBe(2);
    expect(files()[0]!.bytes.equals(bytes)).toBe(true);
  });

  test('tells a wrong passphrase from a key that cannot be read', () => {
    // Some of them decrypt it, to nonsense.
    for (let other = 0; other < runs(100, 3_000); other++)
      expect(() => boxConfig({ ...bench.authorization, passphrase: `another ${other}` })).toThrow('passphrase does not open');
    expect(() => boxConfig({ ...bench.authorization, private_key: 'no key' })).toThrow('cannot be read');
  });
});

describe('an answer that is lost', () => {
  test('of a file in one request makes no second one, and no second version', async () => {
    const bytes = randomBytes(500);
    faults('POST', upload, { kind: 'lose-answer' });
    const { object } = await store(retrying(provider), 'a/lost.bin', bytes);
    expect(files().map(({ id, version }) => [`/${id}`, version])).toEqual([[object.id, object.etag]]);
  });

  test('of a part leaves one part', async () => {
    const bytes = randomBytes(3500);
    faults('PUT', part, { kind: 'lose-answer' });
    await store(retrying(provider), 'part.bin', bytes);
    expect(files()[0]!.bytes.equals(bytes)).toBe(true);
  });

  test('of the commit makes no second file', async () => {
    bench.world.waits = 0;
    const bytes = randomBytes(3500);
    faults('POST', commit, { kind: 'lose-answer' });
    const { object } = await store(retrying(provider), 'commit.bin', bytes);
    expect(files().map(({ id }) => `/${id}`)).toEqual([object.id]);
  });
});

describe('a commit', () => {
  test('is repeated until the file is there', async () => {
    bench.world.waits = 5;
    await store(provider, 'waits.bin', randomBytes(2500));
    expect(asked('POST', commit).length).toBe(6);
  });

  test('is repeated when Box does not know of the last part yet', async () => {
    faults('POST', commit, { kind: 'answer', status: 400, code: 'parts_mismatch' });
    await store(provider, 'mismatch.bin', randomBytes(2500));
    expect(files().length).toBe(1);
  });

  test('with another digest leaves nothing, and the file begins again', async () => {
    const bytes = randomBytes(2500);
    const begun = await begin(provider, 'digest.bin', bytes);
    const parts = await putAll(provider, begun, bytes);
    const wrong = provider.complete({ handle: begun.handle, parts, digests: digestsOf(randomBytes(3), ['sha1']) }, never);
    expect(await failureOf(wrong)).toBe('upload_gone');
    expect([files().length, bench.world.sessions.size]).toEqual([0, 0]);
    await store(provider, 'digest.bin', bytes);
  });
});

describe('names', () => {
  test('a new folder of several files is made once', async () => {
    await Promise.all(['a', 'b', 'c', 'd'].map((name) => store(provider, `new/deep/${name}.bin`, randomBytes(10))));
    expect(asked('POST', /\/folders$/).length).toBe(2);
    expect(files().length).toBe(4);
  });

  test('a folder that another made first is used', async () => {
    await Promise.all([provider, bench.create(), bench.create()].map((one, index) => store(one, `shared/${index}.bin`, randomBytes(10))));
    expect([...bench.world.items.values()].filter(({ name }) => name === 'shared').length).toBe(1);
  });

  test('a file whose name differs only in case is not replaced', async () => {
    await store(provider, 'Case.bin', Buffer.from('theirs'));
    expect(await failureOf(begin(provider, 'case.BIN', randomBytes(10)))).toBe('exists');
    expect(files().map(({ bytes }) => bytes.toString())).toEqual(['theirs']);
    expect(provider.paths.ignoresCase).toBe(true);
  });

  test('what Box cannot hold is told before', () => {
    const { problem } = provider.paths;
    expect(problem('a/b c/ünï 日本.mov')).toBeNull();
    for (const path of ['a//b', 'a/..', 'x'.repeat(256), 'a\\b', 'a /b', 'a\tb', 'a\ud800']) expect(problem(path), path).not.toBeNull();
  });
});

describe('a refusal is told', () => {
  test.each([
    [401, 'unauthorized', 'expired'],
    [403, 'access_denied_insufficient_permissions', 'forbidden'],
    [403, 'storage_limit_exceeded', 'full'],
    [403, 'file_size_limit_exceeded', 'too_large'],
    [404, 'not_found', 'not_found'],
    [409, 'name_temporarily_reserved', 'busy'],
    [429, 'rate_limit_exceeded', 'busy'],
    [503, 'unavailable', 'busy'],
  ] as const)('%i %s as %s', async (status, code, expected) => {
    bench.world.fault = ({ path }) =>
      path.includes('token') ? undefined : { kind: 'answer', status, code, headers: { 'retry-after': '7' } };
    await expect(list()).rejects.toMatchObject({ code: expected, retryAfter: 7000, answered: `${code} ${status}` });
  });

  test('for a session that is over', async () => {
    const bytes = randomBytes(3500);
    const begun = await begin(provider, 'over.bin', bytes);
    bench.world.sessions.clear();
    expect(await failureOf(put(provider, begun.handle, [...partRanges(begun.layout)][0]!, bytes))).toBe('upload_gone');
    expect((await provider.resume({ handle: begun.handle }, never)).state).toBe('gone');
  });
});
