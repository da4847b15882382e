import { describe, expect, test } from 'vitest';
import { StorageError, type StorageErrorCode } from '#storage/errors.ts';
import type { ObjectStorage, StoredObject, UploadToComplete } from '#storage/ports.ts';
import { createS3Storage } from '#storage/s3/s3-storage.ts';
import { parseS3Url } from '#storage/s3/settings.ts';
import { type CallReport, withLogging } from '#storage/wrappers/logging.ts';
import { retryDelay, withRetry } from '#storage/wrappers/retry.ts';
import { failureOf } from '#test/support/storage/conformance.ts';
import { startTestStorage } from '#test/support/storage/local-storage.ts';

/** Real storage whose `head` fails so and so often before it works. */
async function failing(
  times: number,
  code: StorageErrorCode,
  work: (storage: ObjectStorage, calls: () => number) => Promise<void>,
): Promise<void> {
  const running = await startTestStorage();
  let calls = 0;
  const storage: ObjectStorage = {
    ...running.storage,
    async head(key) {
      calls += 1;
      if (calls <= times) throw new StorageError(code, 'Not now.');
      return running.storage.head(key);
    },
  };
  await work(storage, () => calls);
  await running.close();
}

const rules = { attempts: 4, firstDelay: 100, greatestDelay: 300, random: () => 0.5 };

describe('retry', () => {
  test('asks again while the storage is not there, with growing delays', async () => {
    await failing(3, 'storage_unavailable', async (storage, calls) => {
      const delays: number[] = [];
      const patient = withRetry(storage, { ...rules, sleep: async (milliseconds) => void delays.push(milliseconds) });
      await patient.write('key', Buffer.from('x'));
      expect(await patient.head('key')).toMatchObject({ size: 1 });
      expect([calls(), delays]).toEqual([4, [75, 150, 225]]);
    });
  });

  test('gives up after its tries, with the last failure', async () => {
    await failing(9, 'storage_unavailable', async (storage, calls) => {
      expect(await failureOf(withRetry(storage, { ...rules, sleep: async () => {} }).head('key'))).toBe('storage_unavailable');
      expect(calls()).toBe(4);
    });
  });

  test.each(['storage_full', 'storage_read_only', 'storage_refused', 'no_such_object'] as const)('tells of %s at once', async (code) => {
    await failing(1, code, async (storage, calls) => {
      expect(await failureOf(withRetry(storage, { ...rules, sleep: async () => {} }).head('key'))).toBe(code);
      expect(calls()).toBe(1);
    });
  });

  test('ends an upload that may have been begun unheard, before it begins another', async () => {
    const running = await startTestStorage();
    const open = new Set<string>();
    let begins = 0;
    const storage: ObjectStorage = {
      ...running.storage,
      async begin() {
        const id = `upload ${++begins}`;
        open.add(id);
        if (begins === 1) throw new StorageError('storage_unavailable', 'The answer was lost.');
        return id;
      },
      abort: async () => open.clear(),
    };
    const begun = await withRetry(storage, { ...rules, sleep: async () => {} }).begin('key');
    expect([...open]).toEqual([begun]);
    await running.close();
  });

  test.each([
    [2, 0, 50],
    [2, 1, 100],
    [3, 0, 100],
    [9, 1, 300],
  ])('before try %i, with chance %f, it waits %i ms', (attempt, chance, delay) => {
    expect(retryDelay(attempt, { ...rules, random: () => chance, sleep: async () => {} })).toBe(delay);
  });
});

describe('logging', () => {
  test('reports calls with their time, and failures with their error', async () => {
    await failing(1, 'storage_unavailable', async (storage) => {
      const reports: CallReport[] = [];
      let clock = 0;
      const logged = withLogging(
        storage,
        (call) => reports.push(call),
        () => {
          clock += 5;
          return clock;
        },
      );
      expect(await failureOf(logged.head('key'))).toBe('storage_unavailable');
      expect(await logged.head('key')).toBeNull();
      expect(reports).toMatchObject([
        { call: 'head', key: 'key', milliseconds: 5, error: { code: 'storage_unavailable' } },
        { call: 'head', key: 'key', milliseconds: 5 },
      ]);
      expect('error' in reports[1]!).toBe(false);
    });
  });
});

