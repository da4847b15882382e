import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { buffer, text } from 'node:stream/consumers';
import { blake3 } from '@napi-rs/blake-hash';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Blueprint } from '#protocol/schema.ts';
import { StorageError, type StorageErrorCode } from '#storage/errors.ts';
import type { ObjectStorage, PartToPut, StoredObject, WholeUpload } from '#storage/ports.ts';

/** A storage under test. */
export interface StorageBench {
  readonly storage: ObjectStorage;
  /** The same storage, signing as if it were two hours ago. */
  readonly twoHoursAgo: ObjectStorage;
  close(): Promise<void>;
}

/** What a server may lack that the storage we have it stand for does not; each with the reason. */
export type Lacks = Partial<Record<'forgetsCompletedUploads' | 'endsWholeUploads', string>>;

export interface ConformanceOptions {
  readonly open: () => Promise<StorageBench>;
  readonly lacks?: Lacks;
  /** Bytes of a part that is not the last. */
  readonly partSize: number;
  /** Parts in the long listing. */
  readonly manyParts: number;
}

/** The bytes of a part's etag, by what the storage says its etags are. */
function expectedEtag(storage: Pick<ObjectStorage, 'chunkChecksum'>, bytes: Buffer): string {
  return storage.chunkChecksum === 'blake3' ? `b3-${blake3(bytes).toString('hex')}` : createHash('md5').update(bytes).digest('hex');
}

export async function send(blueprint: Blueprint, bytes?: Buffer, headers: Record<string, string> = {}): Promise<Response> {
  const body = bytes === undefined ? {} : { body: new Uint8Array(bytes) };
  return fetch(blueprint.url, { method: blueprint.method, headers: { ...blueprint.headers, ...headers }, ...body });
}

const etagOf = (response: Response): string => (response.headers.get('etag') ?? '').replaceAll('"', '');

const inAnHour = (): Date => new Date(Date.now() + 3_600_000);

export async function failureOf(work: Promise<unknown>): Promise<StorageErrorCode | 'none'> {
  try {
    await work;
    return 'none';
  } catch (error) {
    if (error instanceof StorageError) return error.code;
    throw error;
  }
}

const newKey = (): string => `package-${randomUUID()}/file-1`;

/** Begins an upload as a sender does and gives its id. */
export async function begin(storage: ObjectStorage, key: string): Promise<string> {
  const answer = await send(await storage.presignCreate(key, inAnHour()));
  const body = await answer.text();
  expect(answer.status, body).toBe(200);
  return /<UploadId>([^<]+)<\/UploadId>/.exec(body)![1]!;
}

/** Sends one part as a sender does and gives its etag. */
export async function put(storage: ObjectStorage, key: string, uploadId: string, partNumber: number, bytes: Buffer): Promise<string> {
  const [blueprint] = await storage.presignParts(key, uploadId, [{ partNumber, size: bytes.length, maxSize: bytes.length }], inAnHour());
  const answer = await send(blueprint!, bytes);
  expect(answer.status, await answer.text()).toBe(200);
  return etagOf(answer);
}

/** Uploads the parts and completes. */
export async function store(storage: ObjectStorage, key: string, parts: readonly Buffer[]) {
  const uploadId = await begin(storage, key);
  const stored = [];
  for (const [index, bytes] of parts.entries()) {
    stored.push({ partNumber: index + 1, etag: await put(storage, key, uploadId, index + 1, bytes), size: bytes.length });
  }
  return { uploadId, stored, object: await storage.complete(key, uploadId, stored) };
}

async function* piecesOf(bytes: Buffer, size = 65_536): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const never = new AbortController().signal;

const putThrough = (storage: ObjectStorage, part: Pick<PartToPut, 'key' | 'uploadId' | 'partNumber'>, bytes: Buffer) =>
  storage.putPart({ ...part, size: bytes.length, open: () => piecesOf(bytes) }, never);

const read = async (storage: ObjectStorage, key: string, range?: { start: number; end: number }) => buffer(await storage.read(key, range));

const tampered = (blueprint: Blueprint, change: (url: URL) => void): Blueprint => {
  const url = new URL(blueprint.url);
  change(url);
  return { ...blueprint, url: url.href };
};

