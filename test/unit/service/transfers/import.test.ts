import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ProviderError } from '#providers/errors.ts';
import type { CloudProvider } from '#providers/ports.ts';
import { aroundCalls, type Call } from '#providers/wrappers/around.ts';
import { cleanUpImport } from '#service/transfers/import/clean-up.ts';
import { StorageError } from '#storage/errors.ts';
import { type Cloud, createInMemoryProvider, newCloud } from '#test/support/providers/in-memory-provider.ts';
import { type ImportBench, importBench, putIntoCloud, smallChunks, smallImport } from '#test/support/service/import-bench.ts';
import { fileDigest } from '#test/support/service/stored-files.ts';
import { startTestStorage, type TestStorage } from '#test/support/storage/local-storage.ts';

let running: TestStorage;
beforeAll(async () => {
  running = await startTestStorage();
});
afterAll(() => running?.close());

const below = (name: string, id = name) => ({ id, name, kind: 'directory' }) as const;
const one = (name: string, id = name) => ({ id, name, kind: 'file' }) as const;

const contents = {
  'dailies/a.txt': Buffer.from('small'),
  'dailies/empty.bin': Buffer.alloc(0),
  'dailies/day 1/large.mov': randomBytes(12_345),
  'dailies/day 1/medium.mov': randomBytes(3_000),
};

function cloudOf(files: Readonly<Record<string, Buffer>> = contents): Cloud {
  const cloud = newCloud();
  for (const [id, bytes] of Object.entries(files)) putIntoCloud(cloud, id, bytes);
  return cloud;
}

const bench = (cloud: Cloud, selection: Parameters<typeof importBench>[2]): ImportBench => importBench(cloud, running.storage, selection);

/** Does something before each call of a provider. */
function watched(cloud: Cloud, before: (call: Call<unknown>) => void | Promise<void>): CloudProvider {
  return aroundCalls(createInMemoryProvider(cloud), async (call) => {
    await before(call as Call<unknown>);
    return call.run();
  });
}

async function expectPackaged({ packaged }: ImportBench, files: Readonly<Record<string, Buffer>>): Promise<void> {
  for (const [path, bytes] of Object.entries(files)) {
    const file = packaged.get(path);
    expect(file?.state, path).toBe('finalized');
    expect((await buffer(await running.storage.read(file!.fileId))).equals(bytes), path).toBe(true);
    expect(file!.digest, path).toBe(fileDigest(bytes, smallChunks));
  }
}

describe('bringing files into a package', () => {
  test('a folder comes with all below it, with digests and times', async () => {
    const cloud = cloudOf();
    cloud.folders.add('dailies/day 2/none');
    const at = bench(cloud, [below('Rushes', 'dailies/'), one('notes/first.txt', 'dailies/a.txt')]);
    const told: unknown[] = [];
    const done = await at.run({ onProgress: (progress) => told.push(progress) });
    expect(done).toEqual({ files: 6, bytes: 5 + 12_345 + 3_000 + 5 });
    expect(told.at(-1)).toEqual(done);
    await expectPackaged(at, {
      'notes/first.txt': contents['dailies/a.txt'],
      ...Object.fromEntries(Object.entries(contents).map(([path, bytes]) => [path.replace('dailies', 'Rushes'), bytes])),
    });
    expect(at.packaged.get('Rushes/day 2/none')).toMatchObject({ kind: 'directory', state: 'finalized' });
    expect([...at.packaged.values()].filter(({ kind }) => kind === 'file').map(({ modified }) => modified)).toEqual(
      Array.from({ length: 5 }, () => new Date('2026-03-04T05:06:07Z')),
    );
  });

  test('one that is complete asks for nothing again', async () => {
    const at = bench(cloudOf(), [below('dailies')]);
    await at.run();
    const calls: string[] = [];
    await at.run({ provider: watched(at.cloud, ({ name }) => void calls.push(name)) });
    expect(calls).toEqual([]);
  });

  test('names that a package does not hold are changed as on the way out', async () => {
    const at = bench(cloudOf({ 'd/take: 1/nul.mov': Buffer.from('x') }), [below('Rushes', 'd')]);
    await at.run();
    expect([...at.packaged.keys()]).toEqual(['Rushes/take_x003A_ 1/_x006E_ul.mov']);
  });
});

