import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { digestsOf } from '#providers/digests.ts';
import { partRanges } from '#providers/parts.ts';
import type { CloudProvider } from '#providers/ports.ts';
import { withRetry } from '#providers/wrappers/retry.ts';
import { begin, complete, failureOf, put, putAll, store } from '#test/support/providers/conformance.ts';
import { type IconikBench, openIconikBench } from '#test/support/providers/iconik/bench.ts';
import { everythingKept, type Fault, type SeenRequest } from '#test/support/providers/iconik/world.ts';

const chunk = 256 * 1024;
const wish = { partSize: chunk };
const never = new AbortController().signal;

let bench: IconikBench;
let provider: CloudProvider;
beforeEach(async () => {
  bench = await openIconikBench('GCS');
  provider = bench.create();
});
afterEach(() => bench.close());

const retrying = (inner: CloudProvider) => withRetry(inner, { sleep: async () => undefined });
const bytesPut = ({ method, headers }: SeenRequest): boolean => method === 'PUT' && headers['content-length'] !== '0';
function faults(...given: Fault[]): void {
  bench.world.fault = (request) => (bytesPut(request) ? given.shift() : undefined);
}
const stored = (): Buffer[] => [...bench.world.gcs.objects.values()].map(({ bytes }) => bytes);

test('a session that keeps fewer bytes than it was sent gets the rest', async () => {
  const bytes = randomBytes(8 * chunk + 99);
  faults({ kind: 'keep', bytes: 3 * chunk + 5 });
  await store(provider, 'a/fewer.bin', bytes, { partSize: 8 * chunk });
  expect(stored()[0]?.equals(bytes)).toBe(true);
  expect(bench.world.requests.filter(bytesPut).map(({ headers }) => headers['content-range'])).toEqual([
    `bytes 0-${8 * chunk - 1}/${bytes.length}`,
    `bytes ${3 * chunk}-${8 * chunk - 1}/${bytes.length}`,
    `bytes ${8 * chunk}-${bytes.length - 1}/${bytes.length}`,
  ]);
});

test('failures in the middle and lost answers send nothing again that is there', async () => {
  const bytes = randomBytes(4 * chunk + 7);
  faults({ kind: 'answer', status: 503 }, { kind: 'lose-answer' }, { kind: 'answer', status: 500 }, { kind: 'lose-answer' });
  await store(retrying(provider), 'a/busy.bin', bytes, wish);
  expect(stored()[0]?.equals(bytes)).toBe(true);
  expect(bench.world.gcs.bytesReceived).toBe(bytes.length);
});

test('a session that Google forgot after its last byte is found by the file itself', async () => {
  const bytes = randomBytes(2 * chunk);
  const upload = await begin(provider, 'a/forgot.bin', bytes, wish);
  await putAll(provider, upload, bytes);
  bench.world.gcs.sessions.clear();
  const resumed = await bench.create().resume({ handle: upload.handle }, never);
  if (resumed.state !== 'open') throw new Error(resumed.state);
  const object = await complete(provider, resumed.handle, resumed.stored, bytes);
  expect(object.size).toBe(bytes.length);
});

test('a session that Google forgot in its middle begins the file again', async () => {
  const bytes = randomBytes(2 * chunk);
  const upload = await begin(provider, 'a/middle.bin', bytes, wish);
  const [first, second] = partRanges(upload.layout);
  await put(provider, upload.handle, first!, bytes);
  bench.world.gcs.sessions.clear();
  expect(await failureOf(put(provider, upload.handle, second!, bytes))).toBe('upload_gone');
  expect((await provider.resume({ handle: upload.handle }, never)).state).toBe('gone');
  await provider.abort({ handle: upload.handle }, never);
  expect(everythingKept(bench.world)).toEqual([]);
});

test.each([true, false])(
  'a file that arrives with another digest is never shown, and leaves nothing (session known: %s)',
  async (known) => {
    const bytes = randomBytes(2 * chunk);
    const upload = await begin(provider, 'a/digest.bin', bytes, wish);
    const parts = await putAll(provider, upload, bytes);
    if (!known) bench.world.gcs.sessions.clear();
    const wrong = provider.complete({ handle: upload.handle, parts, digests: digestsOf(randomBytes(9), ['crc32c']) }, never);
    expect(await failureOf(wrong)).toBe('upload_gone');
    expect((await provider.list({ folder: 'a', count: 10 }, never)).entries).toEqual([]);
    await provider.abort({ handle: upload.handle }, never);
    expect(everythingKept(bench.world)).toEqual([]);
    expect(stored()).toEqual([]);
  },
);
