import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { digestsOf } from '#providers/digests.ts';
import { ProviderError } from '#providers/errors.ts';
import type { CloudProvider, PutPartRequest } from '#providers/ports.ts';
import { aroundCalls, type Call } from '#providers/wrappers/around.ts';
import { DeliveryError } from '#service/transfers/delivery/errors.ts';
import type { DeliveryProgress } from '#service/transfers/delivery/ports.ts';
import { StorageError } from '#storage/errors.ts';
import { createInMemoryProvider, inMemoryPlan, newCloud } from '#test/support/providers/in-memory-provider.ts';
import { deliveryBench, filesBelow, manifestFacts, smallLimits } from '#test/support/service/delivery-bench.ts';
import { createInMemoryJournal, rowOf } from '#test/support/service/in-memory-delivery-journal.ts';
import { storeFiles } from '#test/support/service/stored-files.ts';

const contents = {
  'a.txt': Buffer.from('small'),
  'empty.bin': Buffer.alloc(0),
  'day 1/large.mov': randomBytes(12_345),
  'day 1/medium.mov': randomBytes(3_000),
  'day 2/none': null,
};

const files = { 'a.txt': contents['a.txt'], 'empty.bin': contents['empty.bin'] };

/** Fails a call by chance of the test, and counts what was asked. */
function watched(provider: CloudProvider, before: (call: Call<unknown>) => void | Promise<void>): CloudProvider {
  return aroundCalls(provider, async (call) => {
    await before(call as Call<unknown>);
    return call.run();
  });
}

const isDirectory = (content: Buffer | null): content is null => content === null;