describe('what cannot come is refused before anything is made', () => {
  const archived = { archived: true };
  test.each<[string, (cloud: Cloud) => Parameters<typeof importBench>[2], string]>([
    ['a file that is missing', () => [one('a.txt'), one('b.txt')], 'a.txt: It is not there.'],
    ['a folder that is missing', () => [below('none')], 'none: It is not there.'],
    [
      'cold storage',
      (cloud) => {
        putIntoCloud(cloud, 'dailies/day 1/cold.mov', Buffer.from('x'), archived);
        return [one('first.txt', 'dailies/a.txt'), below('dailies')];
      },
      'dailies/day 1/cold.mov: It lies in cold storage.',
    ],
    ['two of one path', () => [one('x/a.txt', 'dailies/a.txt'), below('x', 'dailies')], 'x/a.txt: Two of the files would have this path'],
    [
      'a key with steps',
      (cloud) => {
        putIntoCloud(cloud, 'dailies/../secret', Buffer.from('x'));
        return [below('dailies')];
      },
      'dailies/../secret: It cannot be fetched',
    ],
  ])('%s', async (_, prepare, message) => {
    const cloud = cloudOf();
    const at = bench(cloud, prepare(cloud));
    await expect(at.run()).rejects.toMatchObject({ name: 'ImportError', message: expect.stringContaining(message) });
    expect(at.packaged.size).toBe(0);
  });

  test('a finalized file of the package', async () => {
    const cloud = cloudOf();
    const before = bench(cloud, [one('a.txt', 'dailies/a.txt')]);
    await before.run();
    const at = bench(
      cloud,
      [below('', 'dailies')].map((item) => ({ ...item, name: 'dailies' })),
    );
    at.packaged.set('dailies/a.txt', before.packaged.get('a.txt')!);
    await expect(at.run()).rejects.toThrow('dailies/a.txt: The package has a finalized file of this path already.');
    expect(at.packaged.size).toBe(1);
  });

  test('too many', async () => {
    const at = bench(cloudOf(), [below('dailies')]);
    await expect(at.run({ limits: { ...smallImport, entries: 3 } })).rejects.toThrow('A transfer brings at most 3 files and folders.');
  });

  test('restored and retried, it comes', async () => {
    const cloud = cloudOf();
    putIntoCloud(cloud, 'dailies/cold.mov', Buffer.from('cold'), archived);
    const at = bench(cloud, [below('dailies')]);
    await expect(at.run()).rejects.toThrow('cold storage');
    putIntoCloud(cloud, 'dailies/cold.mov', Buffer.from('cold'));
    await at.run();
    await expectPackaged(at, { ...contents, 'dailies/cold.mov': Buffer.from('cold') });
  });
});

describe('a large folder', () => {
  test('is looked at page by page, and goes on at the page where it stopped', async () => {
    const cloud = newCloud();
    for (let index = 0; index < 3_500; index++) putIntoCloud(cloud, `d/${String(index).padStart(5, '0')}`, Buffer.alloc(0));
    const at = bench(cloud, [below('d')]);
    const looks = async (failing: number) => {
      let lists = 0;
      const provider = watched(cloud, ({ name }) => {
        if (name === 'list' && ++lists === failing) throw new ProviderError('busy', 'Not now.');
        if (name === 'openRange') throw new ProviderError('forbidden', 'Enough is seen.');
      });
      await expect(at.run({ provider })).rejects.toMatchObject({ name: 'ProviderError' });
      return lists;
    };
    expect(await looks(3)).toBe(3);
    expect(at.state.rows.length).toBe(2_000);
    expect(await looks(0)).toBe(2);
    expect(at.state.rows.length).toBe(3_500);
  });
});

