import { randomBytes, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkProvider } from '#providers/check.ts';
import { digestsOf } from '#providers/digests.ts';
import { ProviderError, type ProviderErrorCode } from '#providers/errors.ts';
import { partRanges } from '#providers/parts.ts';
import type { BeginRequest, CloudEntry, CloudObject, CloudProvider, OpenUpload, StoredPart, UploadHandle } from '#providers/ports.ts';

/** A provider under test, with a server behind it. */
export interface ProviderBench {
  readonly provider: CloudProvider;
  /** Another one for the same destination, as after a restart: it knows nothing but what is in a handle. */
  restarted(): CloudProvider;
  /** Everything the server keeps below the destination, unfinished uploads and parts included: names that tell them apart. */
  stored(): Promise<readonly string[]>;
  /** Providers whose authorization is wrong, each with the failure that `check` must meet. */
  readonly wrong: readonly { readonly what: string; readonly provider: CloudProvider; readonly code: ProviderErrorCode }[];
  /** Values that no error may show. */
  readonly secrets: readonly string[];
  close(): Promise<void>;
}

/** What a provider cannot do, each with the reason. */
export type Lacks = Partial<
  Record<
    | 'resumesParts'
    | 'replacesParts'
    | 'replacesFiles'
    | 'ranges'
    | 'folders'
    | 'lists'
    /** A file of one part is there as soon as the part is. */
    | 'hidesUnfinishedWhole',
    string
  >
>;

export interface ProviderConformanceOptions {
  readonly open: () => Promise<ProviderBench>;
  readonly lacks?: Lacks;
  /** Bytes of a file of three parts and more, the last one shorter. */
  readonly largeFile: number;
  readonly partSize?: number;
  /** Names that this provider must hold in listings, beside the usual ones. */
  readonly names?: readonly string[];
}

const never = new AbortController().signal;
const modified = new Date('2026-01-02T03:04:05Z');

export async function failureOf(work: Promise<unknown>): Promise<ProviderErrorCode | 'none'> {
  try {
    await work;
    return 'none';
  } catch (error) {
    if (error instanceof ProviderError) return error.code;
    throw error;
  }
}

/** A `begin` that keeps what was saved. */
export async function begin(provider: CloudProvider, path: string, bytes: Buffer, options: Partial<BeginRequest> = {}) {
  const saved: UploadHandle[] = [];
  const upload = await provider.begin(
    {
      path,
      size: bytes.length,
      modified,
      contentType: 'application/octet-stream',
      digests: digestsOf(bytes, provider.plan.digestsToBegin),
      save: async (handle) => void saved.push(JSON.parse(JSON.stringify(handle)) as UploadHandle),
      ...options,
    },
    never,
  );
  return { ...upload, saved };
}

const sliced = (bytes: Buffer, offset: number, size: number): Buffer => bytes.subarray(offset, offset + size);

/** Sends one part of a file. */
export function put(
  provider: CloudProvider,
  handle: UploadHandle,
  range: { readonly number: number; readonly offset: number; readonly size: number },
  bytes: Buffer,
  signal: AbortSignal = never,
): Promise<StoredPart> {
  const part = sliced(bytes, range.offset, range.size);
  const digests = digestsOf(part, provider.plan.partDigests);
  return provider.putPart({ handle, ...range, digests, open: (from) => Readable.from(pieces(part.subarray(from))) }, signal);
}

/** Bytes as a stream has them: not all at once. */
function* pieces(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
}

/** Sends all parts that are not there yet. */
export async function putAll(provider: CloudProvider, { handle, layout, stored }: OpenUpload, bytes: Buffer): Promise<StoredPart[]> {
  const parts: StoredPart[] = [...stored];
  const there = new Set(stored.map(({ number }) => number));
  for (const range of partRanges(layout)) if (!there.has(range.number)) parts.push(await put(provider, handle, range, bytes));
  return parts.sort((one, other) => one.number - other.number);
}

