import { chmodSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '#main/start/ports.ts';
import { batchAddress, compares, targetOf } from '#protocol/storage/requests.ts';
import { storageConformance } from '#test/support/storage/conformance.ts';
import { startTestStorage, type TestStorage } from '#test/support/storage/local-storage.ts';
import { hasNginx, type RunningNginx, startNginx } from '#test/support/storage/nginx.ts';
import { seededBytes } from '#test/support/system/file-tree.ts';

/** The shipped configuration (resources/nginx) in the real nginx, before a real storage. */

interface Front {
  readonly storage: TestStorage;
  readonly nginx: RunningNginx;
  close(): Promise<void>;
}

async function startFront(): Promise<Front> {
  const port = await freePort(0);
  const storage = await startTestStorage({ publicUrl: `http://127.0.0.1:${port}`, accel: 'nginx', trustProxy: 'loopback' });
  const objects = join(storage.root, 'objects');
  const nginx = await startNginx({ port, storagePort: Number(new URL(storage.url).port), objects });
  const close = async (): Promise<void> => {
    await nginx.close();
    await storage.close();
  };
  return { storage, nginx, close };
}

const inAnHour = () => new Date(Date.now() + 3_600_000);
const sizes = [700_000, 700_000, 123_457];
const bytes = seededBytes(
  sizes.reduce((sum, one) => sum + one, 0),
  5,
);
const fileName = 'Kühlschrank "naïve" 影.mov';

/** Stores an object of these parts through nginx, and gives its address for receivers. */
async function stored({ storage: { storage } }: Front, key: string, whole: Buffer, partSizes: readonly number[]): Promise<string> {
  const uploadId = await storage.begin(key);
  const requests = partSizes.map((size, index) => ({ partNumber: index + 1, size, maxSize: size }));
  const blueprints = await storage.presignParts(key, uploadId, requests, inAnHour());
  let at = 0;
  const parts = [];
  for (const [index, size] of partSizes.entries()) {
    const body = new Uint8Array(whole.subarray(at, at + size));
    const answer = await fetch(blueprints[index]!.url, { method: 'PUT', body });
    expect(answer.status).toBe(200);
    parts.push({ partNumber: index + 1, size, etag: answer.headers.get('etag')!.replaceAll('"', '') });
    at += size;
  }
  await storage.complete(key, uploadId, parts);
  return (await storage.presignRead(key, { expiresAt: inAnHour(), fileName })).url;
}

describe.skipIf(!hasNginx())('nginx before the storage', () => {
  let front: Front;
  let url: string;
  let single: string;
  /** What was logged of one request, from its answer's end on. */
  const logged = async (): Promise<{ readonly from_disk: string; readonly path: string }> =>
    JSON.parse((await front.nginx.log('longshore-storage.log')).trimEnd().split('\n').at(-1)!);
  /** As an agent, which compares what it gets; as a browser without `agent`. */
  const get = async (address: string, headers: Record<string, string> = {}, agent: Record<string, string> = compares) => {
    // A connection of its own: the log is written before it ends.
    const answer = await fetch(address, { headers: { connection: 'close', ...agent, ...headers } });
    return { answer, body: Buffer.from(await answer.arrayBuffer()) };
  };

  const folderOf = (object: string): string => {
    const objects = join(front.storage.root, 'objects');
    const shard = readdirSync(objects).find((name) => readdirSync(join(objects, name)).includes(object));
    return join(objects, shard!, object);
  };

  beforeAll(async () => {
    front = await startFront();
    url = await stored(front, 'package/many', bytes, sizes);
    single = await stored(front, 'package/single', bytes, [bytes.length]);
  });
  afterAll(() => front?.close());

  const size = bytes.length;
  const ranges = [
    ['a part', '0-699999', 0, 699_999, 'part'],
    ['a part in the middle', '700000-1399999', 700_000, 1_399_999, 'part'],
    ['the last part, open', '1400000-', 1_400_000, size - 1, 'part'],
    ['the last part, by its length', '-123457', 1_400_000, size - 1, 'part'],
    ['the last part, beyond the end', '1400000-99999999', 1_400_000, size - 1, 'part'],
    ['bytes within a part', '700001-700009', 700_001, 700_009, null],
    ['bytes within the first part', '5-9', 5, 9, null],
    ['bytes over a border', '699990-700010', 699_990, 700_010, null],
    ['two parts', '0-1399999', 0, 1_399_999, null],
    ['all but one byte', '1-', 1, size - 1, null],
  ] as const;

  test.each(ranges)('%s of many', async (_, range, start, end, by) => {
    const { answer, body } = await get(url, { range: `bytes=${range}` });
    expect(answer.status).toBe(206);
    expect(answer.headers.get('content-range')).toBe(`bytes ${start}-${end}/${size}`);
    expect(body.equals(bytes.subarray(start, end + 1))).toBe(true);
    const { from_disk } = await logged();
    if (by === null) expect(from_disk).toBe('');
    else expect(from_disk).toMatch(new RegExp(`^/-/accel/${by}/[0-9a-f]{2}/package~many/0000`));
  });

  test.each([
    ['within', '5-9', 5, 9, 'range'],
    ['by length', '-7', size - 7, size - 1, 'range'],
    ['open', '1000-', 1_000, size - 1, 'range'],
    ['beyond the end', `1000-${size * 2}`, 1_000, size - 1, 'range'],
    ['all of it', '0-', 0, size - 1, 'part'],
  ] as const)('a range of an object of one part: %s', async (_, range, start, end, by) => {
    const { answer, body } = await get(single, { range: `bytes=${range}` });
    expect(answer.status).toBe(206);
    expect(answer.headers.get('content-range')).toBe(`bytes ${start}-${end}/${size}`);
    expect(body.equals(bytes.subarray(start, end + 1))).toBe(true);
    expect((await logged()).from_disk).toContain(`/-/accel/${by}/`);
  });

  /** All that the storage's own answer has; what a server says of itself and of its connection aside. */
  const headersOf = (answer: Response): Record<string, string> => {
    const found = Object.fromEntries(answer.headers);
    for (const name of ['server', 'date', 'connection', 'keep-alive', 'x-powered-by']) delete found[name];
    return found;
  };

  test.each([
    ['all of one part', () => single, {}],
    ['all of many parts', () => url, {}],
    ['a part', () => url, { range: 'bytes=0-699999' }],
    ['a range of one part', () => single, { range: 'bytes=1-2' }],
    ['several ranges', () => single, { range: 'bytes=1-2,5-6' }],
    ['beyond the end', () => url, { range: `bytes=${size}-` }],
    ['with another etag', () => url, { range: 'bytes=0-699999', 'if-range': '"other"' }],
    ['of one part with another etag', () => single, { range: 'bytes=5-9', 'if-range': '"other"' }],
    ['if it is another', () => single, { 'if-match': '"other"' }],
    ['if it is none', () => single, { 'if-none-match': '*' }],
    ['for a page', () => single, { origin: 'https://page.example' }],
    ['a part for a page', () => url, { origin: 'https://page.example', range: 'bytes=0-699999' }],
  ] as const)('is answered with the same head as without nginx: %s', async (_, address, headers) => {
    const { answer, body } = await get(address(), headers);
    const own = await get(front.storage.url + targetOf(address()), headers);
    expect(answer.status).toBe(own.answer.status);
    expect(headersOf(answer)).toEqual(headersOf(own.answer));
    expect(body.equals(own.body)).toBe(true);
  });

  test('all of a part with the etag that it has', async () => {
    const etag = (await get(url)).answer.headers.get('etag')!;
    for (const address of [url, single]) {
      const { answer, body } = await get(address, { range: 'bytes=700000-1399999', 'if-match': etag });
      expect(answer.status).toBe(address === url ? 206 : 412);
      if (address === url) expect(body.equals(bytes.subarray(700_000, 1_400_000))).toBe(true);
    }
    expect((await get(url, { range: 'bytes=700000-1399999', 'if-range': etag })).body.length).toBe(700_000);
    expect((await logged()).from_disk).toContain('/-/accel/part/');
  });

  test('a browser gets what the storage has compared: by itself at first, then by nginx, and of a damaged object no end', async () => {
    const large = seededBytes(2_000_000, 6);
    const browser = async (address: string, range?: string) => {
      const { answer, body } = await get(address, range === undefined ? {} : { range }, {});
      return { status: answer.status, body, byNginx: (await logged()).from_disk !== '' };
    };
    const address = await stored(front, 'package/seen', large, [large.length]);
    expect(await browser(address)).toEqual({ status: 200, body: large, byNginx: false });
    expect(await browser(address)).toEqual({ status: 200, body: large, byNginx: true });
    expect(await browser(address, 'bytes=5-99')).toEqual({ status: 206, body: large.subarray(5, 100), byNginx: true });

    const ranged = await stored(front, 'package/ranged', large, [large.length]);
    expect(await browser(ranged, 'bytes=5-99')).toEqual({ status: 206, body: large.subarray(5, 100), byNginx: false });
    expect(await browser(ranged)).toEqual({ status: 200, body: large, byNginx: true });

    for (const [key, range] of [
      ['package/damaged', undefined],
      ['package/damaged-in-a-range', 'bytes=5-99'],
      ['package/damaged-to-the-end', 'bytes=100-'],
    ] as const) {
      const damaged = await stored(front, key, large, [large.length]);
      const folder = folderOf(key.replace('/', '~'));
      const file = join(folder, readdirSync(folder)[0]!);
      const changed = Buffer.from(large);
      changed[50]! ^= 1;
      writeFileSync(file, changed);
      const headers: Record<string, string> = range === undefined ? {} : { range };
      if (range === undefined) await expect(get(damaged, headers, {})).rejects.toThrow('terminated');
      else expect((await get(damaged, headers, {})).answer.status).toBe(410);
      // It is marked, so agents hear of it, too.
      expect((await get(damaged, headers)).answer.status).toBe(410);
    }
  });

  test('HEAD', async () => {
    const answer = await fetch(single, { method: 'HEAD' });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-length')).toBe(String(size));
    expect(answer.headers.get('content-disposition')).toContain("filename*=UTF-8''K%C3%BChlschrank");
  });

  test('addresses that are forged or over are refused, and nothing is reached without one', async () => {
    expect((await get(url.replace('package', 'another'))).answer.status).toBe(403);
    const over = await front.storage.storage.presignRead('package/many', { expiresAt: new Date(Date.now() - 1_000), fileName });
    const { answer, body } = await get(over.url);
    expect(answer.status).toBe(403);
    expect(body.toString()).toContain('AccessDenied');
    const folder = folderOf('package~many');
    const inside = [basename(dirname(folder)), basename(folder), readdirSync(folder)[0]].join('/');
    for (const kind of ['whole', 'part', 'range']) {
      expect((await get(`${front.nginx.url}/-/accel/${kind}/${inside}`)).answer.status).toBe(403);
    }
    expect((await get(`${front.nginx.url}/-/accel/whole/..%2f..%2fsecret.key`)).answer.status).toBe(403);
  });

  test('no log has a signature', async () => {
    await get(url, { range: 'bytes=0-699999' });
    const { path } = await logged();
    expect(path).toBe('/package/many');
    const logs = ['longshore-storage.log', 'longshore-storage-error.log', 'main-error.log'] as const;
    for (const name of logs) expect(await front.nginx.log(name)).not.toContain('signature');
  });

  test('a file that goes between the look and the sending is told as the storage tells it', async () => {
    const gone = await stored(front, 'package/gone', bytes.subarray(0, 5_000), [5_000]);
    const folder = folderOf('package~gone');
    const [file] = readdirSync(folder);
    // There for whoever lists the folder, and not for whoever opens it.
    rmSync(join(folder, file!));
    symlinkSync('/nowhere', join(folder, file!));
    const { answer, body } = await get(gone);
    expect(answer.status).toBe(404);
    expect(body.toString()).toContain('NoSuchKey');
    expect(answer.headers.get('content-disposition')).toBeNull();
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    // Nor does nginx follow a link that leads somewhere.
    rmSync(join(folder, file!));
    symlinkSync(import.meta.filename, join(folder, file!));
    await get(gone);
    expect((await logged()).from_disk).toBe('');
    await front.storage.storage.delete('package/gone');
    expect((await get(gone)).answer.status).toBe(404);
  });

  test('what is stored can be read by the group, and by nobody else', () => {
    const folder = folderOf('package~many');
    const [file] = readdirSync(folder);
    expect((statSync(folder).mode & 0o777).toString(8)).toBe('750');
    expect((statSync(join(folder, file!)).mode & 0o777).toString(8)).toBe('640');
    expect((statSync(dirname(folder)).mode & 0o777).toString(8)).toBe('750');
  });

  test('many small objects in one answer', async () => {
    const small = [bytes.subarray(0, 900), bytes.subarray(900, 2_000)];
    const addresses = [await stored(front, 'package/s1', small[0]!, [900]), await stored(front, 'package/s2', small[1]!, [1_100])];
    const answer = await fetch(batchAddress(front.storage.storage.batchGetUrl!, addresses[0]!), {
      method: 'POST',
      body: JSON.stringify(addresses.map(targetOf)),
    });
    const body = Buffer.from(await answer.arrayBuffer());
    expect(body.subarray(body.indexOf('\n') + 1).equals(bytes.subarray(0, 2_000))).toBe(true);
  });
});

/** As root alone, nginx can run as somebody who may not read the objects. */
describe.skipIf(!hasNginx() || process.getuid?.() !== 0)('an nginx that may not read the objects', () => {
  test('leaves the sending to the storage', async () => {
    const port = await freePort(0);
    const storage = await startTestStorage({ publicUrl: `http://127.0.0.1:${port}`, accel: 'nginx' });
    chmodSync(storage.root, 0o700);
    const nginx = await startNginx({
      port,
      storagePort: Number(new URL(storage.url).port),
      objects: join(storage.root, 'objects'),
      user: 'nobody nogroup',
    });
    try {
      const front = { storage, nginx, close: () => nginx.close() };
      const address = await stored(front, 'package/file', bytes, sizes);
      const answer = await fetch(address, { headers: { range: 'bytes=700000-1399999', ...compares } });
      expect(answer.status).toBe(206);
      expect(answer.headers.get('content-range')).toBe(`bytes 700000-1399999/${bytes.length}`);
      expect(answer.headers.get('cache-control')).toBe('private, no-transform');
      expect(Buffer.from(await answer.arrayBuffer()).equals(bytes.subarray(700_000, 1_400_000))).toBe(true);
    } finally {
      await nginx.close();
      await storage.close();
    }
  });
});

if (hasNginx()) {
  storageConformance('local storage behind nginx', {
    async open() {
      const front = await startFront();
      return { storage: front.storage.storage, twoHoursAgo: front.storage.storage, close: () => front.close() };
    },
    partSize: 1_500_000,
    manyParts: 50,
  });
}
