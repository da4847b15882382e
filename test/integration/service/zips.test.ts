import { once } from 'node:events';
import { mkdir, open, readdir, readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { errorCatalogue } from '#protocol/errors.ts';
import type { File } from '#protocol/hosted/files.ts';
import type { Link, LinkInfo } from '#protocol/hosted/links.ts';
import { inAll } from '#test/support/level.ts';
import { captureLog } from '#test/support/service/captured-log.ts';
import { managing, putPackage } from '#test/support/service/packages.ts';
import { newSender, openLink, type Sender } from '#test/support/service/sender.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';
import { hasUnzippers, takeByAll, testByAll, unpack, unzippers } from '#test/support/system/unzip-programs.ts';

let t: TestService;
let folder: Awaited<ReturnType<typeof tempFolder>>;
let offset = 0;
const now = () => new Date(Date.now() + offset);

beforeAll(async () => {
  folder = await tempFolder();
  t = await startTestService({ now, limits: { refusalsPerAddress: 8 } });
});
afterAll(async () => {
  await t?.close();
  await folder?.remove();
});

const contents: Readonly<Record<string, Buffer>> = {
  'Übersicht 🎬.txt': Buffer.from('Take 3 was the one.\n'),
  'camera a/A001 (final).mov': Buffer.alloc(300_000, 'frame '),
  'camera a/empty': Buffer.alloc(0),
};

interface Recipient {
  readonly link: Link;
  readonly info: LinkInfo;
  /** The package's files and, last, its zips. */
  readonly files: File[];
  address(kind: File['kind']): Promise<string>;
}

async function recipientOf(packageId: string, fields: Record<string, unknown> = {}): Promise<Recipient> {
  const made = await t.call<Link>('POST', `/v1/packages/${packageId}/links`, { headers: await managing(t, packageId), body: fields });
  const { body: info } = await openLink(t, made.body);
  const headers = { 'x-package-token': info.package_token };
  const { body: files } = await t.call<File[]>('GET', `/v1/packages/${packageId}/files`, { headers });
  return {
    link: made.body,
    info,
    files,
    async address(kind) {
      const file = files.find((one) => one.kind === kind)!;
      const { status, body } = await t.call<{ url: string }>('GET', `/v1/packages/${packageId}/files/${file.id}/download`, { headers });
      if (status !== 200) throw new Error(JSON.stringify(body));
      return body.url;
    },
  };
}

async function smallPackage(): Promise<Sender> {
  const sender = await newSender(t, { name: 'Dailies: Tag 3 „Übung“' });
  for (const [path, bytes] of Object.entries(contents)) {
    const slash = path.lastIndexOf('/');
    await sender.send(path.slice(0, Math.max(0, slash)), path.slice(slash + 1), bytes);
  }
  await sender.create({ kind: 'directory', path: '', name: 'nothing yet' });
  const done = await sender.finalize();
  expect(done.status).toBe(204);
  return sender;
}

const load = async (url: string, headers: Record<string, string> = {}): Promise<Buffer> =>
  Buffer.from(await (await fetch(url, { headers })).arrayBuffer());

/** Every file below a folder, by its path from there. */
async function tree(root: string): Promise<Record<string, Buffer>> {
  const found: Record<string, Buffer> = {};
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile()) found[path.slice(root.length + 1).normalize('NFC')] = await readFile(path);
  }
  return found;
}