export function complete(provider: CloudProvider, handle: UploadHandle, parts: readonly StoredPart[], bytes: Buffer): Promise<CloudObject> {
  return provider.complete({ handle, parts, digests: digestsOf(bytes, provider.plan.digestsToComplete) }, never);
}

export async function store(provider: CloudProvider, path: string, bytes: Buffer, options: Partial<BeginRequest> = {}) {
  const upload = await begin(provider, path, bytes, options);
  const parts = await putAll(provider, upload, bytes);
  return { upload, parts, object: await complete(provider, upload.handle, parts, bytes) };
}

async function listAll(provider: CloudProvider, folder: string, count: number, recursive = false): Promise<CloudEntry[]> {
  const entries: CloudEntry[] = [];
  let cursor: string | null = null;
  do {
    const page = await provider.list({ folder, count, recursive, ...(cursor !== null && { cursor }) }, never);
    expect(page.entries.length).toBeLessThanOrEqual(count);
    entries.push(...page.entries);
    expect(page.cursor === null || page.cursor !== cursor, 'a cursor that stands still').toBe(true);
    cursor = page.cursor;
  } while (cursor !== null);
  return entries;
}

const newFolder = (): string => `conformance-${randomUUID()}`;

/** What every provider must do, tried with what a server of its kind answers. */
export function providerConformance(name: string, options: ProviderConformanceOptions): void {
  const { open, lacks = {}, largeFile, partSize, names = [] } = options;
  const unless = (...lack: (keyof Lacks)[]) => test.skipIf(lack.some((one) => lacks[one] !== undefined));
  const wish = partSize === undefined ? {} : { partSize };

  describe(`${name} conforms`, () => {
    let bench: ProviderBench;
    let provider: CloudProvider;
    beforeAll(async () => {
      bench = await open();
      provider = bench.provider;
    });
    afterAll(() => bench?.close());

    const read = async (id: string, range?: { start: number; end: number }, ifMatch?: string): Promise<Buffer> =>
      buffer(await provider.openRange({ id, ...(range && { range }), ...(ifMatch !== undefined && { ifMatch }) }, never));
    /** What is there now that was not before. */
    const leftAfter = async (work: () => Promise<unknown>): Promise<string[]> => {
      const before = new Set(await bench.stored());
      await work();
      return (await bench.stored()).filter((one) => !before.has(one));
    };

    test('a file in parts arrives byte for byte, with its size', async () => {
      const [path, bytes] = [`${newFolder()}/large.bin`, randomBytes(largeFile)];
      const { upload, parts, object } = await store(provider, path, bytes, wish);
      expect(parts.length).toBeGreaterThanOrEqual(3);
      expect(parts.reduce((sum, { size }) => sum + size, 0)).toBe(largeFile);
      expect(upload.stored).toEqual([]);
      expect(object.size).toBe(largeFile);
      expect(await provider.head({ id: object.id }, never)).toMatchObject({ id: object.id, size: largeFile, etag: object.etag });
      if (lacks.ranges === undefined) expect((await read(object.id)).equals(bytes)).toBe(true);
    });

    test.each([0, 1, 999])('a file of %i bytes arrives', async (size) => {
      const bytes = randomBytes(size);
      const { object, parts } = await store(provider, `${newFolder()}/small.bin`, bytes);
      expect(parts.map((part) => part.size)).toEqual([size]);
      expect(object.size).toBe(size);
      expect((await provider.head({ id: object.id }, never))?.size).toBe(size);
      if (lacks.ranges === undefined) expect((await read(object.id)).equals(bytes)).toBe(true);
    });

    test('parts go in the order that the plan allows, and at once where it allows any', async () => {
      const bytes = randomBytes(largeFile);
      const upload = await begin(provider, `${newFolder()}/order.bin`, bytes, wish);
      const ranges = [...partRanges(upload.layout)];
      const parts: StoredPart[] = [];
      if (provider.plan.order === 'any') {
        parts.push(...(await Promise.all(ranges.toReversed().map((range) => put(provider, upload.handle, range, bytes)))).reverse());
      } else for (const range of ranges) parts.push(await put(provider, upload.handle, range, bytes));
      expect(parts.map(({ number, size }) => ({ number, size }))).toEqual(ranges.map(({ number, size }) => ({ number, size })));
      expect((await complete(provider, upload.handle, parts, bytes)).size).toBe(largeFile);
    });

    unless('hidesUnfinishedWhole')('nothing is seen before it is complete, in one part or several', async () => {
      for (const size of [10, largeFile]) {
        const folder = newFolder();
        const bytes = randomBytes(size);
        const upload = await begin(provider, `${folder}/hidden.bin`, bytes, wish);
        const parts = await putAll(provider, upload, bytes);
        if (lacks.lists === undefined) expect(await listAll(provider, folder, 10)).toEqual([]);
        const { id } = await complete(provider, upload.handle, parts, bytes);
        expect(await provider.head({ id }, never)).not.toBeNull();
      }
    });

    test('a handle is saved before anything is there, is JSON, and the last one saved goes on', async () => {
      const bytes = randomBytes(largeFile);
      const upload = await begin(provider, `${newFolder()}/handle.bin`, bytes, wish);
      expect(JSON.parse(JSON.stringify(upload.handle))).toEqual(upload.handle);
      expect(upload.saved.length).toBeGreaterThan(0);
      const resumed = await bench.restarted().resume({ handle: upload.saved.at(-1)! }, never);
      // Where parts cannot be asked for, the file begins again.
      expect(resumed.state).toBe(lacks.resumesParts === undefined ? 'open' : 'gone');
      await provider.abort({ handle: upload.handle }, never);
    });

    test('a process that dies at any step of the beginning leaves nothing that the saved handle does not remove', async () => {
      const bytes = randomBytes(largeFile);
      for (let dies = 1; ; dies++) {
        const path = `${newFolder()}/dies.bin`;
        let saves = 0;
        let saved: UploadHandle | undefined;
        const died = new Error('died');
        const left = await leftAfter(async () => {
          try {
            await begin(provider, path, bytes, {
              ...wish,
              async save(handle) {
                saved = JSON.parse(JSON.stringify(handle)) as UploadHandle;
                if (++saves === dies) throw died;
              },
            });
          } catch (error) {
            if (error !== died) throw error;
          }
          await bench.restarted().abort({ handle: saved! }, never);
        });
        expect(left, `died at save ${dies}`).toEqual([]);
        if (saves < dies) return;
      }
    });

    unless('resumesParts')('after a crash it goes on with what is there, and sends nothing twice', async () => {
      const bytes = randomBytes(largeFile);
      const path = `${newFolder()}/crash.bin`;
      const upload = await begin(provider, path, bytes, wish);
      const ranges = [...partRanges(upload.layout)];
      const first = await put(provider, upload.handle, ranges[0]!, bytes);
      const after = bench.restarted();
      const resumed = await after.resume({ handle: upload.saved.at(-1)! }, never);
      if (resumed.state !== 'open') throw new Error(`The upload is ${resumed.state}.`);
      expect(resumed.layout).toEqual(upload.layout);
      expect(resumed.stored).toEqual([first]);
      const object = await complete(after, resumed.handle, await putAll(after, resumed, bytes), bytes);
      expect(object.size).toBe(largeFile);
      if (lacks.ranges === undefined) expect((await read(object.id)).equals(bytes)).toBe(true);
    });

    unless('resumesParts', 'replacesParts')('a part sent again counts once, and the last bytes hold', async () => {
      const [bytes, others] = [randomBytes(largeFile), randomBytes(largeFile)];
      const upload = await begin(provider, `${newFolder()}/again.bin`, bytes, wish);
      const ranges = [...partRanges(upload.layout)];
      await put(provider, upload.handle, ranges[0]!, others);
      await put(provider, upload.handle, ranges[0]!, bytes);
      const part = await put(provider, upload.handle, ranges[0]!, bytes);
      const resumed = await provider.resume({ handle: upload.handle }, never);
      expect(resumed).toMatchObject({ state: 'open', stored: [part] });
      const object = await complete(provider, upload.handle, await putAll(provider, { ...upload, stored: [part] }, bytes), bytes);
      if (lacks.ranges === undefined) expect((await read(object.id)).equals(bytes)).toBe(true);
    });

    test('other bytes than the digest says are refused, and the right ones are taken after', async () => {
      if (provider.plan.partDigests.length === 0) return;
      for (const size of [777, largeFile]) {
        const [bytes, others] = [randomBytes(size), randomBytes(size)];
        const upload = await begin(provider, `${newFolder()}/digest.bin`, bytes, wish);
        const [range] = partRanges(upload.layout);
        const digests = digestsOf(sliced(bytes, 0, range!.size), provider.plan.partDigests);
        const open = (from: number) => Readable.from([sliced(others, 0, range!.size).subarray(from)]);
        expect(await failureOf(provider.putPart({ handle: upload.handle, ...range!, digests, open }, never))).toBe('corrupted');
        const object = await complete(provider, upload.handle, await putAll(provider, upload, bytes), bytes);
        expect(object.size).toBe(size);
      }
    });

    test('bytes that fail or end too early on our side store no part', async () => {
      const bytes = randomBytes(largeFile);
      const upload = await begin(provider, `${newFolder()}/broken.bin`, bytes, wish);
      const [range] = partRanges(upload.layout);
      const digests = digestsOf(sliced(bytes, 0, range!.size), provider.plan.partDigests);
      const ours = new Error('the disk is broken');
      async function* failing() {
        yield sliced(bytes, 0, 100);
        throw ours;
      }
      const broken = provider.putPart({ handle: upload.handle, ...range!, digests, open: () => Readable.from(failing()) }, never);
      await expect(broken).rejects.toBe(ours);
      const short = () => Readable.from([sliced(bytes, 0, 100)]);
      await expect(provider.putPart({ handle: upload.handle, ...range!, digests, open: short }, never)).rejects.toThrow();
      const object = await complete(provider, upload.handle, await putAll(provider, upload, bytes), bytes);
      expect(object.size).toBe(largeFile);
    });

    test('completing again, or asking after a lost answer, tells of the same file', async () => {
      for (const size of [12, largeFile]) {
        const bytes = randomBytes(size);
        const { upload, parts, object } = await store(provider, `${newFolder()}/twice.bin`, bytes, wish);
        expect(await complete(bench.restarted(), upload.handle, parts, bytes)).toMatchObject({ id: object.id, size, etag: object.etag });
        const resumed = await bench.restarted().resume({ handle: upload.handle }, never);
        expect(resumed).toMatchObject({ state: 'complete', object: { id: object.id, size, etag: object.etag } });
      }
    });

    unless('resumesParts')('completing with a part missing is refused and loses nothing', async () => {
      const bytes = randomBytes(largeFile);
      const upload = await begin(provider, `${newFolder()}/missing.bin`, bytes, wish);
      const ranges = [...partRanges(upload.layout)];
      const stored: StoredPart[] = [];
      for (const range of ranges.slice(0, -1)) stored.push(await put(provider, upload.handle, range, bytes));
      const absent = { ...stored[0]!, number: ranges.at(-1)!.number, size: ranges.at(-1)!.size };
      expect(await failureOf(complete(provider, upload.handle, [...stored, absent], bytes))).toBe('part_missing');
      const object = await complete(provider, upload.handle, await putAll(provider, { ...upload, stored }, bytes), bytes);
      expect(object.size).toBe(largeFile);
    });

    test('an aborted upload leaves nothing, and is gone', async () => {
      for (const size of [10, largeFile]) {
        const bytes = randomBytes(size);
        let handle: UploadHandle | undefined;
        const left = await leftAfter(async () => {
          const upload = await begin(provider, `${newFolder()}/aborted.bin`, bytes, wish);
          handle = upload.handle;
          await put(provider, handle, [...partRanges(upload.layout)][0]!, bytes);
          await bench.restarted().abort({ handle }, never);
          await provider.abort({ handle }, never);
        });
        expect(left).toEqual([]);
        if (size === 10) continue;
        expect((await provider.resume({ handle: handle! }, never)).state).toBe('gone');
        const digests = digestsOf(bytes.subarray(0, 10), provider.plan.partDigests);
        const late = provider.putPart(
          { handle: handle!, number: 1, offset: 0, size: 10, digests, open: () => Readable.from([bytes.subarray(0, 10)]) },
          never,
        );
        expect(['upload_gone', 'expired']).toContain(await failureOf(late));
      }
    });

    test('a file begun again has one upload, and aborting it leaves nothing', async () => {
      const bytes = randomBytes(largeFile);
      const path = `${newFolder()}/begun.bin`;
      const left = await leftAfter(async () => {
        const first = await begin(provider, path, bytes, wish);
        await provider.abort({ handle: first.handle }, never);
        const second = await begin(provider, path, bytes, wish);
        await provider.abort({ handle: second.handle }, never);
      });
      expect(left).toEqual([]);
    });

    unless('replacesFiles', 'ranges')('the same path again is the new file, and a reader of the old one is told', async () => {
      const path = `${newFolder()}/changes.bin`;
      const [old, changed] = [randomBytes(500), randomBytes(600)];
      const { object: before } = await store(provider, path, old);
      expect((await read(before.id, { start: 10, end: 19 }, before.etag)).equals(old.subarray(10, 20))).toBe(true);
      const { object: after } = await store(provider, path, changed);
      expect(after.etag).not.toBe(before.etag);
      expect(await failureOf(read(after.id, { start: 10, end: 19 }, before.etag))).toBe('changed');
      expect((await read(after.id, undefined, after.etag)).equals(changed)).toBe(true);
    });

    unless('ranges')('ranges give what was asked for', async () => {
      const bytes = randomBytes(3000);
      const { object } = await store(provider, `${newFolder()}/ranges.bin`, bytes);
      for (const [start, end] of [
        [0, 0],
        [0, 2999],
        [1000, 1999],
        [2999, 2999],
      ] as const) {
        expect((await read(object.id, { start, end })).equals(bytes.subarray(start, end + 1)), `${start}-${end}`).toBe(true);
      }
      expect(await failureOf(read(object.id, { start: 3000, end: 3001 }))).toBe('range_not_satisfiable');
      await provider.remove({ id: object.id }, never);
      expect(await failureOf(read(object.id, { start: 0, end: 1 }))).toBe('not_found');
    });

    test('a removed file is gone, and removing again does nothing', async () => {
      const left = await leftAfter(async () => {
        const { object } = await store(provider, `remove-${randomUUID()}.bin`, randomBytes(20));
        await provider.remove({ id: object.id }, never);
        await provider.remove({ id: object.id }, never);
        expect(await provider.head({ id: object.id }, never)).toBeNull();
      });
      expect(left).toEqual([]);
    });

    unless('lists')('a folder is listed page by page: each entry once, whatever its name', async () => {
      const folder = newFolder();
      const usual = ['a.bin', 'b c.txt', 'ünï 日本.mov', "q'uote&amp;.txt", 'plus+percent%41.txt', 'semi;colon=.txt', ...names];
      const inFolders = ['sub/one.bin', 'sub/deep/two.bin', 'sub 2/three.bin'];
      for (const path of [...usual, ...inFolders]) await store(provider, `${folder}/${path}`, randomBytes(10), wish);
      for (const count of [1, 3, 1000]) {
        const entries = await listAll(provider, folder, count);
        const shown = entries.map(({ kind, name }) => `${kind} ${name}`).sort();
        expect(shown, `by ${count}`).toEqual([...usual.map((one) => `file ${one}`), 'folder sub', 'folder sub 2'].sort());
      }
      const all = await listAll(provider, folder, 2, true);
      expect(all.filter(({ kind }) => kind === 'file').length).toBe(usual.length + inFolders.length);
      const sub = (await listAll(provider, folder, 100)).find(({ name }) => name === 'sub')!;
      expect((await listAll(provider, sub.id, 100)).map(({ name }) => name).sort()).toEqual(['deep', 'one.bin']);
      for (const entry of all) {
        if (entry.kind !== 'file') continue;
        expect(await provider.head({ id: entry.id }, never)).toMatchObject({ size: 10, etag: entry.etag });
      }
      expect(await listAll(provider, `${folder}/absent`, 10)).toEqual([]);
    });

    unless('folders', 'lists')('an empty folder is made once, seen, and removed', async () => {
      const folder = newFolder();
      const left = await leftAfter(async () => {
        await provider.makeFolder({ path: `${folder}/empty` }, never);
        await provider.makeFolder({ path: `${folder}/empty` }, never);
        expect(await listAll(provider, folder, 10)).toMatchObject([{ kind: 'folder', name: 'empty' }]);
        expect(await listAll(provider, `${folder}/empty`, 10)).toEqual([]);
        expect(await listAll(provider, folder, 10, true)).toMatchObject([{ kind: 'folder', name: 'empty' }]);
        const [entry] = await listAll(provider, folder, 10);
        await provider.remove({ id: entry!.id }, never);
        expect(await listAll(provider, folder, 10)).toEqual([]);
      });
      expect(left.filter((one) => one.includes('empty'))).toEqual([]);
    });

    test('what was cancelled ends with the reason', async () => {
      const cancelled = AbortSignal.abort(new Error('cancelled'));
      const bytes = randomBytes(largeFile);
      const upload = await begin(provider, `${newFolder()}/cancel.bin`, bytes, wish);
      const [range] = partRanges(upload.layout);
      await expect(provider.list({ folder: '', count: 1 }, cancelled)).rejects.toBe(cancelled.reason);
      await expect(put(provider, upload.handle, range!, bytes, cancelled)).rejects.toBe(cancelled.reason);
      const middle = new AbortController();
      const reason = new Error('cancelled in the middle');
      async function* endless() {
        yield sliced(bytes, 0, 100);
        middle.abort(reason);
        await new Promise(() => {});
      }
      const digests = digestsOf(sliced(bytes, 0, range!.size), provider.plan.partDigests);
      const open = () => Readable.from(endless());
      await expect(provider.putPart({ handle: upload.handle, ...range!, digests, open }, middle.signal)).rejects.toBe(reason);
      await provider.abort({ handle: upload.handle }, never);
    });

    test('the check does every step and leaves nothing', async () => {
      const left = await leftAfter(async () => {
        const report = await checkProvider(provider, { direction: 'service_to_cloud', folder: 'checked', signal: never });
        expect(report).toMatchObject({ ok: true, steps: ['put', 'list', 'get', 'abort', 'delete'].map((step) => ({ step, ok: true })) });
      });
      expect(left.filter((one) => one.includes('longshore-check'))).toEqual([]);
    });

    test('what is wrong with a connection is told in words, without its secrets', async () => {
      for (const { what, provider: wrong, code } of bench.wrong) {
        const failed = await wrong.list({ folder: '', count: 1 }, never).then(
          () => null,
          (error: unknown) => error,
        );
        expect(failed, what).toBeInstanceOf(ProviderError);
        expect((failed as ProviderError).code, what).toBe(code);
        const report = await checkProvider(wrong, { direction: 'service_to_cloud', folder: '', signal: never });
        expect(report.ok, what).toBe(false);
        // A sentence, not a code.
        expect(report.steps.find(({ ok }) => !ok)!.message, what).toMatch(/^[A-Z].* .*\.$/s);
        const shown = inspect([failed, report], { depth: 20, showHidden: true });
        for (const secret of bench.secrets) expect(shown.includes(secret), `${what}: a secret is shown`).toBe(false);
      }
    });
  });
}