describe('a file that changes while it comes', () => {
  const versions = [randomBytes(9_000), randomBytes(7_000), randomBytes(11_000), randomBytes(8_000)];

  /** Replaces the file as soon as its second range is asked for, up to so often. */
  function changing(cloud: Cloud, times: number): CloudProvider {
    let asked = 0;
    let version = 0;
    return watched(cloud, ({ name }) => {
      if (name !== 'openRange' || ++asked % 2 !== 0 || version >= times) return;
      version += 1;
      putIntoCloud(cloud, 'a.mov', versions[version]!);
    });
  }

  test.each([1, 2])('%d times: it begins again, and comes in one version', async (times) => {
    const cloud = cloudOf({ 'a.mov': versions[0]! });
    const at = bench(cloud, [one('a.mov')]);
    const done = await at.run({ provider: changing(cloud, times) });
    expect(done).toEqual({ files: 1, bytes: versions[times]!.length });
    await expectPackaged(at, { 'a.mov': versions[times]! });
  });

  test('once more: it is told in words, and nothing of it stays', async () => {
    const cloud = cloudOf({ 'a.mov': versions[0]!, 'b.mov': Buffer.from('b') });
    const at = bench(cloud, [one('a.mov'), one('b.mov')]);
    const provider = watched(cloud, ({ name, subject }) => {
      if (name === 'openRange' && subject === 'a.mov') putIntoCloud(cloud, 'a.mov', randomBytes(9_000));
    });
    await expect(at.run({ provider })).rejects.toThrow('a.mov: It changed at the provider again and again');
    expect([...at.packaged.keys()]).toEqual(['b.mov']);
  });

  test('one that is gone is told so, and the others come', async () => {
    const cloud = cloudOf({ 'a.mov': versions[0]!, 'b.mov': Buffer.from('b') });
    const at = bench(cloud, [one('a.mov'), one('b.mov')]);
    const provider = watched(cloud, ({ name, subject }) => {
      if (name === 'openRange' && subject === 'a.mov') cloud.files.delete('a.mov');
    });
    await expect(at.run({ provider })).rejects.toMatchObject({ name: 'ImportError', failures: [{ path: 'a.mov' }] });
    expect([...at.packaged.keys()]).toEqual(['b.mov']);
  });
});