describe('a package of three files', () => {
  let sender: Sender;
  let recipient: Recipient;
  beforeAll(async () => {
    sender = await smallPackage();
    recipient = await recipientOf(sender.package.id);
  });

  it('lists its two zips last, without a size', () => {
    const zips = recipient.files.slice(-2);
    expect(zips.map(({ kind, name }) => [kind, name])).toEqual([
      ['zip_windows', 'Dailies_ Tag 3 „Übung“.zip'],
      ['zip_mac', 'Dailies_ Tag 3 „Übung“.zip'],
    ]);
    for (const zip of zips) expect(zip).not.toHaveProperty('size');
    expect(recipient.files).toHaveLength(6);
  });

  it('has no zips before it is finalized', async () => {
    const unfinished = await newSender(t);
    const { body } = await t.call<File[]>('GET', `/v1/packages/${unfinished.package.id}/files`, { headers: unfinished.token });
    expect(body).toEqual([]);
  });

  describe.skipIf(!hasUnzippers()).each(['zip_windows', 'zip_mac'] as const)('as %s', (kind) => {
    it('is read and unpacked by every program', async () => {
      const zip = join(folder.path, `small-${kind}.zip`);
      await writeFile(zip, await load(await recipient.address(kind)));
      const { python, bsdtar } = await testByAll(zip);
      const form = kind === 'zip_mac' ? 'NFD' : 'NFC';
      const names = [...Object.keys(contents), 'nothing yet/'].map((name) => name.normalize(form)).sort();
      expect(python.map(({ name }) => name).sort()).toEqual(names);
      // libarchive composes names when it reads them.
      expect(bsdtar.map((name) => name.normalize(form)).sort()).toEqual(names);
      for (const program of unzippers) {
        const into = join(folder.path, `${kind}-${program}`);
        await mkdir(into);
        await unpack(program, zip, into);
        expect(await tree(into)).toEqual(contents);
      }
    });
  });

  it('tells its length and name before it is loaded', async () => {
    const url = await recipient.address('zip_windows');
    const head = await fetch(url, { method: 'HEAD' });
    expect(head.status).toBe(200);
    const whole = await fetch(url);
    const length = (await whole.arrayBuffer()).byteLength;
    for (const { headers } of [head, whole]) {
      expect(headers.get('content-length')).toBe(String(length));
      expect(headers.get('accept-ranges')).toBe('bytes');
      expect(headers.get('content-type')).toBe('application/zip');
      expect(headers.get('etag')).toMatch(/^"[\w-]{43}"$/);
      expect(headers.get('content-disposition')).toContain("filename*=UTF-8''Dailies_%20Tag%203%20%E2%80%9E%C3%9Cbung%E2%80%9C.zip");
    }
    expect(new URL(url).pathname).toMatch(/^\/zips\/Dailies_%20.*\.zip$/);
  });

  it('goes on from any byte, in a later process too', async () => {
    const url = await recipient.address('zip_mac');
    const whole = await load(url);
    const offset = fc.nat({ max: whole.length - 1 });
    await fc.assert(
      fc.asyncProperty(offset, offset, async (one, other) => {
        const [start, last] = [Math.min(one, other), Math.max(one, other)];
        const answer = await fetch(url, { headers: { range: `bytes=${start}-${last}` } });
        expect(answer.status).toBe(206);
        expect(answer.headers.get('content-range')).toBe(`bytes ${start}-${last}/${whole.length}`);
        expect(whole.subarray(start, last + 1).equals(Buffer.from(await answer.arrayBuffer()))).toBe(true);
      }),
      { numRuns: 40 },
    );
    const { etag } = await headersOf(url);
    expect((await load(url, { range: 'bytes=-22', 'if-range': etag! })).equals(whole.subarray(-22))).toBe(true);
    expect((await load(url, { range: 'bytes=-22', 'if-range': '"another"' })).equals(whole)).toBe(true);
    expect((await load(url, { range: 'bytes=-22', 'if-match': `"another", ${etag}` })).equals(whole.subarray(-22))).toBe(true);
    const changed = await fetch(url, { headers: { range: 'bytes=-22', 'if-match': '"another"' } });
    expect([changed.status, await changed.json()]).toMatchObject([412, { code: 196622 }]);
    const beyond = await fetch(url, { headers: { range: `bytes=${whole.length}-` } });
    expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, `bytes */${whole.length}`]);
  });

  it('is no failure where its reader has left before the first byte', async () => {
    const { hostname, port, pathname, search } = new URL(await recipient.address('zip_mac'));
    const log = captureLog();
    try {
      const answered = vi.fn();
      for (let readers = 0; readers < 10; readers++) {
        const socket = connect(Number(port), hostname);
        socket.on('data', answered).on('error', () => {});
        socket.write(`GET ${pathname}${search} HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`, () => socket.resetAndDestroy());
        await once(socket, 'close');
      }
      // What comes after them is answered after them.
      expect((await load(await recipient.address('zip_mac'))).length).toBeGreaterThan(300_000);
      expect(answered).not.toHaveBeenCalled();
      expect(log.lines()).toEqual([]);
    } finally {
      log.end();
    }
  });

  it('notes each checksum once it has been counted', async () => {
    await load(await recipient.address('zip_mac'));
    const known = () =>
      t.service.services.db.selectFrom('files').select(['name', 'crc32']).where('package_id', '=', sender.package.id).execute();
    await vi.waitFor(async () => {
      const sums = new Map((await known()).map(({ name, crc32 }) => [name, crc32 === null ? null : Number(crc32)]));
      // Python: hex(zlib.crc32(b'Take 3 was the one.\n'))
      expect(sums.get('Übersicht 🎬.txt')).toBe(0xfb65025d);
    }, 30_000);
  });
});

