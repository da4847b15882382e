import { randomBytes, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkProvider } from '#providers/check.ts';
import { digestsOf } from '#providers/digests.ts';
import { ProviderError } from '#providers/errors.ts';
import { partRanges } from '#providers/parts.ts';
import type { CloudProvider } from '#providers/ports.ts';
import type { Lacks, ProviderBench, ProviderConformanceOptions } from './bench.ts';
import { uploadConformance } from './conformance-uploads.ts';
import { begin, failureOf, leftAfter, listAll, never, newFolder, put, sliced, store } from './files.ts';

export type { Lacks, ProviderBench, ProviderConformanceOptions } from './bench.ts';
export { begin, complete, failureOf, put, putAll, store } from './files.ts';

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
      if (size === 0 && lacks.emptyFiles !== undefined) {
        const left = await leftAfter(bench, async () => {
          expect(await failureOf(begin(provider, `${newFolder()}/empty.bin`, Buffer.alloc(0)))).toBe('empty_refused');
        });
        return expect(left).toEqual([]);
      }
      const bytes = randomBytes(size);
      const { object, parts } = await store(provider, `${newFolder()}/small.bin`, bytes);
      expect(parts.map((part) => part.size)).toEqual([size]);
      expect(object.size).toBe(size);
      expect((await provider.head({ id: object.id }, never))?.size).toBe(size);
      if (lacks.ranges === undefined) expect((await read(object.id)).equals(bytes)).toBe(true);
    });

    uploadConformance(() => bench, options);

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
      const left = await leftAfter(bench, async () => {
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
      const left = await leftAfter(bench, async () => {
        expect(await provider.hasFolder!({ path: `${folder}/empty` }, never)).toBe(false);
        await provider.makeFolder({ path: `${folder}/empty` }, never);
        await provider.makeFolder({ path: `${folder}/empty` }, never);
        expect(await bench.restarted().hasFolder!({ path: `${folder}/empty` }, never)).toBe(true);
        expect(await listAll(provider, folder, 10)).toMatchObject([{ kind: 'folder', name: 'empty' }]);
        expect(await listAll(provider, `${folder}/empty`, 10)).toEqual([]);
        expect(await listAll(provider, folder, 10, true)).toMatchObject([{ kind: 'folder', name: 'empty' }]);
        const [entry] = await listAll(provider, folder, 10);
        await provider.remove({ id: entry!.id }, never);
        expect(await listAll(provider, folder, 10)).toEqual([]);
        expect(await provider.hasFolder!({ path: `${folder}/empty` }, never)).toBe(false);
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
      const [folder, step] = [`${newFolder()}/checked`, newFolder()];
      if (lacks.folders === undefined) await provider.makeFolder({ path: folder }, never);
      const left = await leftAfter(bench, async () => {
        const report = await checkProvider(provider, { direction: 'service_to_cloud', folder: `${folder}/${step}/deep`, signal: never });
        expect(report).toMatchObject({ ok: true, steps: ['put', 'list', 'get', 'abort', 'delete'].map((step) => ({ step, ok: true })) });
      });
      expect(left).toEqual([]);
      if (lacks.folders !== undefined) return;
      // Folders that it has made are gone, those that were there stay.
      expect(await bench.restarted().hasFolder!({ path: `${folder}/${step}` }, never)).toBe(false);
      expect(await bench.restarted().hasFolder!({ path: folder }, never)).toBe(true);
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