describe('delivering a package', () => {
  test('every file arrives byte for byte, with its folders', async () => {
    const bench = deliveryBench(storeFiles(contents), newCloud());
    const told: DeliveryProgress[] = [];
    const result = await bench.run({ onProgress: (progress) => told.push(progress) });
    const total = { files: 5, bytes: 5 + 12_345 + 3_000 };
    expect(result).toEqual({ folder: 'Longshore/Rushes', done: total, leftOut: 0, manifest: null });
    expect(told.at(-1)).toEqual(total);
    const arrived = filesBelow(bench.cloud, 'Longshore/Rushes');
    for (const [path, content] of Object.entries(contents)) {
      if (isDirectory(content)) expect(bench.cloud.folders.has(`Longshore/Rushes/${path}`)).toBe(true);
      else expect(arrived.get(path)?.equals(content), path).toBe(true);
    }
    expect(arrived.size).toBe(4);
    expect(bench.cloud.uploads.size).toBe(0);
  });

  test('one that is complete sends nothing again', async () => {
    const bench = deliveryBench(storeFiles(contents), newCloud());
    await bench.run({ manifest: manifestFacts });
    const calls: string[] = [];
    const provider = watched(createInMemoryProvider(bench.cloud), ({ name }) => void calls.push(name));
    expect((await bench.run({ manifest: manifestFacts, provider })).done.files).toBe(5);
    expect(calls).toEqual([]);
  });

  test('small files cost three calls each, and share the writes of the journal', async () => {
    const many = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`${index}.bin`, randomBytes(100)]));
    const stored = storeFiles(many);
    const bench = deliveryBench(stored, newCloud());
    let calls = 0;
    let writes = 0;
    const provider = watched(createInMemoryProvider(bench.cloud), () => void calls++);
    const journal = createInMemoryJournal(bench.state, async (call) => {
      if (call === 'write') writes++;
      // As a database takes its time.
      await new Promise((resolve) => setTimeout(resolve, 1));
    });
    await bench.run({ provider, journal, limits: { files: 20, parts: 2 } });
    // And three that look at the folder.
    expect(calls).toBe(200 * 3 + 3);
    expect(writes).toBeLessThan(100);
  });

  test('a folder in which something lies is not used, nor one that another transfer has claimed', async () => {
    const cloud = newCloud();
    const stored = storeFiles(files);
    for (const number of [1, 2, 3, 4]) {
      const bench = deliveryBench(stored, cloud);
      const folder = number === 1 ? 'Longshore/Rushes' : `Longshore/Rushes (${number})`;
      expect((await bench.run()).folder).toBe(folder);
      expect(filesBelow(cloud, folder).size).toBe(2);
    }
    const bench = deliveryBench(stored, cloud);
    bench.state.claims.set('Longshore/Rushes (5)', deliveryBench(stored, cloud).state);
    expect((await bench.run()).folder).toBe('Longshore/Rushes (6)');
  });

  test('an empty folder of theirs is not used, but for one that the connection names', async () => {
    const cloud = newCloud();
    cloud.folders.add('Longshore/Rushes');
    const stored = storeFiles(files);
    expect((await deliveryBench(stored, cloud).run()).folder).toBe('Longshore/Rushes (2)');
    const named = { givenFolder: 'Longshore/Rushes' };
    expect((await deliveryBench(stored, cloud).run(named)).folder).toBe('Longshore/Rushes');
    // Something lies in it now.
    expect((await deliveryBench(stored, cloud).run(named)).folder).toBe('Longshore/Rushes (3)');
  });

  test('what somebody puts at a path while a file is on its way stays, and the file says so', async () => {
    const cloud = newCloud();
    const stored = storeFiles(files);
    const [first] = stored.files;
    const path = `Longshore/Rushes/${first!.path}`;
    const theirs = { id: path, size: 6, etag: 'theirs', modified: null, archived: false, bytes: Buffer.from('theirs') };
    const bench = deliveryBench(stored, cloud);
    const provider = watched(createInMemoryProvider(cloud), ({ name }) => void (name === 'complete' && cloud.files.set(path, theirs)));
    await expect(bench.run({ provider, limits: { files: 1, parts: 1 } })).rejects.toThrow(first!.path);
    expect(cloud.files.get(path)).toBe(theirs);
    // They take it away.
    cloud.files.delete(path);
    await bench.run();
    expect(cloud.files.get(path)?.bytes.equals(stored.bytes.get(first!.id)!)).toBe(true);
    expect(cloud.uploads.size).toBe(0);
  });

  test('many folders of one name are passed by few looks', async () => {
    const cloud = newCloud();
    for (let number = 1; number <= 300; number++) {
      const folder = number === 1 ? 'Longshore/Rushes' : `Longshore/Rushes (${number})`;
      await deliveryBench(storeFiles({ 'a.txt': Buffer.from('a') }), cloud).run({ folder });
    }
    let lists = 0;
    const provider = watched(createInMemoryProvider(cloud), ({ name }) => void (name === 'list' && lists++));
    const { folder } = await deliveryBench(storeFiles(files), cloud, { provider }).run();
    expect(folder).toBe('Longshore/Rushes (301)');
    expect(lists).toBeLessThan(30);
  });

  test.each([
    ['pages without entries', () => ({ entries: [], cursor: 'more' })],
    ['something in every folder', () => ({ entries: [{ kind: 'folder' as const, id: 'x', name: 'x' }], cursor: null })],
  ])('a provider that lists %s, for ever, comes to an end', async (_, page) => {
    let lists = 0;
    const cloud = newCloud();
    const list = async () => {
      lists++;
      return page();
    };
    const run = deliveryBench(storeFiles(files), cloud, { provider: { ...createInMemoryProvider(cloud), list } }).run();
    await expect(run).rejects.toMatchObject({ code: 'bad_answer', retry: 'soon', message: expect.stringContaining('Check the endpoint') });
    expect(lists).toBeLessThan(2_000);
  });

  test('a folder that the provider cannot hold is told in words that are not its own', async () => {
    const run = deliveryBench(storeFiles(files), newCloud()).run({ folder: 'won\0b' });
    await expect(run).rejects.toMatchObject({ code: 'misconfigured', message: expect.stringContaining('A name has a NUL.') });
    // Mails tell of errors, and who has a link chooses the folder.
    await expect(run).rejects.toMatchObject({ message: expect.not.stringContaining('won') });
  });

  test('the manifest is written last and names every file', async () => {
    const bench = deliveryBench(storeFiles({ ...contents, 'nul\0.txt': Buffer.from('x') }), newCloud());
    const { manifest, folder } = await bench.run({ manifest: manifestFacts });
    expect(manifest).toBe('Longshore/Rushes/longshore-manifest-transfer-1.json');
    const written = JSON.parse(bench.cloud.files.get(manifest!)!.bytes.toString()) as { files: { path: string }[] };
    expect(written).toMatchObject({
      format: 'longshore-transfer-manifest',
      version: 1,
      transfer_id: 'transfer-1',
      package_id: 'package-1',
      package_name: 'Rushes',
      portal_name: 'Dailies',
      created_at: '2026-05-06T07:08:09.000Z',
      folder,
    });
    expect(written.files).toHaveLength(6);
    const { digest, chunkSize } = bench.stored.files.find(({ path }) => path === 'day 1/large.mov')!;
    expect(written.files).toContainEqual({
      kind: 'file',
      path: 'day 1/large.mov',
      target: 'day 1/large.mov',
      name_changed: false,
      size: 12_345,
      chunk_size: chunkSize,
      digest,
      etag: bench.cloud.files.get(`${folder}/day 1/large.mov`)!.etag,
      left_out: false,
      last_modified: '2026-03-04T05:06:07.000Z',
    });
    expect(written.files.find(({ path }) => path === 'nul\0.txt')).toMatchObject({ target: 'nul_x0000_.txt', name_changed: true });
    expect([...bench.cloud.files.keys()].at(-1)).toBe(manifest);
  });

  test('a manifest whose answer was lost is not written anew, unless it would say something else', async () => {
    const bench = deliveryBench(storeFiles(contents), newCloud());
    const { manifest } = await bench.run({ manifest: manifestFacts });
    const written = bench.cloud.files.get(manifest!)!;
    // As a process leaves it that ended before it could write down what was answered.
    const lose = () =>
      bench.state.rows.set('manifest', {
        ...rowOf(bench.state, 'manifest'),
        upload: { uploadId: written.etag, path: manifest! },
        object: null,
      });
    const calls: string[] = [];
    const provider = watched(createInMemoryProvider(bench.cloud), ({ name }) => void calls.push(name));
    lose();
    expect((await bench.run({ manifest: manifestFacts, provider })).manifest).toBe(manifest);
    expect(calls).toEqual(['resume', 'openRange']);
    expect(rowOf(bench.state, 'manifest').object).toEqual({ id: manifest, etag: written.etag });
    lose();
    await bench.run({ manifest: { ...manifestFacts, packageName: 'Others' }, provider });
    expect(JSON.parse(bench.cloud.files.get(manifest!)!.bytes.toString())).toMatchObject({ package_name: 'Others' });
  });

  test('a file without content that the provider refuses is left out, which is told, and does not fail the others', async () => {
    const bench = deliveryBench(storeFiles(contents), newCloud());
    const inner = createInMemoryProvider(bench.cloud);
    let refused = 0;
    const provider: CloudProvider = {
      ...inner,
      async begin(request, signal) {
        const begun = await inner.begin(request, signal);
        if (request.size > 0) return begun;
        refused++;
        throw new ProviderError('empty_refused', 'This storage takes no files without content.');
      },
    };
    const { done, leftOut, manifest } = await bench.run({ provider, manifest: manifestFacts });
    expect({ done, leftOut }).toEqual({ done: { files: 5, bytes: 5 + 12_345 + 3_000 }, leftOut: 1 });
    expect([...filesBelow(bench.cloud, 'Longshore/Rushes').keys()]).not.toContain('empty.bin');
    expect(bench.cloud.uploads.size).toBe(0);
    const written = JSON.parse(bench.cloud.files.get(manifest!)!.bytes.toString()) as { files: { path: string; left_out?: boolean }[] };
    expect(written.files.filter((one) => one.left_out).map(({ path }) => path)).toEqual(['empty.bin']);
    // Another process does not ask again.
    expect(await bench.run({ provider, manifest: manifestFacts })).toMatchObject({ leftOut: 1 });
    expect(refused).toBe(1);
  });

  test('an empty delivery is complete, and its manifest says so', async () => {
    const bench = deliveryBench(storeFiles({}), newCloud());
    const { done, manifest } = await bench.run({ manifest: manifestFacts });
    expect(done).toEqual({ files: 0, bytes: 0 });
    expect(JSON.parse(bench.cloud.files.get(manifest!)!.bytes.toString())).toMatchObject({ files: [] });
  });

  test('names that differ in case alone are told apart where the provider ignores it, folders too', async () => {
    const clashing = ['Day/a.txt', 'day/a.txt', 'day/A.txt', 'day/b.txt', 'DAY/deep/x', 'day/Deep/x', 'Day', 'e\u0301', '\u00e9'];
    const stored = storeFiles(Object.fromEntries(clashing.map((path) => [path, Buffer.from(path)])));
    const cloud = newCloud();
    const provider = createInMemoryProvider(cloud);
    const bench = deliveryBench(stored, cloud, { provider: { ...provider, paths: { ...provider.paths, ignoresCase: true } } });
    await bench.run();
    const arrived = filesBelow(cloud, 'Longshore/Rushes');
    expect(arrived.size).toBe(clashing.length);
    const steps = new Map<string, string>();
    for (const path of arrived.keys()) {
      const parts = path.split('/');
      for (let depth = 1; depth <= parts.length; depth++) {
        const one = parts.slice(0, depth).join('/');
        const folded = one.normalize('NFC').toLowerCase();
        expect(steps.get(folded) ?? one, 'two spellings of one folder').toBe(one);
        steps.set(folded, one);
      }
    }
  });
});