const headersOf = async (url: string) => {
  const { headers } = await fetch(url, { method: 'HEAD' });
  return { etag: headers.get('etag'), length: Number(headers.get('content-length')) };
};

describe('a zip of a choice', () => {
  let sender: Sender;
  let recipient: Recipient;
  beforeAll(async () => {
    sender = await smallPackage();
    recipient = await recipientOf(sender.package.id);
  });
  const choose = (body: Record<string, unknown>, token = recipient.info.package_token) =>
    t.call<{ url: string; files: number; bytes: number }>('POST', `/v1/packages/${sender.package.id}/zips`, {
      headers: { 'x-package-token': token },
      body: { kind: 'zip_windows', ...body },
    });
  /** Where records of a path stand in the list. */
  const at = (wanted: (path: string) => boolean): { first: number; last: number }[] =>
    recipient.files.flatMap(({ kind, path, name }, index) =>
      (kind === 'file' || kind === 'directory') && wanted(path === '' ? name : `${path}/${name}`) ? [{ first: index, last: index }] : [],
    );

  it('has just what was chosen, with a name of its own, and goes on from any byte', async () => {
    const made = await choose({ ranges: at((path) => path.startsWith('camera a/')), name: 'camera: a' });
    expect(made).toMatchObject({ status: 200, body: { files: 2, bytes: 300_000 } });
    const answer = await fetch(made.body.url);
    expect(answer.headers.get('content-disposition')).toContain('camera_ a.zip');
    const all = Buffer.from(await answer.arrayBuffer());
    expect(all.length).toBe(Number(answer.headers.get('content-length')));
    if (hasUnzippers()) {
      const into = join(folder.path, 'choice');
      const zip = `${into}.zip`;
      await writeFile(zip, all);
      await unpack(unzippers[0]!, zip, into);
      expect(await tree(into)).toEqual({
        'camera a/A001 (final).mov': contents['camera a/A001 (final).mov'],
        'camera a/empty': contents['camera a/empty'],
      });
    }
    // Asked for again, in parts: the same bytes.
    const again = (await choose({ ranges: at((path) => path.startsWith('camera a/')), name: 'camera: a' })).body.url;
    const etag = answer.headers.get('etag')!;
    const part = await fetch(again, { headers: { range: 'bytes=1000-', 'if-range': etag } });
    expect(part.status).toBe(206);
    expect(Buffer.from(await part.arrayBuffer())).toEqual(all.subarray(1_000));
    const whole = await headersOf(await recipient.address('zip_windows'));
    expect(whole.etag).not.toBe(etag);
    const other = await choose({ ranges: at((path) => path.endsWith('.txt')) });
    expect((await headersOf(other.body.url)).etag).not.toBe(etag);
  });

  it('takes the package’s name where it has none, and keeps folders that hold nothing', async () => {
    const made = await choose({ ranges: at((path) => path === 'nothing yet') });
    expect(made.body).toMatchObject({ files: 0, bytes: 0 });
    expect(decodeURIComponent(new URL(made.body.url).pathname)).toBe('/zips/Dailies_ Tag 3 „Übung“.zip');
    expect((await load(made.body.url)).toString('utf8')).toContain('nothing yet/');
  });

  it('refuses what is not in the list, and what an address cannot hold', async () => {
    for (const ranges of [
      [{ first: 0, last: 4 }],
      [{ first: 2, last: 1 }],
      [
        { first: 1, last: 1 },
        { first: 0, last: 0 },
      ],
      [],
    ]) {
      expect((await choose({ ranges })).status).toBe(400);
    }
    const scattered = Array.from({ length: 1_000 }, (_, index) => ({ first: index * 1_000, last: index * 1_000 + 200 }));
    expect(await choose({ ranges: scattered })).toMatchObject({ status: 400, body: { code: errorCatalogue.over_limit.code } });
  });

  it('ends with its link, and takes one place of its limit', async () => {
    const limited = await recipientOf(sender.package.id, { access_limit: 1 });
    const one = await choose({ ranges: [{ first: 0, last: 0 }] }, limited.info.package_token);
    expect((await choose({ ranges: [{ first: 1, last: 1 }] }, limited.info.package_token)).status).toBe(200);
    const second = await openLink(t, limited.link);
    expect(await choose({ ranges: [{ first: 0, last: 0 }] }, second.body.package_token)).toMatchObject({
      status: 410,
      body: { code: errorCatalogue.link_used_up.code },
    });
    expect((await fetch(one.body.url)).status).toBe(200);
    await t.call('DELETE', `/v1/packages/${sender.package.id}/links/${limited.link.id}`, { headers: sender.token });
    expect((await fetch(one.body.url)).status).toBe(410);
  });
});

