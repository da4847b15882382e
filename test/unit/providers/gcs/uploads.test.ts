import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { digestsOf } from '#providers/digests.ts';
import { partRanges } from '#providers/parts.ts';
import type { CloudProvider } from '#providers/ports.ts';
import { withRetry } from '#providers/wrappers/retry.ts';
import { begin, complete, failureOf, put, putAll, store } from '#test/support/providers/conformance.ts';
import { type GcsBench, openGcsBench } from '#test/support/providers/gcs/bench.ts';
import type { Fault, SeenRequest } from '#test/support/providers/gcs/world.ts';

const kibibyte = 1024;
const chunk = 256 * kibibyte;
const never = new AbortController().signal;

let bench: GcsBench;
let provider: CloudProvider;
beforeEach(async () => {
  bench = await openGcsBench();
  provider = bench.create();
});
afterEach(() => bench.close());

const retrying = (inner: CloudProvider) => withRetry(inner, { sleep: async () => undefined });
const sessionPut = ({ method, headers }: SeenRequest): boolean => method === 'PUT' && headers['content-length'] !== '0';
const sentRanges = (): string[] => bench.world.requests.filter(sessionPut).map(({ headers }) => String(headers['content-range']));
/** Each fault once, for requests that `matches`. */
function faults(matches: (request: SeenRequest) => boolean, ...given: Fault[]): void {
  bench.world.fault = (request) => (matches(request) ? given.shift() : undefined);
}
const objectAt = (path: string) => bench.world.objects.get(path);

describe('a session keeps fewer bytes than it was sent', () => {
  test('and is sent the rest, from the byte on that it names', async () => {
    const bytes = randomBytes(8 * chunk + 99);
    faults(sessionPut, { kind: 'keep', bytes: 3 * chunk + 5 }, { kind: 'keep', bytes: chunk });
    const { object } = await store(provider, 'a/fewer.bin', bytes, { partSize: 8 * chunk });
    expect(objectAt(object.id)?.bytes.equals(bytes)).toBe(true);
    const total = bytes.length;
    expect(sentRanges()).toEqual([
      `bytes 0-${8 * chunk - 1}/${total}`,
      `bytes ${3 * chunk}-${8 * chunk - 1}/${total}`,
      `bytes ${4 * chunk}-${8 * chunk - 1}/${total}`,
      `bytes ${8 * chunk}-${total - 1}/${total}`,
    ]);
  });

  test('or nothing at all, which is tried again later', async () => {
    const bytes = randomBytes(2 * chunk);
    faults(sessionPut, { kind: 'keep', bytes: 0 });
    const upload = await begin(provider, 'nothing.bin', bytes, { partSize: chunk });
    const [first] = partRanges(upload.layout);
    expect(await failureOf(put(provider, upload.handle, first!, bytes))).toBe('busy');
    await complete(provider, upload.handle, await putAll(provider, upload, bytes), bytes);
    expect(objectAt('nothing.bin')?.bytes.equals(bytes)).toBe(true);
  });

  test('of the last request too', async () => {
    const bytes = randomBytes(3 * chunk);
    const upload = await begin(provider, 'last.bin', bytes, { partSize: chunk });
    const parts = await putAll(provider, upload, bytes);
    faults(sessionPut, { kind: 'keep', bytes: 1000 });
    await complete(retrying(provider), upload.handle, parts, bytes);
    expect(objectAt('last.bin')?.bytes.equals(bytes)).toBe(true);
  });
});

describe('a process that dies', () => {
  test('in the middle of a part is followed by one that sends only what is not there', async () => {
    const bytes = randomBytes(6 * chunk + 7);
    const upload = await begin(provider, 'dies.bin', bytes, { partSize: 2 * chunk });
    const ranges = [...partRanges(upload.layout)];
    await put(provider, upload.handle, ranges[0]!, bytes);
    const dies = new AbortController();
    async function* half() {
      yield bytes.subarray(2 * chunk, 3 * chunk + 500);
      // The bytes are on their way before the process ends.
      while (bench.world.bytesReceived < 3 * chunk + 500) await new Promise((resolve) => setTimeout(resolve, 5));
      dies.abort(new Error('died'));
      await new Promise(() => {});
    }
    const cut = provider.putPart({ handle: upload.handle, ...ranges[1]!, digests: {}, open: () => Readable.from(half()) }, dies.signal);
    await expect(cut).rejects.toThrow('died');
    const session = [...bench.world.sessions.values()][0]!;
    await expect.poll(() => session.kept.length).toBe(3 * chunk);

    const before = bench.world.bytesReceived;
    const next = bench.create();
    const resumed = await next.resume({ handle: upload.saved.at(-1)! }, never);
    if (resumed.state !== 'open') throw new Error(resumed.state);
    expect(resumed.stored.map(({ number }) => number)).toEqual([1]);
    await complete(next, resumed.handle, await putAll(next, resumed, bytes), bytes);
    expect(objectAt('dies.bin')?.bytes.equals(bytes)).toBe(true);
    expect(bench.world.bytesReceived - before).toBe(bytes.length - 3 * chunk);
  });

  test('between the last part and the end has the last part sent again, of which only the end is on the wire', async () => {
    const bytes = randomBytes(4 * chunk + 10);
    const upload = await begin(provider, 'end.bin', bytes, { partSize: 4 * chunk });
    const parts = await putAll(provider, upload, bytes);
    const next = bench.create();
    expect(await failureOf(complete(next, upload.handle, parts, bytes))).toBe('part_missing');
    const resumed = await next.resume({ handle: upload.handle }, never);
    if (resumed.state !== 'open') throw new Error(resumed.state);
    const before = bench.world.bytesReceived;
    await complete(next, resumed.handle, await putAll(next, resumed, bytes), bytes);
    expect(bench.world.bytesReceived - before).toBe(10);
  });
});

