import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { beforeAll, expect, test } from 'vitest';
import { digestsOf } from '#providers/digests.ts';
import { partRanges } from '#providers/parts.ts';
import type { CloudProvider, StoredPart, UploadHandle } from '#providers/ports.ts';
import type { Lacks, ProviderBench, ProviderConformanceOptions } from './bench.ts';
import { begin, complete, failureOf, leftAfter, listAll, never, newFolder, put, putAll, sliced, store } from './files.ts';

/** The part of the suite about uploads: order, crashes, digests, completions, what is left behind. */
export function uploadConformance(opened: () => ProviderBench, { lacks = {}, largeFile, partSize }: ProviderConformanceOptions): void {
  const unless = (...lack: (keyof Lacks)[]) => test.skipIf(lack.some((one) => lacks[one] !== undefined));
  const wish = partSize === undefined ? {} : { partSize };
  let bench: ProviderBench;
  let provider: CloudProvider;
  beforeAll(() => {
    bench = opened();
    provider = bench.provider;
  });

  const read = async (id: string): Promise<Buffer> => buffer(await provider.openRange({ id }, never));

  /** As another process goes on with it. */
  async function goOn(path: string, handle: UploadHandle, bytes: Buffer): Promise<void> {
    const after = bench.restarted();
    const found = await after.resume({ handle }, never);
    const upload = found.state === 'open' ? found : await begin(after, path, bytes, { ...wish, onlyIfFree: true });
    await complete(after, upload.handle, await putAll(after, upload, bytes), bytes);
  }

  test('parts go in the order that the plan allows, and at once where it allows any', async () => {
    const bytes = randomBytes(largeFile);
    const upload = await begin(provider, `${newFolder()}/order.bin`, bytes, wish);
    const ranges = [...partRanges(upload.layout)];
    const parts: StoredPart[] = [];
    if ((upload.order ?? provider.plan.order) === 'any') {
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
      const left = await leftAfter(bench, async () => {
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

  unless('keepsTaken')('what somebody else has put at the path meanwhile is not replaced', async () => {
    for (const size of lacks.keepsTakenInParts === undefined ? [14, largeFile] : [14]) {
      const path = `${newFolder()}/taken.bin`;
      const [ours, theirs] = [randomBytes(size), randomBytes(300)];
      const upload = await begin(provider, path, ours, { ...wish, onlyIfFree: true });
      const { object: there } = await store(bench.restarted(), path, theirs);
      const failure = await failureOf(putAll(provider, upload, ours).then((parts) => complete(provider, upload.handle, parts, ours)));
      // A provider that has ids keeps both.
      expect(['exists', 'none']).toContain(failure);
      if (failure === 'exists') expect(await failureOf(goOn(path, upload.handle, ours))).toBe('exists');
      await provider.abort({ handle: upload.handle }, never);
      expect(await provider.head({ id: there.id }, never)).toMatchObject({ size: theirs.length, etag: there.etag });
      if (lacks.ranges === undefined) expect((await read(there.id)).equals(theirs)).toBe(true);
    }
  });

  test('what an upload has made itself is no obstacle to it', async () => {
    for (const size of [15, largeFile]) {
      const bytes = randomBytes(size);
      const { upload, parts, object } = await store(provider, `${newFolder()}/own.bin`, bytes, { ...wish, onlyIfFree: true });
      expect(await complete(bench.restarted(), upload.handle, parts, bytes)).toMatchObject({ id: object.id, size, etag: object.etag });
      // The answer to its only part was lost.
      if (size !== 15 || lacks.hidesUnfinishedWhole === undefined || lacks.replacesFiles !== undefined) continue;
      const [range] = partRanges(upload.layout);
      expect(await put(bench.restarted(), upload.handle, range!, bytes)).toMatchObject({ size });
      expect(await provider.head({ id: object.id }, never)).toMatchObject({ size });
    }
  });

  test('an aborted upload leaves nothing, and is gone', async () => {
    for (const size of [10, largeFile]) {
      const bytes = randomBytes(size);
      let handle: UploadHandle | undefined;
      const left = await leftAfter(bench, async () => {
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
    const left = await leftAfter(bench, async () => {
      const first = await begin(provider, path, bytes, wish);
      await provider.abort({ handle: first.handle }, never);
      const second = await begin(provider, path, bytes, wish);
      await provider.abort({ handle: second.handle }, never);
    });
    expect(left).toEqual([]);
  });
}