describe('an address of a zip', () => {
  it('ends with its link, its hour and its package', async () => {
    const sender = await smallPackage();
    const disabled = await recipientOf(sender.package.id);
    const url = await disabled.address('zip_windows');
    expect((await fetch(url)).status).toBe(200);
    await t.call('DELETE', `/v1/packages/${sender.package.id}/links/${disabled.link.id}`, { headers: sender.token });
    expect((await fetch(url)).status).toBe(410);
    const standing = await recipientOf(sender.package.id);
    const other = await standing.address('zip_windows');
    offset += 3_601_000;
    expect((await fetch(other)).status).toBe(401);
    const fresh = await standing.address('zip_windows');
    await t.call('DELETE', `/v1/packages/${sender.package.id}`, { headers: sender.token });
    expect((await fetch(fresh)).status).toBe(410);
  });

  it('counts as one download of its link, however often it is asked for', async () => {
    const sender = await smallPackage();
    const limited = await recipientOf(sender.package.id, { access_limit: 1 });
    const second = await openLink(t, limited.link);
    const url = await limited.address('zip_windows');
    expect(await limited.address('zip_mac')).toContain('/zips/');
    expect((await fetch(url)).status).toBe(200);
    const zip = limited.files.find((file) => file.kind === 'zip_windows')!;
    const refused = await t.call('GET', `/v1/packages/${sender.package.id}/files/${zip.id}/download`, {
      headers: { 'x-package-token': second.body.package_token },
    });
    expect(refused).toMatchObject({ status: 410, body: { message: expect.stringContaining('as often as its sender allowed') } });
  });

  it('is refused with another token, and wrong ones are limited', async () => {
    const sender = await smallPackage();
    const recipient = await recipientOf(sender.package.id);
    const url = new URL(await recipient.address('zip_windows'));
    url.searchParams.set('token', recipient.info.package_token);
    const answers: number[] = [];
    for (let guess = 0; guess < 12; guess += 1) answers.push((await fetch(url)).status);
    expect(answers[0]).toBe(401);
    expect(answers.at(-1)).toBe(429);
  });
});

/** Rows of finalized files without objects at the storage, whose bytes a test makes up. */
async function putFiles(packageId: string, count: number, size: (index: number) => number, crc: number | null = null): Promise<void> {
  const sizes = Array.from({ length: count }, (_, index) => size(index));
  await sql`
    insert into files (id, package_id, place, kind, path, name, last_modified, state, size, crc32, chunk_size, created_at)
    select gen_random_uuid(), ${packageId}::uuid, sha256(convert_to(index::text, 'UTF8')), 'file', 'folder ' || index % 300,
      'file ' || index || '.bin', now(), 'finalized', size, case when size > 4294967296 then ${crc}::bigint end, 16777216, now()
    from unnest(${sizes}::bigint[]) with ordinality as given (size, index)`.execute(t.service.services.db);
}