describe('every call of a store', () => {
  const objects = [
    { key: 'one', size: 1 },
    { key: 'two', size: 1 },
  ];
  const openLocal = async () => {
    const { storage, close } = await startTestStorage();
    return { storage, close };
  };
  const openS3 = async () => {
    const storage = createS3Storage(parseS3Url('s3://KEY:SECRET@localhost:1/bucket?tls=false'));
    return { storage, close: () => storage.close() };
  };

  test.each([
    ['local', openLocal],
    ['s3', openS3],
  ])('%s: is asked again and reported', async (_name, open) => {
    const { storage: real, close } = await open();
    const reported: string[] = [];
    const methods = Object.entries(real).flatMap(([name, value]) => (typeof value === 'function' ? [name] : []));
    // `check` of the S3 store runs before the wrappers, and `locate` asks nobody.
    const asked = methods.filter((name) => !['close', 'check', 'locate'].includes(name)).toSorted();
    // Its turn is before that of `begin`, which needs it.
    expect(asked[0]).toBe('abort');
    expect(asked.length).toBeGreaterThan(9);
    const failed = new Set<string>();
    const once = (name: string) => async () => {
      if (failed.has(name)) return [name];
      failed.add(name);
      throw new StorageError('storage_unavailable', 'Not now.');
    };
    const failingOnce = { ...real, ...Object.fromEntries(asked.map((name) => [name, once(name)])) } as unknown as ObjectStorage;
    const storage = withRetry(
      withLogging(failingOnce, ({ call, key, error }) => reported.push(`${call} ${key} ${error === undefined ? 'works' : 'fails'}`)),
      { ...rules, sleep: async () => {} },
    ) as unknown as Record<string, (first: unknown) => Promise<unknown>>;
    for (const name of asked) {
      const isBatch = ['beginWhole', 'completeAll', 'pack', 'presignReadBatch'].includes(name);
      const firsts: Record<string, unknown> = {
        beginWhole: objects,
        completeAll: objects,
        pack: ['one', 'two'],
        presignReadBatch: ['one', 'two'],
        putPart: { key: 'one' },
        listUploads: { key: 'one' },
      };
      expect(await storage[name]!(firsts[name] ?? 'one'), name).toContain(name);
      const isOfAll = name === 'endUploads' || name === 'listSegments';
      const key = isOfAll ? '' : isBatch ? 'one and 1 more' : 'one';
      const [fails, works] = ['fails', 'works'].map((how) => `${name} ${key} ${how}`);
      expect(reported.splice(0)).toEqual([fails, ...(name === 'begin' ? ['abort one works'] : []), works]);
    }
    expect(Object.keys(storage).toSorted()).toEqual(Object.keys(real).toSorted());
    await close();
  });
});

describe('completing a batch', () => {
  const upload = (key: string): UploadToComplete => ({ key, uploadId: 'u', parts: [] });
  const uploads = ['a', 'b', 'c', 'd'].map(upload);
  const stored = (key: string): StoredObject => ({ size: 1, etag: key });

  /** Fails by this list of codes, one attempt after the other. */
  async function completing(answers: Record<string, readonly StorageErrorCode[]>) {
    const running = await startTestStorage();
    const [asked, reports]: [string[], CallReport[]] = [[], []];
    const left = new Map(Object.entries(answers).map(([key, codes]) => [key, [...codes]]));
    const storage: ObjectStorage = {
      ...running.storage,
      async completeAll(some) {
        asked.push(some.map(({ key }) => key).join(''));
        return some.map(({ key }) => {
          const code = left.get(key)?.shift();
          return code === undefined ? stored(key) : new StorageError(code, 'Not now.');
        });
      },
    };
    const logged = withLogging(storage, (report) => reports.push(report));
    const results = await withRetry(logged, { ...rules, sleep: async () => {} }).completeAll!(uploads);
    await running.close();
    const codes = results.map((one) => (one instanceof StorageError ? one.code : one.etag));
    return { asked, codes, reported: reports.map(({ error }) => (error as StorageError | undefined)?.code ?? 'works') };
  }

  test('asks again for those alone that the storage had no time for', async () => {
    const { asked, codes, reported } = await completing({ b: ['storage_unavailable', 'storage_unavailable'], c: ['part_missing'] });
    expect(asked).toEqual(['abcd', 'b', 'b']);
    expect(codes).toEqual(['a', 'b', 'part_missing', 'd']);
    expect(reported).toEqual(['storage_unavailable', 'storage_unavailable', 'works']);
  });

  test('is not thrown: after the last attempt each upload has its own failure', async () => {
    const always = Array<StorageErrorCode>(9).fill('storage_unavailable');
    const { asked, codes } = await completing({ a: always, d: always });
    expect(asked).toEqual(['abcd', 'ad', 'ad', 'ad']);
    expect(codes).toEqual(['storage_unavailable', 'b', 'c', 'storage_unavailable']);
  });

  test('a full storage is reported at once, and its uploads are not asked for again', async () => {
    const { asked, codes, reported } = await completing({ b: ['storage_full'] });
    expect([asked, codes, reported]).toEqual([['abcd'], ['a', 'storage_full', 'c', 'd'], ['storage_full']]);
  });

  test('a full storage does not keep others from being asked for again', async () => {
    const { asked, codes, reported } = await completing({ b: ['storage_full'], c: ['storage_unavailable'] });
    expect(asked).toEqual(['abcd', 'c']);
    expect(codes).toEqual(['a', 'storage_full', 'c', 'd']);
    expect(reported).toEqual(['storage_unavailable', 'works']);
  });
});