/** What every object storage must do, tried over real HTTP. */
export function storageConformance(name: string, { open, lacks = {}, partSize, manyParts }: ConformanceOptions): void {
  const unless = (lack: keyof Lacks) => test.skipIf(lacks[lack] !== undefined);
  const because = (lack: keyof Lacks) => (lacks[lack] === undefined ? '' : ` (not here: ${lacks[lack]})`);

  describe(`${name} conforms`, () => {
    let bench: StorageBench;
    let storage: ObjectStorage;
    beforeAll(async () => {
      bench = await open();
      storage = bench.storage;
    });
    afterAll(() => bench?.close());

    test('an object sent in parts is read back byte for byte', async () => {
      const key = newKey();
      const parts = [randomBytes(partSize), randomBytes(partSize), randomBytes(777)];
      const { stored, object } = await store(storage, key, parts);
      const whole = Buffer.concat(parts);
      expect(stored.map((part) => part.etag)).toEqual(parts.map((part) => expectedEtag(storage, part)));
      expect(object.size).toBe(whole.length);
      expect((await read(storage, key)).equals(whole)).toBe(true);
      expect(await storage.head(key)).toEqual(object);
    });

    test('parts may arrive in any order and at once', async () => {
      const key = newKey();
      const parts = [randomBytes(partSize), randomBytes(partSize), randomBytes(partSize), randomBytes(5)];
      const uploadId = await begin(storage, key);
      const stored = await Promise.all(
        [3, 1, 0, 2].map(async (index) => ({
          partNumber: index + 1,
          etag: await put(storage, key, uploadId, index + 1, parts[index]!),
          size: parts[index]!.length,
        })),
      );
      await storage.complete(key, uploadId, stored);
      expect((await read(storage, key)).equals(Buffer.concat(parts))).toBe(true);
    });

    test('parts are listed ascending, with etag and size', async () => {
      const key = newKey();
      const uploadId = await begin(storage, key);
      expect(await storage.listParts(key, uploadId)).toEqual([]);
      const [first, third] = [randomBytes(partSize), randomBytes(3)];
      await put(storage, key, uploadId, 3, third);
      await put(storage, key, uploadId, 1, first);
      expect(await storage.listParts(key, uploadId)).toEqual([
        { partNumber: 1, etag: expectedEtag(storage, first), size: partSize },
        { partNumber: 3, etag: expectedEtag(storage, third), size: 3 },
      ]);
    });

    test('a part sent again replaces the first', async () => {
      const key = newKey();
      const uploadId = await begin(storage, key);
      await put(storage, key, uploadId, 1, randomBytes(partSize + 1));
      const again = randomBytes(partSize);
      const etag = await put(storage, key, uploadId, 1, again);
      const listed = await storage.listParts(key, uploadId);
      expect(listed).toEqual([{ partNumber: 1, etag, size: partSize }]);
      await storage.complete(key, uploadId, listed);
      expect((await read(storage, key)).equals(again)).toBe(true);
    });

    test('the same part twice counts once', async () => {
      const key = newKey();
      const uploadId = await begin(storage, key);
      const bytes = randomBytes(partSize);
      const etag = await put(storage, key, uploadId, 1, bytes);
      expect(await put(storage, key, uploadId, 1, bytes)).toBe(etag);
      const object = await storage.complete(key, uploadId, [{ partNumber: 1, etag, size: partSize }]);
      expect(object.size).toBe(partSize);
    });

    test('completing again gives the same answer', async () => {
      const key = newKey();
      const { uploadId, stored, object } = await store(storage, key, [randomBytes(partSize), randomBytes(9)]);
      expect(await storage.complete(key, uploadId, stored)).toEqual(object);
      expect((await read(storage, key)).length).toBe(partSize + 9);
    });

    test('completing a part that is not there loses nothing', async () => {
      const key = newKey();
      const uploadId = await begin(storage, key);
      const bytes = randomBytes(partSize);
      const there = { partNumber: 1, etag: await put(storage, key, uploadId, 1, bytes), size: partSize };
      const absent = { partNumber: 2, etag: expectedEtag(storage, Buffer.from('x')), size: 1 };
      expect(await failureOf(storage.complete(key, uploadId, [there, absent]))).toBe('part_missing');
      expect(await storage.head(key)).toBeNull();
      await put(storage, key, uploadId, 2, Buffer.from('x'));
      expect((await storage.complete(key, uploadId, [there, absent])).size).toBe(partSize + 1);
    });

    test('a part with another etag is not taken', async () => {
      const key = newKey();
      const uploadId = await begin(storage, key);
      await put(storage, key, uploadId, 1, Buffer.from('one'));
      const other = { partNumber: 1, etag: expectedEtag(storage, Buffer.from('two')), size: 3 };
      expect(await failureOf(storage.complete(key, uploadId, [other]))).toBe('part_missing');
    });

    test('parts not named are left out', async () => {
      const key = newKey();
      const uploadId = await begin(storage, key);
      const bytes = randomBytes(partSize);
      const etag = await put(storage, key, uploadId, 1, bytes);
      await put(storage, key, uploadId, 2, randomBytes(50));
      expect((await storage.complete(key, uploadId, [{ partNumber: 1, etag, size: partSize }])).size).toBe(partSize);
      expect((await read(storage, key)).equals(bytes)).toBe(true);
    });

    test('an aborted upload is gone, others of a similar key stay', async () => {
      const key = newKey();
      const near = `${key}0`;
      const [uploadId, second, other] = [await begin(storage, key), await begin(storage, key), await begin(storage, near)];
      await put(storage, key, uploadId, 1, Buffer.from('gone'));
      await put(storage, near, other, 1, Buffer.from('of near'));
      await put(storage, near, other, 1, Buffer.from('kept'));
      await put(storage, near, other, 3, Buffer.from('last'));
      // As nobody tells which uploads there are.
      expect([await storage.bytesReceived(key), await storage.bytesReceived(near)]).toEqual([4, 8]);
      const [late] = await storage.presignParts(key, uploadId, [{ partNumber: 2, size: 4, maxSize: 4 }], inAnHour());
      await storage.abort(key);
      await storage.abort(key);
      expect(await failureOf(storage.listParts(key, uploadId))).toBe('no_such_upload');
      expect(await failureOf(storage.listParts(key, second))).toBe('no_such_upload');
      const answer = await send(late!, Buffer.from('late'));
      expect(answer.status).toBe(404);
      expect(await answer.text()).toContain('<Code>NoSuchUpload</Code>');
      expect(await storage.listParts(near, other)).toHaveLength(2);
      expect([await storage.bytesReceived(key), await storage.bytesReceived(near)]).toEqual([0, 8]);
    });

    test('an unknown upload is said to be so', async () => {
      const key = newKey();
      const uploadId = await begin(storage, key);
      const stored = { partNumber: 1, etag: await put(storage, key, uploadId, 1, Buffer.from('a')), size: 1 };
      expect(await failureOf(storage.listParts(newKey(), uploadId))).toBe('no_such_upload');
      expect(await failureOf(storage.complete(newKey(), uploadId, [stored]))).toBe('no_such_upload');
    });

    unless('forgetsCompletedUploads')(`a completed upload is no more${because('forgetsCompletedUploads')}`, async () => {
      const key = newKey();
      const uploadId = await begin(storage, key);
      const stored = { partNumber: 1, etag: await put(storage, key, uploadId, 1, Buffer.from('a')), size: 1 };
      await storage.complete(key, uploadId, [stored]);
      expect(await failureOf(storage.listParts(key, uploadId))).toBe('no_such_upload');
    });

    test('parts that come through the service are those that a sender sends', async () => {
      const key = newKey();
      const parts = [randomBytes(partSize), randomBytes(3)];
      const uploadId = await storage.begin(key);
      const stored = await Promise.all(parts.map((bytes, index) => putThrough(storage, { key, uploadId, partNumber: index + 1 }, bytes)));
      expect(stored).toEqual(
        parts.map((bytes, index) => ({ partNumber: index + 1, etag: expectedEtag(storage, bytes), size: bytes.length })),
      );
      // Again, as after a lost answer.
      expect(await putThrough(storage, { key, uploadId, partNumber: 2 }, parts[1]!)).toEqual(stored[1]);
      expect(await storage.listParts(key, uploadId)).toEqual(stored);
      const object = await storage.complete(key, uploadId, stored);
      expect((await read(storage, key)).equals(Buffer.concat(parts))).toBe(true);
      expect(await storage.head(key)).toEqual(object);
    });

    test('a part through the service whose source fails, ends early or is stopped leaves nothing', async () => {
      const key = newKey();
      const upload = { key, uploadId: await storage.begin(key) };
      const broken = new Error('the source broke');
      const source = async function* (): AsyncGenerator<Buffer> {
        yield randomBytes(partSize);
        throw broken;
      };
      const part = { ...upload, partNumber: 1, size: 2 * partSize };
      await expect(storage.putPart({ ...part, open: source }, never)).rejects.toBe(broken);
      const short = storage.putPart({ ...part, open: () => piecesOf(randomBytes(partSize)) }, never);
      expect(await failureOf(short)).toBe('storage_unavailable');
      const stop = new AbortController();
      const stopping = async function* (): AsyncGenerator<Buffer> {
        yield randomBytes(partSize);
        stop.abort(broken);
        yield randomBytes(partSize);
      };
      await expect(storage.putPart({ ...part, open: stopping }, stop.signal)).rejects.toBe(broken);
      expect(await storage.listParts(key, upload.uploadId)).toEqual([]);
      await storage.abort(key);
      expect(await failureOf(putThrough(storage, { ...upload, partNumber: 1 }, randomBytes(3)))).toBe('no_such_upload');
    });

    test('a range may cross parts', async () => {
      const key = newKey();
      const parts = [randomBytes(partSize), randomBytes(partSize), randomBytes(100)];
      await store(storage, key, parts);
      const whole = Buffer.concat(parts);
      const { url } = await storage.presignRead(key, { expiresAt: inAnHour(), fileName: 'a.bin' });
      for (const [start, end] of [
        [0, 0],
        [partSize - 10, partSize + 10],
        [5, 2 * partSize + 50],
        [partSize, 2 * partSize - 1],
        [whole.length - 1, whole.length - 1],
      ] as const) {
        expect((await read(storage, key, { start, end })).equals(whole.subarray(start, end + 1))).toBe(true);
        const answer = await fetch(url, { headers: { Range: `bytes=${start}-${end}` } });
        expect(answer.status).toBe(206);
        expect(answer.headers.get('content-range')).toBe(`bytes ${start}-${end}/${whole.length}`);
        expect(answer.headers.get('content-length')).toBe(String(end - start + 1));
        expect(Buffer.from(await answer.arrayBuffer()).equals(whole.subarray(start, end + 1))).toBe(true);
      }
      const open = await fetch(url, { headers: { Range: `bytes=${whole.length - 7}-` } });
      expect(Buffer.from(await open.arrayBuffer()).equals(whole.subarray(-7))).toBe(true);
    });

    test('a range may count from the end', async () => {
      const key = newKey();
      await storage.write(key, Buffer.from('0123456789'));
      const { url } = await storage.presignRead(key, { expiresAt: inAnHour(), fileName: 'a.bin' });
      const answer = await fetch(url, { headers: { Range: 'bytes=-3' } });
      expect([answer.status, await answer.text()]).toEqual([206, '789']);
    });

    test('a range outside is refused', async () => {
      const key = newKey();
      await storage.write(key, Buffer.from('0123456789'));
      expect(await failureOf(storage.read(key, { start: 10, end: 12 }))).toBe('range_not_satisfiable');
      const { url } = await storage.presignRead(key, { expiresAt: inAnHour(), fileName: 'a.bin' });
      expect((await fetch(url, { headers: { Range: 'bytes=10-' } })).status).toBe(416);
    });

    test('an object of no bytes is one empty part', async () => {
      const key = newKey();
      const { object } = await store(storage, key, [Buffer.alloc(0)]);
      expect(object.size).toBe(0);
      expect((await read(storage, key)).length).toBe(0);
      const { url } = await storage.presignRead(key, { expiresAt: inAnHour(), fileName: 'empty' });
      const answer = await fetch(url);
      expect([answer.status, (await answer.arrayBuffer()).byteLength]).toEqual([200, 0]);
    });

    test(`${manyParts} parts are all listed`, async () => {
      const key = newKey();
      const uploadId = await begin(storage, key);
      const numbers = Array.from({ length: manyParts }, (_, index) => index + 1);
      const blueprints = await storage.presignParts(
        key,
        uploadId,
        numbers.map((partNumber) => ({ partNumber, size: 5, maxSize: 5 })),
        inAnHour(),
      );
      let next = 0;
      const worker = async (): Promise<void> => {
        while (next < manyParts) {
          const index = next++;
          const answer = await send(blueprints[index]!, Buffer.from(String(index).padStart(5, '0')));
          await answer.arrayBuffer();
          expect(answer.status).toBe(200);
        }
      };
      await Promise.all(Array.from({ length: 16 }, worker));
      const listed = await storage.listParts(key, uploadId);
      expect(listed.map((part) => part.partNumber)).toEqual(numbers);
      expect(listed.at(-1)?.etag).toBe(expectedEtag(storage, Buffer.from(String(manyParts - 1).padStart(5, '0'))));
    });

    test('the JSON text of addresses, where there is one, is that of the addresses', async () => {
      const key = newKey();
      const uploadId = await begin(storage, key);
      const parts = Array.from({ length: 12 }, (_, index) => ({ partNumber: index + 1, size: index === 11 ? 3 : 5, maxSize: 5 }));
      const asked = [key, uploadId, [...parts, { partNumber: 13, size: null, maxSize: 5 }], inAnHour()] as const;
      const text = await storage.presignPartsAsJson?.(...asked);
      if (text) expect(JSON.parse(Buffer.from(text).toString())).toEqual(await storage.presignParts(...asked));
    });

    test('one address for many parts, where there is one, sends each of them in its size, and no other', async () => {
      const key = newKey();
      const uploadId = await begin(storage, key);
      const range = { first: 2, last: 3, partSize, size: 2 * partSize + 4 };
      const template = await storage.presignPartRange?.(key, uploadId, range, inAnHour());
      if (!template) return;
      const numbered = (number: number) => ({ ...template, url: template.url.replace('{part_number}', String(number)) });
      const part = randomBytes(partSize);
      expect((await send(numbered(2), part)).status).toBe(200);
      expect((await send(numbered(3), part)).status).toBe(413);
      expect((await send(numbered(3), Buffer.from('last'))).status).toBe(200);
      expect((await send(numbered(1), part)).status).toBe(403);
      expect((await send(numbered(4), Buffer.alloc(0))).status).toBe(403);
      expect((await send({ ...numbered(2), method: 'GET' })).status).toBe(403);
      expect(await storage.listParts(key, uploadId)).toEqual([
        { partNumber: 2, etag: expectedEtag(storage, part), size: partSize },
        { partNumber: 3, etag: expectedEtag(storage, Buffer.from('last')), size: 4 },
      ]);
      const late = await bench.twoHoursAgo.presignPartRange!(key, uploadId, range, new Date(Date.now() - 3_600_000));
      const answer = await send({ ...late, url: late.url.replace('{part_number}', '2') }, part);
      expect([answer.status, await answer.text()]).toEqual([403, expect.stringMatching(/expired/i)]);
    });

    test('a browser saves under the name given, whatever its characters', async () => {
      const key = newKey();
      await storage.write(key, Buffer.from('x'));
      const fileName = `Ünï "quoted" 100% 日本 (1)'s;.mov`;
      const { url, method } = await storage.presignRead(key, { expiresAt: inAnHour(), fileName });
      const answer = await fetch(url, { method });
      const disposition = answer.headers.get('content-disposition')!;
      expect(disposition).toMatch(/^attachment; filename="[^"\\]+"; filename\*=UTF-8''[A-Za-z0-9%._~-]+$/);
      expect(decodeURIComponent(disposition.split("UTF-8''")[1]!)).toBe(fileName);
      expect(answer.headers.get('content-type')).toBe('application/octet-stream');
    });

    test('a small object is written whole', async () => {
      const key = newKey();
      const object = await storage.write(key, Buffer.from('hello'));
      expect(await storage.head(key)).toEqual(object);
      expect(await text(await storage.read(key))).toBe('hello');
      await storage.write(key, Buffer.from('hello again'));
      expect(await text(await storage.read(key))).toBe('hello again');
    });

    test('a deleted object is gone', async () => {
      const key = newKey();
      await store(storage, key, [randomBytes(partSize), randomBytes(4)]);
      const { url } = await storage.presignRead(key, { expiresAt: inAnHour(), fileName: 'a' });
      await storage.delete(key);
      await storage.delete(key);
      expect(await storage.head(key)).toBeNull();
      expect(await failureOf(storage.read(key))).toBe('no_such_object');
      expect((await fetch(url)).status).toBe(404);
    });

    test('a key that could leave its place is refused', async () => {
      for (const key of ['../a', 'a/../b', '/a', 'a//b', '', '.a', 'a/', 'a\\b', 'a\0b', 'ä', 'a'.repeat(500)]) {
        expect(await failureOf(storage.head(key))).toBe('invalid_key');
        expect(await failureOf(storage.presignCreate(key, inAnHour()))).toBe('invalid_key');
        expect(await failureOf(storage.delete(key))).toBe('invalid_key');
      }
    });

    test('an address that was changed is refused', async () => {
      const key = newKey();
      const uploadId = await begin(storage, key);
      const [part] = await storage.presignParts(key, uploadId, [{ partNumber: 1, size: 4, maxSize: 4 }], inAnHour());
      const create = await storage.presignCreate(key, inAnHour());
      const changes: ((url: URL) => void)[] = [
        (url) => url.searchParams.set('partNumber', '2'),
        (url) => url.searchParams.set('uploadId', '0'.repeat(32)),
        (url) => url.searchParams.append('partNumber', '2'),
        (url) => {
          url.pathname = `${url.pathname}x`;
        },
        (url) => {
          url.search = url.search.replace(/([Ss]ignature=)./, '$1Z');
        },
        (url) => {
          for (const name of ['expires', 'X-Amz-Expires']) if (url.searchParams.has(name)) url.searchParams.set(name, '500000');
        },
      ];
      for (const change of changes) {
        expect((await send(tampered(part!, change), Buffer.from('evil'))).status, String(change)).toBe(403);
      }
      const bare = tampered(part!, (url) => {
        url.search = '';
      });
      expect([400, 403]).toContain((await send(bare, Buffer.from('evil'))).status);
      const refused = [400, 403, 405];
      expect(refused).toContain((await send({ ...part!, method: 'GET' })).status);
      expect(refused).toContain((await send({ ...create, method: 'PUT' }, Buffer.from('evil'))).status);
      const reading = await storage.presignRead(key, { expiresAt: inAnHour(), fileName: 'a' });
      expect(refused).toContain((await fetch(reading.url, { method: 'PUT', body: 'evil' })).status);
      expect(await storage.listParts(key, uploadId)).toEqual([]);
    });

    test('an address that has expired is refused', async () => {
      const key = newKey();
      const uploadId = await begin(storage, key);
      const anHourAgo = new Date(Date.now() - 3_600_000);
      const [part] = await bench.twoHoursAgo.presignParts(key, uploadId, [{ partNumber: 1, size: 4, maxSize: 4 }], anHourAgo);
      const answer = await send(part!, Buffer.from('late'));
      expect(answer.status).toBe(403);
      expect(await answer.text()).toMatch(/expired/i);
      const late = await bench.twoHoursAgo.presignRead(key, { expiresAt: anHourAgo, fileName: 'a' });
      expect((await fetch(late.url)).status).toBe(403);
    });

    test('a part of another size than agreed is refused', async () => {
      const key = newKey();
      const uploadId = await begin(storage, key);
      const [exact] = await storage.presignParts(key, uploadId, [{ partNumber: 1, size: 10, maxSize: 10 }], inAnHour());
      for (const size of [0, 9, 11, 3_000_000]) {
        const answer = await send(exact!, randomBytes(size));
        expect([400, 403, 413], `${size} bytes: ${await answer.text()}`).toContain(answer.status);
      }
      expect(await storage.listParts(key, uploadId)).toEqual([]);
    });

    describe('whole objects by one PUT each', () => {
      const wholeEtag = (begun: WholeUpload | null, bytes: Buffer): string =>
        expectedEtag({ chunkChecksum: begun?.chunkChecksum ?? storage.chunkChecksum }, bytes);

      /** Sends the bytes by the request that came with the beginning; gives what completing needs. */
      async function whole(key: string, bytes: Buffer) {
        const [begun] = await storage.beginWhole!([{ key, size: bytes.length }], inAnHour());
        const answer = await send(begun!.put, bytes);
        expect(answer.status, await answer.text()).toBe(200);
        expect(etagOf(answer)).toBe(wholeEtag(begun!, bytes));
        return { key, begun: begun!, uploadId: begun!.uploadId, parts: [{ partNumber: 1, etag: etagOf(answer), size: bytes.length }] };
      }

      test('many are sent, completed at once, and read back', async () => {
        const contents = [randomBytes(10_240), Buffer.alloc(0), randomBytes(1), randomBytes(partSize)];
        const uploads = [];
        for (const bytes of contents) uploads.push(await whole(newKey(), bytes));
        const objects = await storage.completeAll!(uploads);
        for (const [index, { key }] of uploads.entries()) {
          const { key: own = key, ...object } = objects[index] as StoredObject;
          expect(object).toEqual(await storage.head(own));
          expect((await read(storage, own)).equals(contents[index]!)).toBe(true);
        }
        expect(await storage.completeAll!(uploads)).toEqual(objects);
        expect(await storage.complete(uploads[0]!.key, uploads[0]!.uploadId, uploads[0]!.parts)).toEqual(objects[0]);
      });

      test('what was sent is listed as part 1, nothing before', async () => {
        const key = newKey();
        const [begun] = await storage.beginWhole!([{ key, size: 5 }], inAnHour());
        expect(await storage.listParts(key, begun!.uploadId)).toEqual([]);
        const answer = await send(begun!.put, Buffer.from('hello'));
        const part = { partNumber: 1, etag: wholeEtag(begun!, Buffer.from('hello')), size: 5 };
        expect([answer.status, etagOf(answer)]).toEqual([200, part.etag]);
        expect(await storage.listParts(key, begun!.uploadId)).toEqual([part]);
      });

      test('the same again counts once, other bytes take its place, by a later address too', async () => {
        const key = newKey();
        const [begun] = await storage.beginWhole!([{ key, size: 5 }], inAnHour());
        const { uploadId } = begun!;
        for (const text of ['first', 'first', 'other']) expect((await send(begun!.put, Buffer.from(text))).status).toBe(200);
        const [later] = await storage.presignParts(key, uploadId, [{ partNumber: 1, size: 5, maxSize: 5 }], inAnHour());
        expect((await send(later!, Buffer.from('third'))).status).toBe(200);
        const listed = await storage.listParts(key, uploadId);
        expect(listed).toEqual([{ partNumber: 1, etag: wholeEtag(begun!, Buffer.from('third')), size: 5 }]);
        const { key: own = key } = await storage.complete(key, uploadId, listed);
        expect(await text(await storage.read(own))).toBe('third');
      });

      test('of many, each comes out by itself', async () => {
        const sent = await whole(newKey(), Buffer.from('sent'));
        const [unsent] = await storage.beginWhole!([{ key: newKey(), size: 4 }], inAnHour());
        const other = await whole(newKey(), Buffer.from('some'));
        const wrongEtag = { ...other, parts: [{ partNumber: 1, etag: wholeEtag(other.begun, Buffer.from('else')), size: 4 }] };
        const results = await storage.completeAll!([
          { ...sent, key: newKey() },
          { ...sent, uploadId: unsent!.uploadId, key: newKey() },
          wrongEtag,
          sent,
        ]);
        expect(results.map((one) => one instanceof StorageError)).toEqual([true, true, true, false]);
        expect((await storage.completeAll!([other]))[0]).toMatchObject({ size: 4 });
      });

      test('another size than agreed is refused', async () => {
        const key = newKey();
        const [begun] = await storage.beginWhole!([{ key, size: 10 }], inAnHour());
        for (const size of [0, 9, 11]) expect([400, 403, 413]).toContain((await send(begun!.put, randomBytes(size))).status);
        expect(await storage.listParts(key, begun!.uploadId)).toEqual([]);
      });

      test('once freed it is gone, and what comes late finds no place, or is freed later', async () => {
        const [early, late] = [await whole(newKey(), Buffer.from('gone')), newKey()];
        const [begun] = await storage.beginWhole!([{ key: late, size: 4 }], inAnHour());
        for (const key of [early.key, late]) {
          await storage.abort(key);
          await storage.delete(key);
          expect(await storage.head(key)).toBeNull();
        }
        if (!lacks.endsWholeUploads) expect((await storage.completeAll!([early]))[0]).toBeInstanceOf(StorageError);
        const { status } = await send(begun!.put, Buffer.from('late'));
        expect(status).toBe(storage.lateSeconds === undefined && !storage.endUploads ? 404 : 200);
        await storage.abort(late);
        await storage.delete(late);
        expect(await storage.head(late)).toBeNull();
      });
    });
  });
}