describe('ends on the way', () => {
  const large = { 'a.mov': randomBytes(50_000), 'small.txt': Buffer.from('small') };

  test('a connection that is refused stops it at once; stored chunks stay and are not asked for again', async () => {
    const at = bench(cloudOf(large), [one('a.mov'), one('small.txt')]);
    let asked = 0;
    const refusing = watched(at.cloud, ({ name, subject }) => {
      if (name !== 'openRange' || subject !== 'a.mov') return;
      asked += 1;
      if (asked > 9) throw new ProviderError('credentials_refused', 'The provider refused the credentials.');
    });
    await expect(at.run({ provider: refusing })).rejects.toMatchObject({ code: 'credentials_refused' });
    const confirmed = at.state.chunks.get(0)!.size;
    expect(confirmed).toBeGreaterThan(5);
    let again = 0;
    const provider = watched(at.cloud, ({ name, subject }) => void (name === 'openRange' && subject === 'a.mov' && again++));
    await at.run({ provider });
    expect(again).toBe(20 - confirmed);
    await expectPackaged(at, large);
  });

  test('our storage that is full stops it, with its own error', async () => {
    const at = bench(cloudOf(large), [one('small.txt'), one('a.mov')]);
    const full = async () => {
      throw new StorageError('storage_full', 'The storage is full.');
    };
    await expect(at.run({ storage: { ...running.storage, putPart: full } })).rejects.toMatchObject({ code: 'storage_full' });
    await at.run();
    await expectPackaged(at, large);
  });

  test('an upload that our storage has lost begins again', async () => {
    const at = bench(cloudOf(large), [one('a.mov')]);
    let parts = 0;
    const storage = {
      ...running.storage,
      async putPart(...request: Parameters<typeof running.storage.putPart>) {
        if (++parts === 4) await running.storage.abort(request[0].key);
        return await running.storage.putPart(...request);
      },
    };
    await at.run({ storage });
    await expectPackaged(at, { 'a.mov': large['a.mov'] });
  });

  test('a file that somebody removes from the package meanwhile is told so', async () => {
    const at = bench(cloudOf(large), [one('a.mov'), one('small.txt')]);
    let parts = 0;
    const storage = {
      ...running.storage,
      async putPart(...request: Parameters<typeof running.storage.putPart>) {
        if (++parts === 4) await at.files.remove([request[0].key]);
        return await running.storage.putPart(...request);
      },
    };
    await expect(at.run({ storage })).rejects.toThrow('a.mov: It was removed from the package');
    expect([...at.packaged.keys()]).toEqual(['small.txt']);
  });

  test('cancelled, nothing unfinished is left; taken up again, it comes', async () => {
    const at = bench(cloudOf(large), [one('small.txt'), one('a.mov')]);
    const stop = new AbortController();
    const reason = new Error('cancelled');
    let asked = 0;
    const provider = watched(at.cloud, ({ name }) => {
      if (name === 'openRange' && ++asked === 8) stop.abort(reason);
    });
    await expect(at.run({ provider, signal: stop.signal })).rejects.toBe(reason);
    const begun = at.state.rows[1]!;
    await cleanUpImport({ journal: at.journal, files: at.files, signal: new AbortController().signal });
    expect([...at.packaged.keys()]).toEqual(['small.txt']);
    await expect(running.storage.listParts(begun.fileId!, begun.uploadId!)).rejects.toMatchObject({ code: 'no_such_upload' });
    await at.run();
    await expectPackaged(at, large);
  });

  /** Bytes that turn out to be wrong when all have come, so often. */
  function corrupting(cloud: Cloud, times: number): CloudProvider {
    const real = createInMemoryProvider(cloud);
    let asked = 0;
    return {
      ...real,
      async openRange(request, signal) {
        const stream = await real.openRange(request, signal);
        if (request.id !== 'a.mov' || ++asked > times) return stream;
        return Readable.from(
          (async function* () {
            yield (await buffer(stream)).fill(0);
            throw new ProviderError('corrupted', 'They are other bytes.');
          })(),
          { objectMode: false },
        );
      },
    };
  }

  test.each([900, 2_400])('%d bytes that came as others are fetched again', async (size) => {
    const files = { 'a.mov': randomBytes(size), 'b.mov': Buffer.from('b') };
    const at = bench(cloudOf(files), [one('a.mov'), one('b.mov')]);
    await at.run({ provider: corrupting(at.cloud, 2) });
    await expectPackaged(at, files);
  });

  test('bytes that come as others again and again: the file says so, and nothing of it stays', async () => {
    const at = bench(cloudOf({ 'a.mov': randomBytes(900), 'b.mov': Buffer.from('b') }), [one('a.mov'), one('b.mov')]);
    await expect(at.run({ provider: corrupting(at.cloud, 100) })).rejects.toThrow('a.mov: What came of it, again and again');
    expect([...at.packaged.keys()]).toEqual(['b.mov']);
  });

  test('a connection that breaks within a range goes on where it broke', async () => {
    const cloud = cloudOf({ 'a.mov': randomBytes(2_000) });
    const at = bench(cloud, [one('a.mov')]);
    const ranges: unknown[] = [];
    const real = createInMemoryProvider(cloud);
    const provider: CloudProvider = {
      ...real,
      async openRange(request, signal) {
        ranges.push(request.range);
        const stream = await real.openRange(request, signal);
        if (ranges.length > 2) return stream;
        return Readable.from(
          (async function* () {
            yield (await buffer(stream)).subarray(0, 700);
            throw new ProviderError('unreachable', 'It broke.');
          })(),
          { objectMode: false },
        );
      },
    };
    await at.run({ provider });
    expect(ranges).toEqual([
      { start: 0, end: 1_999 },
      { start: 700, end: 1_999 },
      { start: 1_400, end: 1_999 },
    ]);
    await expectPackaged(at, { 'a.mov': cloud.files.get('a.mov')!.bytes });
  });
});
