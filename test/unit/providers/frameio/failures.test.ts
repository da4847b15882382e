import { randomBytes, randomUUID } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { frameioConfig } from '#providers/frameio/config.ts';
import { partRanges } from '#providers/parts.ts';
import type { CloudProvider, UploadHandle } from '#providers/ports.ts';
import { withPacing } from '#providers/wrappers/pacing.ts';
import { withRetry } from '#providers/wrappers/retry.ts';
import { begin, complete, failureOf, put, putAll, store } from '#test/support/providers/conformance.ts';
import { listAll } from '#test/support/providers/files.ts';
import { type FrameioBench, openFrameioBench } from '#test/support/providers/frameio/bench.ts';
import type { Fault, SeenRequest } from '#test/support/providers/frameio/world.ts';

const never = new AbortController().signal;

let bench: FrameioBench;
let provider: CloudProvider;
beforeEach(async () => {
  bench = await openFrameioBench();
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
const [creation, part, status] = [/local_upload$/, /^\/s3\//, /status$/];

describe('signing in', () => {
  test('is done again, once, when a token is refused in the middle', async () => {
    const bytes = randomBytes(3500);
    const around = retrying(provider);
    const begun = await begin(around, 'token.bin', bytes);
    bench.world.tokens.clear();
    await complete(around, begun.handle, await putAll(around, begun, bytes), bytes);
    expect(asked('POST', /token/).length).toBe(2);
    expect(bench.world.bytesOf(bench.world.files()[0]!).equals(bytes)).toBe(true);
  });

  test('is done again before a token is over', async () => {
    await list();
    bench.ours.clockOffset = 20 * 3_600_000;
    bench.world.clockOffset = 20 * 3_600_000;
    await list();
    expect(asked('POST', /token/).length).toBe(2);
  });

  test.each([
    [400, 'credentials_refused'],
    [429, 'busy'],
    [503, 'busy'],
  ] as const)('refused with %i is %s', async (code, expected) => {
    faults('POST', /token/, { kind: 'answer', status: code, headers: { 'retry-after': '3' } });
    await expect(list()).rejects.toMatchObject({ code: expected, retryAfter: 3000 });
  });

  test('wants IDs, not names', () => {
    expect(() => frameioConfig({ ...bench.authorization, project_id: 'Dailies' })).toThrow('project ID');
    expect(frameioConfig({ ...bench.authorization, project_id: 'adobe:urn:aaid:sc:US:1' }).projectId).toBe('adobe:urn:aaid:sc:US:1');
  });
});

describe('a placeholder', () => {
  const lost = () => faults('POST', creation, { kind: 'lose-answer' });

  test('whose answer was lost is removed before the file begins again', async () => {
    lost();
    const bytes = randomBytes(2500);
    const { object } = await store(retrying(provider), 'a/lost.bin', bytes);
    expect(bench.world.files().map(({ id }) => `/${id}`)).toEqual([object.id]);
  });

  test('whose answer was lost is removed by abort, with the handle saved before', async () => {
    lost();
    const saved: UploadHandle[] = [];
    const save = async (handle: UploadHandle) => void saved.push(handle);
    expect(await failureOf(begin(provider, 'a/lost.bin', randomBytes(2500), { save }))).toBe('unreachable');
    expect(bench.world.files().length).toBe(1);
    expect((await bench.create().resume({ handle: saved[0]! }, never)).state).toBe('gone');
    await bench.create().abort({ handle: saved[0]! }, never);
    expect(bench.world.files()).toEqual([]);
  });

  test('of somebody else stays: older, of another size, or a whole file', async () => {
    const { world } = bench;
    const { object } = await store(provider, 'same.bin', randomBytes(2500));
    const older = new Date(Date.now() - 3_600_000);
    const theirs = { type: 'file', name: 'same.bin', parent: world.rootFolderId } as const;
    world.add({ ...theirs, size: 2500, created: older });
    world.add({ ...theirs, size: 2501 });
    lost();
    const saved: UploadHandle[] = [];
    await failureOf(begin(provider, 'same.bin', randomBytes(2500), { save: async (handle) => void saved.push(handle) }));
    expect(world.files().length).toBe(4);
    await bench.create().abort({ handle: saved[0]! }, never);
    expect(world.files().length).toBe(3);
    expect(await provider.head({ id: object.id }, never)).not.toBeNull();
  });

  test('is found by the clock of Frame.io, however wrong ours is', async () => {
    bench.ours.clockOffset = 600_000;
    lost();
    await store(retrying(provider), 'clock.bin', randomBytes(100));
    expect(bench.world.files().length).toBe(1);
  });

  test('is not listed, nor read, nor a file', async () => {
    await begin(provider, 'unfinished.bin', randomBytes(2500));
    const [file] = bench.world.files();
    expect(await listAll(provider, '', 10)).toEqual([]);
    expect(await provider.head({ id: `/${file!.id}` }, never)).toBeNull();
    expect(await failureOf(provider.openRange({ id: `/${file!.id}` }, never))).toBe('not_found');
  });
});

describe('the address of a part', () => {
  test('that is over ends the upload, without sending', async () => {
    bench.world.addressLife = 60;
    const bytes = randomBytes(2500);
    const begun = await begin(provider, 'over.bin', bytes);
    bench.world.clockOffset = 61_000;
    await list();
    const sent = asked('PUT', part).length;
    expect(await failureOf(putAll(provider, begun, bytes))).toBe('upload_gone');
    expect(asked('PUT', part).length).toBe(sent);
    expect((await provider.resume({ handle: begun.handle }, never)).state).toBe('gone');
    await provider.abort({ handle: begun.handle }, never);
    bench.world.addressLife = 86_400;
    await store(provider, 'over.bin', bytes);
    expect(bench.world.files().length).toBe(1);
  });

  test('that S3 says is over ends the upload', async () => {
    bench.world.addressLife = 60;
    const bytes = randomBytes(2500);
    const begun = await begin(provider, 'over.bin', bytes);
    // The provider has not heard of the time yet.
    bench.world.clockOffset = 61_000;
    expect(await failureOf(putAll(provider, begun, bytes))).toBe('upload_gone');
  });

  test('gets what was signed, and no token', async () => {
    await store(provider, 'clip.mov', randomBytes(2500));
    for (const { headers } of asked('PUT', part)) {
      expect(headers).toMatchObject({ 'content-type': 'video/quicktime', 'x-amz-acl': 'private' });
      expect(headers['authorization']).toBeUndefined();
    }
  });

  test.each([
    [503, 'SlowDown', 'busy'],
    [400, 'RequestTimeout', 'busy'],
    [404, 'NoSuchKey', 'upload_gone'],
    [403, 'AccessDenied', 'upload_gone'],
    [403, 'SignatureDoesNotMatch', 'bad_answer'],
  ] as const)('that answers %i %s: %s', async (code, detail, expected) => {
    const bytes = randomBytes(2500);
    const begun = await begin(provider, 'refused.bin', bytes);
    faults('PUT', part, { kind: 'answer', status: code, detail });
    expect(await failureOf(put(provider, begun.handle, [...partRanges(begun.layout)][0]!, bytes))).toBe(expected);
  });

  test('may answer with an etag that is no digest', async () => {
    bench.world.kms = true;
    await store(provider, 'kms.bin', randomBytes(2500));
    expect(bench.world.files()[0]!.status).toBe('uploaded');
  });

  test('takes a part again after a lost answer', async () => {
    faults('PUT', part, { kind: 'lose-answer' });
    const bytes = randomBytes(2500);
    await store(retrying(provider), 'part.bin', bytes);
    expect(bench.world.files().map((file) => bench.world.bytesOf(file).equals(bytes))).toEqual([true]);
  });
});

describe('a file', () => {
  test('is asked after until it is whole', async () => {
    bench.world.waits = 6;
    await store(provider, 'waits.bin', randomBytes(2500));
    expect(asked('GET', status).length).toBe(7);
  });

  test('that Frame.io could not take begins again', async () => {
    const bytes = randomBytes(2500);
    const begun = await begin(provider, 'failed.bin', bytes);
    const parts = await putAll(provider, begun, bytes);
    bench.world.files()[0]!.failed = true;
    expect(await failureOf(complete(provider, begun.handle, parts, bytes))).toBe('upload_gone');
  });

  test('that was removed meanwhile begins again', async () => {
    const bytes = randomBytes(2500);
    const begun = await begin(provider, 'removed.bin', bytes);
    const parts = await putAll(provider, begun, bytes);
    bench.world.assets.delete(bench.world.files()[0]!.id);
    expect(await failureOf(complete(provider, begun.handle, parts, bytes))).toBe('upload_gone');
  });

  test('whose parts are not all there is not asked after', async () => {
    const bytes = randomBytes(2500);
    const begun = await begin(provider, 'missing.bin', bytes);
    const [first] = await putAll(provider, begun, bytes);
    expect(await failureOf(complete(provider, begun.handle, [first!], bytes))).toBe('part_missing');
  });

  test('that may not be downloaded is told in words', async () => {
    const { object } = await store(provider, 'watermarked.mov', randomBytes(100));
    bench.world.downloads = false;
    expect(await failureOf(provider.openRange({ id: object.id }, never))).toBe('forbidden');
  });

  test('of several versions is its newest', async () => {
    const { world } = bench;
    const { object } = await store(provider, 'v2.mov', randomBytes(100));
    const stack = world.add({ type: 'version_stack', name: 'cut.mov', parent: world.rootFolderId, head: object.id.slice(1) });
    world.assets.set(object.id.slice(1), { ...world.assets.get(object.id.slice(1))!, parent: stack.id });
    expect(await listAll(provider, '', 10)).toMatchObject([{ kind: 'file', name: 'cut.mov', id: object.id, size: 100 }]);
    expect((await buffer(await provider.openRange({ id: object.id }, never))).length).toBe(100);
  });
});

describe('folders', () => {
  const named = (name: string) => bench.world.folders().filter((one) => one.name === name);

  test('a new one of several files is made once', async () => {
    await Promise.all(['a', 'b', 'c', 'd'].map((name) => store(provider, `new/deep/${name}.bin`, randomBytes(10))));
    expect(asked('POST', /\/folders$/).length).toBe(2);
  });

  test('of one name: all use the oldest, and no empty one is left', async () => {
    await Promise.all([provider, bench.create(), bench.create()].map((one, index) => store(one, `shared/${index}.bin`, randomBytes(10))));
    expect(named('shared').length).toBe(1);
    bench.world.add({ type: 'folder', name: 'shared', parent: bench.world.rootFolderId });
    const later = bench.create();
    await store(later, 'shared/later.bin', randomBytes(10));
    expect((await listAll(later, 'shared', 100)).length).toBe(4);
  });

  test('that somebody removed are made anew', async () => {
    await store(provider, 'gone/deep/1.bin', randomBytes(10));
    for (const { id } of bench.world.folders()) bench.world.assets.delete(id);
    await store(provider, 'gone/deep/2.bin', randomBytes(10));
    expect(named('deep').length).toBe(1);
    expect((await listAll(bench.create(), 'gone/deep', 10)).map(({ name }) => name)).toEqual(['2.bin']);
  });

  test('with something in them are not removed', async () => {
    await store(provider, 'full/file.bin', randomBytes(10));
    await provider.remove({ id: 'full' }, never);
    expect(named('full').length).toBe(1);
  });

  test('an inactive project is told', async () => {
    bench.world.projectStatus = 'inactive';
    expect(await failureOf(list())).toBe('no_destination');
  });
});

describe('limits of calls', () => {
  test('are kept: many small files arrive, each once', async () => {
    const { world } = bench;
    world.limited = true;
    const sleep = async (milliseconds: number) => {
      world.clockOffset += milliseconds;
    };
    const paced = withRetry(withPacing(provider, { now: () => world.now().getTime(), sleep }), { sleep, attempts: 12 });
    const names = Array.from({ length: 30 }, (_, index) => `many/${index}.bin`);
    for (const name of names) await store(paced, name, randomBytes(10));
    expect(world.throttled).toBeGreaterThan(0);
    expect(world.files().length).toBe(30);
    expect(world.files().every(({ status: one }) => one === 'uploaded')).toBe(true);
  });

  test('say how long to wait, by Retry-After or by their window', async () => {
    faults('GET', /projects/, { kind: 'answer', status: 429, headers: { 'retry-after': '7' } });
    await expect(list()).rejects.toMatchObject({ code: 'busy', retryAfter: 7000, answered: '429' });
    const headers = { 'x-ratelimit-limit': '5', 'x-ratelimit-remaining': '0', 'x-ratelimit-window': '1000' };
    faults('GET', /projects/, { kind: 'answer', status: 429, headers });
    await expect(list()).rejects.toMatchObject({ code: 'busy', retryAfter: 200 });
  });
});

describe('a refusal is told', () => {
  test.each([
    [401, '', 'expired'],
    [402, '', 'full'],
    [403, '', 'forbidden'],
    [403, 'Storage limit exceeded', 'full'],
    [409, '', 'busy'],
    [422, 'Invalid field: file_size', 'too_large'],
    [422, 'Invalid field: name', 'name_refused'],
    [503, '', 'busy'],
  ] as const)('%i %s as %s', async (code, detail, expected) => {
    faults('POST', creation, { kind: 'answer', status: code, detail });
    expect(await failureOf(begin(provider, 'refused.bin', randomBytes(10)))).toBe(expected);
  });

  test('when there is no room any more, with what to do', async () => {
    faults('POST', creation, { kind: 'answer', status: 402 });
    await expect(begin(provider, 'full.bin', randomBytes(10))).rejects.toThrow(/used up.*Make room.*retry/);
  });

  test('for what Frame.io cannot hold, before', () => {
    const { problem } = provider.paths;
    expect(problem('a/b c/ünï 日本.mov')).toBeNull();
    for (const path of ['a//b', 'a/..', 'x'.repeat(256), 'a /b', 'a\tb', 'a\ud800']) expect(problem(path), path).not.toBeNull();
  });

  test('for a folder that is removed each time', async () => {
    const { world } = bench;
    world.fault = ({ method, path }) => (method === 'POST' && creation.test(path) ? { kind: 'answer', status: 404 } : undefined);
    expect(await failureOf(begin(provider, `${randomUUID()}/file.bin`, randomBytes(10)))).toBe('not_found');
    expect(world.files()).toEqual([]);
  });
});