/** A stored file's bytes, whatever its key: zeros, in pieces of 1 MiB. */
function zerosFor(): void {
  const piece = Buffer.alloc(1024 * 1024);
  vi.spyOn(t.service.services.storage, 'read').mockImplementation(async (_key, range) => {
    const zeros = function* () {
      for (let left = range!.end - range!.start + 1; left > 0; left -= piece.length) yield piece.subarray(0, Math.min(left, piece.length));
    };
    return Readable.from(zeros());
  });
}

/** Loads into a file whose stretches of zeros take no room. */
async function loadSparse(url: string, path: string): Promise<number> {
  const response = await fetch(url);
  expect(response.status).toBe(200);
  const file = await open(path, 'w');
  let at = 0;
  try {
    for await (const bytes of response.body!) {
      if (!isZero(bytes)) await file.write(bytes, 0, bytes.length, at);
      at += bytes.length;
    }
    await file.truncate(at);
  } finally {
    await file.close();
  }
  expect(String(at)).toBe(response.headers.get('content-length'));
  return at;
}

/** Loads a file's beginning and end only, each to its place. */
async function loadEnds(url: string, path: string): Promise<number> {
  const file = await open(path, 'w');
  try {
    let size = 0;
    for (const range of ['bytes=0-65535', 'bytes=-65536']) {
      const response = await fetch(url, { headers: { range } });
      const [, from, whole] = /^bytes (\d+)-\d+\/(\d+)$/.exec(response.headers.get('content-range')!)!;
      await file.write(Buffer.from(await response.arrayBuffer()), 0, null, Number(from));
      size = Number(whole);
    }
    return size;
  } finally {
    await file.close();
  }
}

const soaking = process.env['LONGSHORE_SOAK'] === '1';
const sizes = [2 ** 32 + 5, 10, 3];
/** Of the first of them; the soak finds it anew. */
const crcOfZeros = 0xb1c2a1a3;

const noBytes = Buffer.alloc(1024 * 1024);
const isZero = (bytes: Uint8Array): boolean => noBytes.subarray(0, bytes.length).equals(bytes);

describe.skipIf(!hasUnzippers())('large packages', inAll('packages of three files; unit/service/zips for sizes beyond 4 GiB'), () => {
  it('of 70,000 files are read by every program', async () => {
    const packageId = await putPackage(t, { name: 'Many' });
    await putFiles(packageId, 70_000, (index) => index % 5);
    zerosFor();
    try {
      const { address, files } = await recipientOf(packageId);
      expect(files).toHaveLength(70_002);
      const zip = join(folder.path, 'many.zip');
      await loadSparse(await address('zip_windows'), zip);
      const { python, bsdtar } = await testByAll(zip);
      expect([python.length, bsdtar.length]).toEqual([70_000, 70_000]);
      expect(python.reduce((sum, { size }) => sum + size, 0)).toBe(140_000);
    } finally {
      vi.restoreAllMocks();
    }
  }, 120_000);

  it('of more than 4 GiB are read by every program', async () => {
    const packageId = await putPackage(t, { name: 'Long' });
    // All of it takes minutes of a soak; here the checksum is given, and what surrounds the zeros is loaded.
    await putFiles(packageId, sizes.length, (index) => sizes[index]!, soaking ? null : crcOfZeros);
    zerosFor();
    try {
      const { address } = await recipientOf(packageId);
      const zip = join(folder.path, 'long.zip');
      const url = await address('zip_mac');
      const size = soaking ? await loadSparse(url, zip) : await loadEnds(url, zip);
      expect(size).toBeGreaterThan(2 ** 32);
      const names = sizes.map((_, index) => `folder ${index + 1}/file ${index + 1}.bin`);
      for (const { listed, bytes } of await takeByAll(zip, names.slice(1))) {
        expect(listed).toEqual(names);
        expect(bytes).toBe('\0'.repeat(13));
      }
      if (!soaking) return;
      const { python } = await testByAll(zip);
      expect(python.map((entry) => entry.size)).toEqual(sizes);
      const [{ crc32 }] = (await t.service.services.db
        .selectFrom('files')
        .select('crc32')
        .where('package_id', '=', packageId)
        .where('size', '=', String(sizes[0]!))
        .execute()) as [{ crc32: string }];
      expect(Number(crc32)).toBe(crcOfZeros);
    } finally {
      vi.restoreAllMocks();
    }
  }, 180_000);
});