describe.each([
  ['small', 1000],
  ['large', 2 * chunk + 5],
])('a %s file', (_, size) => {
  const wish = { partSize: chunk };

  test('whose last answer is lost is there once', async () => {
    const bytes = randomBytes(size);
    const upload = await begin(provider, 'lost.bin', bytes, wish);
    const parts = await putAll(provider, upload, bytes);
    faults(({ path }) => path.startsWith('/upload'), { kind: 'lose-answer' });
    expect(await failureOf(complete(provider, upload.handle, parts, bytes))).toBe('unreachable');
    const { generation } = objectAt('lost.bin')!;
    expect((await complete(provider, upload.handle, parts, bytes)).etag).toBe(generation);
    expect(await bench.create().resume({ handle: upload.handle }, never)).toMatchObject({
      state: 'complete',
      object: { etag: generation },
    });
    // Google forgets sessions after a week; the object says whose it is.
    bench.world.sessions.clear();
    expect(await bench.create().resume({ handle: upload.handle }, never)).toMatchObject({
      state: 'complete',
      object: { etag: generation },
    });
  });

  test('that arrives with another digest is never there, and begins again', async () => {
    const bytes = randomBytes(size);
    const upload = await begin(provider, 'digest.bin', bytes, wish);
    const parts = await putAll(provider, upload, bytes);
    const wrong = provider.complete({ handle: upload.handle, parts, digests: digestsOf(randomBytes(9), ['crc32c']) }, never);
    expect(await failureOf(wrong)).toBe('upload_gone');
    expect(objectAt('digest.bin')).toBeUndefined();
    expect([...bench.world.sessions.values()].filter(({ state }) => state === 'open')).toEqual([]);
    await store(provider, 'digest.bin', bytes, wish);
    expect(objectAt('digest.bin')?.bytes.equals(bytes)).toBe(true);
  });

  test('carries its type, the time of its last change and the mark of its upload', async () => {
    await store(provider, 'meta.bin', randomBytes(size), { ...wish, contentType: 'video/mp4' });
    expect(objectAt('meta.bin')).toMatchObject({
      contentType: 'video/mp4',
      metadata: { mtime: '2026-01-02T03:04:05.000Z', 'longshore-upload': expect.stringMatching(/^[0-9a-f-]{36}$/) },
    });
  });
});

describe('a session', () => {
  test('is sent no token, so that a token may end meanwhile', async () => {
    const bytes = randomBytes(3 * chunk);
    const upload = await begin(provider, 'token.bin', bytes, { partSize: chunk });
    bench.world.tokens.clear();
    await complete(provider, upload.handle, await putAll(provider, upload, bytes), bytes);
    const toSession = bench.world.requests.filter(({ query }) => query.has('upload_id'));
    expect(toSession.length).toBeGreaterThan(2);
    expect(toSession.filter(({ headers }) => headers['authorization'] !== undefined)).toEqual([]);
  });

  test.each([404, 410])('that is lost (%i) ends the upload', async (status) => {
    const bytes = randomBytes(3 * chunk);
    const upload = await begin(provider, 'over.bin', bytes, { partSize: chunk });
    const [first, second] = partRanges(upload.layout);
    await put(provider, upload.handle, first!, bytes);
    bench.world.fault = ({ query }) => (query.has('upload_id') ? { kind: 'answer', status } : undefined);
    expect(await failureOf(put(provider, upload.handle, second!, bytes))).toBe('upload_gone');
    expect((await provider.resume({ handle: upload.handle }, never)).state).toBe('gone');
    await provider.abort({ handle: upload.handle }, never);
  });

  test('ends after a week', async () => {
    const upload = await begin(provider, 'week.bin', randomBytes(3 * chunk), { partSize: chunk });
    bench.world.clockOffset = bench.ours.clockOffset = 8 * 24 * 3600 * 1000;
    expect((await provider.resume({ handle: upload.handle }, never)).state).toBe('gone');
  });

  test('replaces nothing that somebody else stored meanwhile', async () => {
    const bytes = randomBytes(2 * chunk + 1);
    const upload = await begin(provider, 'theirs.bin', bytes, { partSize: chunk });
    const parts = await putAll(provider, upload, bytes);
    bench.world.store({ name: 'theirs.bin', contentType: 'text/plain', metadata: {} }, Buffer.from('theirs'));
    expect(await failureOf(complete(provider, upload.handle, parts, bytes))).toBe('exists');
    expect(objectAt('theirs.bin')?.bytes.toString()).toBe('theirs');
  });

  test('goes on after 500, 503 and 429 in its middle, and sends nothing again that is there', async () => {
    const bytes = randomBytes(6 * chunk);
    const given: Fault[] = [500, 503, 429].map((status) => ({ kind: 'answer', status, headers: { 'retry-after': '1' } }));
    let puts = 0;
    bench.world.fault = (request) => (sessionPut(request) && ++puts % 2 === 0 ? given.shift() : undefined);
    await store(retrying(provider), 'busy.bin', bytes, { partSize: chunk });
    expect(objectAt('busy.bin')?.bytes.equals(bytes)).toBe(true);
    expect(bench.world.bytesReceived).toBe(bytes.length);
  });
});