describe('a delivery that meets faults', () => {
  test('a file that our storage has changed is not completed, leaves nothing, and the others arrive', async () => {
    const stored = storeFiles(contents);
    for (const [path, size] of [
      ['day 1/large.mov', 12_345],
      ['day 1/medium.mov', 3_000],
    ] as const) {
      stored.bytes.set(stored.files.find((file) => file.path === path)!.id, randomBytes(size));
    }
    const bench = deliveryBench(stored, newCloud());
    const failed = await bench.run().catch((error: unknown) => error as DeliveryError);
    expect(failed).toBeInstanceOf(DeliveryError);
    expect((failed as DeliveryError).message).toMatch(
      /^day 1\/.*: What the storage of this service holds .* 1 more could not be delivered\.$/,
    );
    expect([...filesBelow(bench.cloud, 'Longshore/Rushes').keys()].sort()).toEqual(['a.txt', 'empty.bin']);
    expect(bench.cloud.uploads.size).toBe(0);
    expect([...bench.state.rows.values()].filter(({ failure }) => failure !== '')).toHaveLength(2);
  });

  test('a file that is lost at our storage fails by itself', async () => {
    const stored = storeFiles(contents);
    stored.bytes.delete(stored.files.find(({ path }) => path === 'day 1/large.mov')!.id);
    const bench = deliveryBench(stored, newCloud());
    await expect(bench.run()).rejects.toMatchObject({ failed: 1, message: expect.stringContaining('day 1/large.mov: The storage') });
    expect(bench.cloud.uploads.size).toBe(0);
  });

  test('our storage may break off in the middle of a read: it goes on there', async () => {
    const stored = storeFiles(contents);
    let breaks = 6;
    const storage = {
      read: async (key: string, range?: { start: number; end: number }): Promise<Readable> => {
        const source = await stored.read(key, range);
        if (breaks-- <= 0) return source;
        async function* some() {
          for await (const piece of source) {
            yield piece as Buffer;
            throw new Error('ECONNRESET');
          }
        }
        return Readable.from(some(), { objectMode: false });
      },
    };
    const bench = deliveryBench(stored, newCloud());
    expect((await bench.run({ storage })).done.files).toBe(5);
  });

  test('our storage as a whole fails the delivery at once', async () => {
    const storage = { read: () => Promise.reject(new StorageError('storage_refused', 'The bucket refuses the service.')) };
    const bench = deliveryBench(storeFiles(contents), newCloud());
    await expect(bench.run({ storage })).rejects.toMatchObject({ name: 'StorageError', code: 'storage_refused' });
  });

  test('what the connection refuses ends it at once; what one file is refused does not', async () => {
    for (const [code, arrives] of [
      ['full', false],
      ['too_large', true],
    ] as const) {
      const bench = deliveryBench(storeFiles({ 'a.txt': randomBytes(10), 'b.txt': randomBytes(10) }), newCloud());
      const provider = watched(createInMemoryProvider(bench.cloud), ({ name, subject }) => {
        if (name === 'begin' && subject.endsWith('a.txt')) throw new ProviderError(code, 'The provider says no.');
      });
      const failed = bench.run({ provider, limits: { ...smallLimits, files: 1 } });
      await expect(failed).rejects.toMatchObject(arrives ? { name: 'DeliveryError', message: 'a.txt: The provider says no.' } : { code });
      expect(filesBelow(bench.cloud, 'Longshore/Rushes').size).toBe(arrives ? 1 : 0);
    }
  });

  test('a delivery that fails has told all that arrived', async () => {
    const bench = deliveryBench(storeFiles({ 'a.txt': randomBytes(10), 'b.txt': randomBytes(10), 'c.txt': randomBytes(10) }), newCloud());
    const provider = watched(createInMemoryProvider(bench.cloud), ({ name, subject }) => {
      if (name === 'begin' && subject.endsWith('c.txt')) throw new ProviderError('too_large', 'The provider says no.');
    });
    let told: DeliveryProgress | null = null;
    const run = bench.run({ provider, limits: { ...smallLimits, files: 1 }, onProgress: (progress) => (told = progress) });
    await expect(run).rejects.toBeInstanceOf(DeliveryError);
    expect(told).toEqual({ files: 2, bytes: 20 });
  });

  test('what has arrived is told while the other parts are still on their way', { timeout: 30_000 }, async () => {
    const bench = deliveryBench(storeFiles({ 'large.mov': contents['day 1/large.mov'] }), newCloud());
    const [told, seen] = [Promise.withResolvers<number>(), Promise.withResolvers<void>()];
    const provider = watched(createInMemoryProvider(bench.cloud), async ({ name, subject }) => {
      if (name === 'putPart' && subject !== 'part 1') await seen.promise;
    });
    const run = bench.run({ provider, onProgress: ({ bytes }) => bytes > 0 && told.resolve(bytes) });
    expect(await told.promise).toBeLessThan(12_345);
    seen.resolve();
    expect((await run).done.bytes).toBe(12_345);
  });

  test('an upload that the provider has ended is begun again', async () => {
    const bench = deliveryBench(storeFiles({ 'large.mov': contents['day 1/large.mov'] }), newCloud());
    let ended = 0;
    const provider = watched(createInMemoryProvider(bench.cloud), ({ name, subject }) => {
      if (name !== 'putPart' || subject !== 'part 4' || ended === 2) return;
      ended++;
      bench.cloud.uploads.clear();
    });
    await bench.run({ provider });
    expect(ended).toBe(2);
    expect(filesBelow(bench.cloud, 'Longshore/Rushes').get('large.mov')?.equals(contents['day 1/large.mov'])).toBe(true);
  });

  test('a part that is missing at the end is sent again, and no other', async () => {
    const bench = deliveryBench(storeFiles({ 'large.mov': contents['day 1/large.mov'] }), newCloud());
    let dropped = false;
    const sent: string[] = [];
    const provider = watched(createInMemoryProvider(bench.cloud), ({ name, subject }) => {
      if (name === 'putPart') sent.push(subject);
      if (name !== 'complete' || dropped) return;
      dropped = true;
      for (const { parts } of bench.cloud.uploads.values()) parts.delete(3);
    });
    await bench.run({ provider });
    expect(sent.filter((one) => one === 'part 3')).toHaveLength(2);
    expect(sent).toHaveLength(new Set(sent).size + 1);
  });

  test('a completion whose answer was lost is recognised in the next attempt', async () => {
    const bench = deliveryBench(storeFiles(contents), newCloud());
    const lost = aroundCalls(createInMemoryProvider(bench.cloud), async ({ name, run }) => {
      const answer = await run();
      if (name === 'complete') throw new ProviderError('unreachable', 'The connection broke.');
      return answer;
    });
    await expect(bench.run({ provider: lost })).rejects.toMatchObject({ code: 'unreachable' });
    const completed = bench.cloud.files.size;
    expect(completed).toBeGreaterThan(0);
    const sent: PutPartRequest[] = [];
    const provider = createInMemoryProvider(bench.cloud);
    const counting: CloudProvider = {
      ...provider,
      putPart: (part, signal) => {
        sent.push(part);
        return provider.putPart(part, signal);
      },
    };
    const before = new Set(bench.cloud.files.keys());
    expect((await bench.run({ provider: counting })).done.files).toBe(5);
    expect(sent.filter(({ handle }) => before.has(String(handle['path'])))).toEqual([]);
    expect(bench.cloud.files.size).toBe(4);
  });

  test.each(['read', 'readInto'] as const)('a cancelled delivery ends with the reason, though everything is stuck: %s', async (method) => {
    const stuck = new Promise<never>(() => {});
    const reason = new Error('cancelled');
    const reading = new AbortController();
    const stored = storeFiles(contents);
    const storage = {
      read: stored.read,
      [method]() {
        setImmediate(() => reading.abort(reason));
        return stuck;
      },
    };
    const run = deliveryBench(stored, newCloud()).run({ storage, signal: reading.signal });
    await expect(run).rejects.toBe(reason);
  });

  test('what cannot be read into buffers is read as a stream', async () => {
    const cloud = newCloud();
    const stored = storeFiles(contents);
    const storage = { read: stored.read, readInto: () => Promise.reject(new Error('The disk has a failure.')) };
    const { done } = await deliveryBench(stored, cloud).run({ storage });
    expect(done.files).toBe(stored.files.length);
    expect(filesBelow(cloud, 'Longshore/Rushes').get('day 1/large.mov')?.equals(contents['day 1/large.mov'])).toBe(true);
  });

  test('a journal that has lost its lease ends the delivery', async () => {
    const bench = deliveryBench(storeFiles(contents), newCloud());
    const lost = new Error('The lease is lost.');
    let writes = 0;
    const journal = createInMemoryJournal(bench.state, async (call) => {
      if (call === 'write' && ++writes > 1) throw lost;
    });
    await expect(bench.run({ journal })).rejects.toBe(lost);
  });

  test('after a hundred files that fail by themselves the rest is not tried', async () => {
    const stored = storeFiles(Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`${index}`, Buffer.from('x')])));
    stored.bytes.clear();
    const bench = deliveryBench(stored, newCloud());
    const failed = await bench.run().catch((error: unknown) => error as DeliveryError);
    expect(failed).toBeInstanceOf(DeliveryError);
    expect((failed as DeliveryError).failed).toBe(100);
    expect([...bench.state.rows.values()].filter(({ failure }) => failure !== '').length).toBeLessThan(110);
  });
});

describe('what providers want of parts', () => {
  const large = randomBytes(50_000);
  const plans = {
    'parts that do not fit into memory': { ...inMemoryPlan, smallestPart: 9_000, usualPart: 9_000 },
    'parts in order': { ...inMemoryPlan, order: 'ascending' },
    'large parts in order, without a digest before': {
      ...inMemoryPlan,
      smallestPart: 9_000,
      usualPart: 9_000,
      order: 'ascending',
      partDigests: [],
      digestsToComplete: ['crc32c'],
    },
    'large parts without a digest, in any order': { ...inMemoryPlan, smallestPart: 9_000, usualPart: 9_000, partDigests: [] },
    'digests of the whole before it begins': { ...inMemoryPlan, digestsToBegin: ['sha1', 'md5'], digestsToComplete: ['md5'] },
  } as const;

  test.each(Object.entries(plans))('%s', async (_what, plan) => {
    const cloud = newCloud();
    const inner = createInMemoryProvider(cloud, plan);
    let underWay = 0;
    let most = 0;
    const second = Promise.withResolvers<void>();
    const provider: CloudProvider = {
      ...inner,
      begin: (request, signal) => {
        if (request.size === large.length) expect(request.digests).toEqual(digestsOf(large, plan.digestsToBegin));
        return inner.begin(request, signal);
      },
      putPart: async (request, signal) => {
        most = Math.max(most, ++underWay);
        expect(Object.keys(request.digests)).toEqual(plan.partDigests);
        const part = large.subarray(request.offset, request.offset + request.size);
        if (request.number === 2) second.resolve();
        try {
          // The second begins while the first is on its way, where it may.
          if (request.number === 1 && plan.order === 'any') await second.promise;
          // The provider in memory compares the MD5, whether it is in the plan or not.
          return await inner.putPart({ ...request, digests: digestsOf(part, ['md5']) }, signal);
        } finally {
          underWay--;
        }
      },
      complete: (request, signal) => {
        expect(request.digests).toEqual(digestsOf(large, plan.digestsToComplete));
        return inner.complete(request, signal);
      },
    };
    const bench = deliveryBench(storeFiles({ 'large.mov': large }), cloud, { provider });
    await bench.run();
    expect(filesBelow(cloud, 'Longshore/Rushes').get('large.mov')?.equals(large)).toBe(true);
    if (plan.order === 'ascending') expect(most).toBe(1);
    else expect(most).toBe(2);
  });

  test('parts in order, where only the upload says so', async () => {
    const cloud = newCloud();
    const inner = createInMemoryProvider(cloud);
    let underWay = 0;
    const provider: CloudProvider = {
      ...inner,
      begin: async (request, signal) => ({ ...(await inner.begin(request, signal)), order: 'ascending' }),
      putPart: async (request, signal) => {
        expect(++underWay).toBe(1);
        const part = await inner.putPart(request, signal);
        underWay--;
        return part;
      },
    };
    await deliveryBench(storeFiles({ 'large.mov': large }), cloud, { provider }).run();
    expect(filesBelow(cloud, 'Longshore/Rushes').get('large.mov')?.equals(large)).toBe(true);
  });

  test('bytes in buffers stay within the memory', async () => {
    const cloud = newCloud();
    const inner = createInMemoryProvider(cloud);
    let inParts = 0;
    let most = 0;
    const provider: CloudProvider = {
      ...inner,
      putPart: async (request, signal) => {
        inParts += request.size;
        most = Math.max(most, inParts);
        await new Promise((resolve) => setTimeout(resolve, 1));
        const part = await inner.putPart(request, signal);
        inParts -= request.size;
        return part;
      },
    };
    const stored = storeFiles(Object.fromEntries(Array.from({ length: 8 }, (_, index) => [`${index}.mov`, randomBytes(20_000)])));
    await deliveryBench(stored, cloud, { provider }).run({ limits: { files: 8, parts: 8 } });
    expect(most).toBeLessThanOrEqual(16_000);
    expect(most).toBeGreaterThan(6_000);
  });
});

test('a row of a file that has failed keeps its upload, so that a retry goes on with it', async () => {
  const bench = deliveryBench(storeFiles({ 'large.mov': contents['day 1/large.mov'] }), newCloud());
  const [file] = bench.stored.files;
  const provider = watched(createInMemoryProvider(bench.cloud), ({ name }) => {
    if (name === 'complete') throw new ProviderError('exists', 'There is a file of that name already.');
  });
  await expect(bench.run({ provider })).rejects.toMatchObject({ name: 'DeliveryError' });
  expect(rowOf(bench.state, file!.id)).toMatchObject({ failure: 'There is a file of that name already.', object: null });
  expect(rowOf(bench.state, file!.id).upload).not.toBeNull();
  const sent: string[] = [];
  await bench.run({ provider: watched(createInMemoryProvider(bench.cloud), ({ name }) => void sent.push(name)) });
  expect(sent).toEqual(['resume', 'complete']);
});
