import { createHash, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expandBlueprints } from '#client/blueprint-template.ts';
import { ApiError, errorCatalogue } from '#protocol/errors.ts';
import type { File } from '#protocol/hosted/files.ts';
import type { BlueprintTemplate } from '#protocol/schema.ts';
import { insertFiles, type NewFile } from '#service/files/writes.ts';
import { newId } from '#service/ids.ts';
import { objectDigest } from '#storage/digests.ts';
import { inPairs } from '#test/support/service/in-pairs.ts';
import { runJob } from '#test/support/service/jobs.ts';
import { etagFor, newSender, type Sender, type Upload } from '#test/support/service/sender.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';

inPairs();

const MiB = 1024 * 1024;
const hello = Buffer.from('hello');
let t: TestService;
let sender: Sender;

beforeAll(async () => {
  t = await startTestService();
  sender = await newSender(t);
});
afterAll(async () => {
  await t?.close();
});

const refusedAs = (error: keyof typeof errorCatalogue, message: RegExp) => ({
  status: errorCatalogue[error].status,
  body: { code: errorCatalogue[error].code, message: expect.stringMatching(message) },
});
const listed = async (of: Sender): Promise<File[]> =>
  (await t.call<File[]>('GET', `/v1/packages/${of.package.id}/files`, { headers: of.token })).body;

/** Nothing of these files is at the storage, and nothing is left to free. */
async function expectFreed(...uploads: Upload[]): Promise<void> {
  const { storage, db } = t.service.services;
  for (const upload of uploads) {
    await expect(storage.listParts(upload.file.id, upload.uploadId)).rejects.toMatchObject({ code: 'no_such_upload' });
    expect(await storage.head(upload.file.id)).toBeNull();
  }
  expect(await db.selectFrom('freed_objects').select('key').where('freed_at', 'is', null).execute()).toEqual([]);
}

describe('creating a file', () => {
  it.each([
    ['', '..', /^name: /],
    ['/etc', 'passwd', /^path: .*absolute/],
    ['a/../..', 'x', /^path: /],
    ['', 'CON.txt', /device on Windows/],
    ['', 'a\0b', /NUL/],
  ])('refuses %j %j and says why', async (path, name, message) => {
    expect(await sender.create({ path, name })).toMatchObject(refusedAs('invalid_request', message));
  });

  it('refuses a moment that does not exist', async () => {
    expect(await sender.create({ name: 'leap', last_modified: '2016-12-31T23:59:60Z' })).toMatchObject(
      refusedAs('invalid_request', /last_modified/),
    );
  });

  it('refuses chunks that cannot hold the file, and says which would', async () => {
    expect(await sender.create({ name: 'huge', size: 50_000 * MiB + 1, chunk_size: 5 * MiB })).toMatchObject(
      refusedAs('over_limit', new RegExp(`chunks of ${6 * MiB} bytes would hold them`)),
    );
  });

  it("takes its own chunk size, else its package's", async () => {
    const other = await newSender(t, { chunk_size: 6 * MiB });
    expect((await other.create({ name: 'a', size: 1 })).body.file.chunk_size).toBe(6 * MiB);
    expect((await other.create({ name: 'b', size: 1, chunk_size: 7 * MiB })).body.file.chunk_size).toBe(7 * MiB);
    expect((await sender.create({ name: 'c', size: 1 })).body.file.chunk_size).toBe(100 * MiB);
  });

  it('again, of one that is not finalized, replaces it and frees its bytes', async () => {
    const first = await sender.begin('again', 'a.bin', { size: 5 });
    await first.put(0, hello);
    const second = await sender.begin('again', 'a.bin', { size: 6 });
    expect(second.file.id).not.toBe(first.file.id);
    await expectFreed(first);
    expect(await first.finalize([etagFor(hello)], 5)).toMatchObject(refusedAs('not_found', /file/));
    expect((await first.blueprints(0, 1)).status).toBe(404);
    expect((await listed(sender)).filter((file) => file.path === 'again')).toMatchObject([{ id: second.file.id, size: 6 }]);
  });

  it('again, of one that is finalized, is refused and leaves it whole', async () => {
    const upload = await sender.send('', 'final.bin', hello);
    expect(await sender.create({ name: 'final.bin', size: 9 })).toMatchObject(refusedAs('already_exists', /final\.bin/));
    expect(await sender.create({ kind: 'directory', name: 'final.bin' })).toMatchObject(refusedAs('already_exists', /final\.bin/));
    expect(await t.service.services.storage.head(upload.file.id)).toMatchObject({ size: 5 });
  });

  it('again, of a folder, is the same folder', async () => {
    const first = await sender.create({ kind: 'directory', name: 'folder' });
    const again = await sender.create({ kind: 'directory', name: 'folder' });
    expect(again.body).toEqual(first.body);
    expect(await sender.create({ name: 'folder', size: 1 })).toMatchObject(refusedAs('already_exists', /folder/));
  });

  it('many times concurrently leaves one, and frees the others', async () => {
    const uploads = await Promise.all(Array.from({ length: 12 }, () => sender.create({ name: 'race.bin', size: 5 })));
    expect(uploads.map((one) => one.status)).toEqual(Array(12).fill(201));
    const remaining = (await listed(sender)).filter((file) => file.name === 'race.bin');
    expect(remaining).toHaveLength(1);
    await expectFreed();
    // Of all that were told to begin, only the last can be finalized.
    const ends = await Promise.all(
      uploads.map(async ({ body }) => {
        const xml = await (await fetch(body.create_blueprint!.url, { method: 'POST' })).text();
        const upload_id = /<UploadId>([^<]+)/.exec(xml)![1]!;
        const at = `/v1/packages/${sender.package.id}/files/${body.file.id}`;
        const blueprints = await t.call<{ url: string }[]>('POST', `${at}?start=0&count=1`, { headers: sender.token, body: { upload_id } });
        if (blueprints.status !== 200) return blueprints.status;
        const etag = (await fetch(blueprints.body[0]!.url, { method: 'PUT', body: hello })).headers.get('etag')!;
        const done = await t.call('POST', `${at}/finalize`, {
          headers: sender.token,
          body: { chunk_extras: [{ part_number: '1', etag }], file_extras: { upload_id }, size: 5 },
        });
        if (done.status !== 204) expect(await t.service.services.storage.head(body.file.id)).toBeNull();
        return done.status;
      }),
    );
    expect(ends.filter((status) => status === 204)).toHaveLength(1);
    expect(ends.filter((status) => status === 404)).toHaveLength(11);
  });

  it('in one statement with others, each comes to its own', async () => {
    const { db, now } = t.service.services;
    const closed = await newSender(t);
    await closed.finalize();
    const half = await sender.begin('batch', 'half', { size: 5 });
    await sender.send('batch', 'whole', hello);
    const file = (package_id: string, name: string): NewFile => ({
      id: newId(),
      package_id,
      place: createHash('sha256').update(`batch/${name}`).digest('hex'),
      kind: 'file',
      path: 'batch',
      name,
      last_modified: null,
      state: 'new',
      size: 1,
      chunk_size: 5 * MiB,
      created_at: now(),
    });
    const files = [
      file(sender.package.id, 'new'),
      file(closed.package.id, 'new'),
      file(sender.package.id, 'whole'),
      file(sender.package.id, 'half'),
      file(newId(), 'new'),
      file((await newSender(t)).package.id, 'half'),
    ];
    expect(await insertFiles(db, files)).toEqual([
      { id: files[0]!.id, replacedId: null },
      null,
      null,
      { id: files[3]!.id, replacedId: half.file.id },
      null,
      { id: files[5]!.id, replacedId: null },
    ]);
    const noted = db.selectFrom('freed_objects').select('key').where('freed_at', 'is', null);
    expect(await noted.execute()).toEqual([{ key: half.file.id }]);
    await runJob(t.service.services, 'objects.sweep', {});
    await expectFreed(half);
  });

  it('accepts names longer than an index entry, and distinguishes names that only look the same', async () => {
    const path = Array.from({ length: 16 }, (_, index) => `${index}-${'語'.repeat(250)}`).join('/');
    expect((await sender.create({ path: path.slice(0, 4_000), name: 'deep', size: 1 })).status).toBe(201);
    for (const [folder, name] of [
      ['x/y', 'z'],
      ['x', 'y'],
      ['', '\u00e9'],
      ['', 'e\u0301'],
    ] as const) {
      expect((await sender.create({ path: folder, name, size: 1 })).status).toBe(201);
    }
  });
});

describe('blueprints', () => {
  it('end with the file, and are refused beyond it', async () => {
    const upload = await sender.begin('blueprints', 'a', { size: 11 * MiB, chunk_size: 5 * MiB });
    expect((await upload.blueprints(1, 1_000)).body).toHaveLength(2);
    expect(await upload.blueprints(3, 1)).toMatchObject(refusedAs('invalid_request', /start/));
  });

  it('are for nothing else than that chunk', async () => {
    const upload = await sender.begin('blueprints', 'b', { size: 5 });
    const [blueprint] = (await upload.blueprints(0, 1)).body;
    expect((await fetch(blueprint!.url, { method: 'PUT', body: 'hello!' })).status).toBe(413);
    expect((await fetch(blueprint!.url.replace('partNumber=1', 'partNumber=2'), { method: 'PUT', body: 'hello' })).status).toBe(403);
  });

  it('come as one template where that is asked for, cut at the end of the file', async () => {
    const upload = await sender.begin('blueprints', 'template', { size: 10 * MiB + 5, chunk_size: 5 * MiB });
    const at = `/v1/packages/${sender.package.id}/files/${upload.file.id}`;
    const ask = (start: number) =>
      t.call<BlueprintTemplate>('POST', `${at}?start=${start}&count=100&template=true`, {
        headers: sender.token,
        body: { upload_id: upload.uploadId },
      });
    const { status, body: template } = await ask(1);
    expect([status, template.first_part, template.last_part]).toEqual([200, 2, 3]);
    const [, last] = expandBlueprints(template, 100);
    const answer = await fetch(last!.url, { method: last!.method, body: hello });
    expect([answer.status, answer.headers.get('etag')]).toEqual([200, `"${etagFor(hello)}"`]);
    expect(await ask(3)).toMatchObject(refusedAs('invalid_request', /start/));
  });

  it('are refused for folders, finalized files and unknown ones', async () => {
    const folder = await sender.create({ kind: 'directory', name: 'no-bytes' });
    const done = await sender.send('blueprints', 'done', hello);
    const ask = (id: string) =>
      t.call('POST', `/v1/packages/${sender.package.id}/files/${id}?start=0&count=1`, { headers: sender.token, body: { upload_id: 'x' } });
    expect(await ask(folder.body.file.id)).toMatchObject(refusedAs('state_conflict', /folder/));
    expect(await ask(done.file.id)).toMatchObject(refusedAs('state_conflict', /finalized/));
    expect((await ask(sender.package.id)).status).toBe(404);
  });

  it("of a file are not given for another package's token", async () => {
    const other = await newSender(t);
    const upload = await sender.begin('blueprints', 'mine', { size: 5 });
    for (const at of [other.package.id, sender.package.id]) {
      const answer = await t.call('POST', `/v1/packages/${at}/files/${upload.file.id}?start=0&count=1`, {
        headers: other.token,
        body: { upload_id: upload.uploadId },
      });
      expect(answer.status).toBe(404);
    }
  });
});

describe('the chunks that the storage has confirmed', () => {
  it('are listed in order', async () => {
    const upload = await sender.begin('chunks', 'a', { size: 10 * MiB + 1, chunk_size: 5 * MiB });
    const bytes = Buffer.alloc(5 * MiB, 1);
    await upload.put(2, Buffer.from('x'));
    await upload.put(0, bytes);
    const at = `/v1/packages/${sender.package.id}/files/${upload.file.id}/chunks`;
    expect(await t.call('GET', `${at}?upload_id=${upload.uploadId}`, { headers: sender.token })).toMatchObject({
      status: 200,
      body: [
        { part_number: '1', etag: etagFor(bytes), size: 5 * MiB },
        { part_number: '3', etag: etagFor(Buffer.from('x')), size: 1 },
      ],
    });
    expect(await t.call('GET', `${at}?upload_id=${'0'.repeat(32)}`, { headers: sender.token })).toMatchObject(
      refusedAs('no_such_upload', /upload/),
    );
  });
});

describe('finalizing a file', () => {
  const begun = async (name = randomUUID()) => {
    const upload = await sender.begin('finalize', name, { size: 10 * MiB, chunk_size: 5 * MiB });
    const chunks = [Buffer.alloc(5 * MiB, 1), Buffer.alloc(5 * MiB, 2)];
    return { upload, chunks, etags: chunks.map(etagFor) };
  };

  it('names the first chunk that is wrong, loses nothing, and succeeds once it is right', async () => {
    const { upload, chunks, etags } = await begun();
    expect(await upload.finalize(etags, 10 * MiB)).toMatchObject(
      refusedAs('chunk_wrong', /^Chunk 1 is wrong: the storage does not have it/),
    );
    await upload.put(0, chunks[0]!);
    await upload.put(1, chunks[0]!);
    expect(await upload.finalize(etags, 10 * MiB)).toMatchObject(refusedAs('chunk_wrong', /^Chunk 2 is wrong: its etag/));
    expect(await upload.finalize(etags.slice(0, 1), 10 * MiB)).toMatchObject(
      refusedAs('chunk_wrong', /^Chunk 2 is wrong: it is not named/),
    );
    expect(await upload.finalize(etags, 10 * MiB - 1)).toMatchObject(refusedAs('chunk_wrong', /^Chunk 2 is wrong/));
    await upload.put(1, chunks[1]!);
    expect((await upload.finalize(etags, 10 * MiB)).status).toBe(204);
  });

  it('again with the same content is fine, with other content is not', async () => {
    const { upload, chunks, etags } = await begun();
    for (const [index, chunk] of chunks.entries()) await upload.put(index, chunk);
    const ends = await Promise.all(Array.from({ length: 8 }, () => upload.finalize(etags, 10 * MiB)));
    expect(ends.map((end) => end.status)).toEqual(Array(8).fill(204));
    expect((await upload.finalize(etags, 10 * MiB)).status).toBe(204);
    expect(await upload.finalize([etags[0]!, etags[0]!], 10 * MiB)).toMatchObject(refusedAs('state_conflict', /other content/));
    expect(await upload.finalize(etags.slice(0, 1), 5 * MiB)).toMatchObject(refusedAs('state_conflict', /other content/));
  });

  it('is refused with a chunk size that contradicts the one it was created with', async () => {
    const { upload, chunks, etags } = await begun();
    for (const [index, chunk] of chunks.entries()) await upload.put(index, chunk);
    const at = `/v1/packages/${sender.package.id}/files/${upload.file.id}/finalize`;
    const ask = (chunk_size?: number) =>
      t.call('POST', at, {
        headers: sender.token,
        body: {
          chunk_extras: etags.map((etag, index) => ({ part_number: String(index + 1), etag })),
          file_extras: { upload_id: upload.uploadId },
          size: 10 * MiB,
          ...(chunk_size !== undefined && { chunk_size }),
        },
      });
    expect(await ask(6 * MiB)).toMatchObject(refusedAs('state_conflict', /^chunk_size: .*5242880 bytes, not 6291456/));
    expect((await ask()).status).toBe(204);
    expect((await ask(5 * MiB)).status).toBe(204);
    expect(await ask(6 * MiB)).toMatchObject(refusedAs('state_conflict', /^chunk_size: /));
  });

  it('without a size at creation takes a smaller chunk size, and no larger one', async () => {
    const upload = await sender.begin('finalize', randomUUID(), { chunk_size: 6 * MiB });
    const etag = await upload.put(0, Buffer.from('hello'));
    const ask = (chunk_size: number) =>
      t.call('POST', `/v1/packages/${sender.package.id}/files/${upload.file.id}/finalize`, {
        headers: sender.token,
        body: { chunk_extras: [{ part_number: '1', etag }], file_extras: { upload_id: upload.uploadId }, size: 5, chunk_size },
      });
    expect(await ask(7 * MiB)).toMatchObject(refusedAs('state_conflict', /^chunk_size: /));
    expect((await ask(5 * MiB)).status).toBe(204);
    expect((await ask(5 * MiB)).status).toBe(204);
  });

  it('compares the digest that the sender states', async () => {
    const { upload, chunks, etags } = await begun();
    for (const [index, chunk] of chunks.entries()) await upload.put(index, chunk);
    const right = objectDigest(etags.map((etag) => etag.slice(3)));
    const wrong = objectDigest([etags[0]!.slice(3)]);
    expect(await upload.finalize(etags, 10 * MiB, { digest: wrong })).toMatchObject(refusedAs('digest_wrong', new RegExp(right)));
    expect((await upload.finalize(etags, 10 * MiB, { digest: right })).status).toBe(204);
    expect((await listed(sender)).find((file) => file.id === upload.file.id)).toMatchObject({ digest: right });
  });

  it.each([true, false])('heals when the service died after the storage had completed it (same process: %s)', async (sameProcess) => {
    const { upload, chunks, etags } = await begun();
    for (const [index, chunk] of chunks.entries()) await upload.put(index, chunk);
    const { storage } = t.service.services;
    await storage.complete(upload.file.id, upload.uploadId, await storage.listParts(upload.file.id, upload.uploadId));
    if (!sameProcess) for (const { services } of t.services) services.caches.uploads.delete(upload.file.id);
    expect(await upload.finalize([etags[1]!, etags[0]!], 10 * MiB)).toMatchObject(refusedAs('state_conflict', /other chunks/));
    expect((await upload.finalize(etags, 10 * MiB)).status).toBe(204);
    expect((await listed(sender)).find((file) => file.id === upload.file.id)).toMatchObject({ state: 'finalized', size: 10 * MiB });
  });

  it('of an upload that is gone says so', async () => {
    const { upload, etags } = await begun();
    await t.service.services.storage.abort(upload.file.id);
    expect(await upload.finalize(etags, 10 * MiB)).toMatchObject(refusedAs('no_such_upload', /upload/));
  });

  it('is refused for a folder', async () => {
    const folder = await sender.create({ kind: 'directory', name: 'a folder' });
    const answer = await t.call('POST', `/v1/packages/${sender.package.id}/files/${folder.body.file.id}/finalize`, {
      headers: sender.token,
      body: { chunk_extras: [{ part_number: '1', etag: 'x' }], file_extras: { upload_id: 'x' }, size: 0 },
    });
    expect(answer).toMatchObject(refusedAs('state_conflict', /folder/));
  });
});

describe('deleting a file', () => {
  it('frees its bytes, whether they are still on their way or finalized', async () => {
    const half = await sender.begin('delete', 'half', { size: 5 });
    await half.put(0, hello);
    const whole = await sender.send('delete', 'whole', hello);
    for (const upload of [half, whole]) {
      expect((await upload.remove()).status).toBe(204);
      expect(await upload.remove()).toMatchObject(refusedAs('not_found', /file/));
    }
    await expectFreed(half, whole);
    expect((await listed(sender)).filter((file) => file.path === 'delete')).toEqual([]);
    expect((await sender.send('delete', 'whole', hello)).file.state).toBe('new');
  });

  it('while it is being finalized leaves either the file or nothing', async () => {
    for (let round = 0; round < 10; round++) {
      const upload = await sender.begin('delete', `race-${round}`, { size: 5 });
      await upload.put(0, hello);
      const [ended, removed] = await Promise.all([upload.finalize([etagFor(hello)], 5), upload.remove()]);
      expect(removed.status).toBe(204);
      expect([204, 404]).toContain(ended.status);
      await expectFreed(upload);
    }
  });

  it('is caught up on when the storage failed to free its bytes', async () => {
    const own = await newSender(t);
    const upload = await own.send('', 'stuck', hello);
    const { storage } = t.service.services;
    const { delete: free } = storage;
    const broken = storage as { delete: typeof free };
    broken.delete = async () => {
      throw new ApiError('storage_unavailable', { detail: 'a test' });
    };
    try {
      expect((await upload.remove()).status).toBe(204);
    } finally {
      broken.delete = free;
    }
    expect(await storage.head(upload.file.id)).not.toBeNull();
    await runJob(t.service.services, 'objects.sweep', {});
    await expectFreed(upload);
  });
});

describe('the list of a package of many files', () => {
  it('has all of them in order with what was found of them, and the zips, though it is sent while it is read', async () => {
    const { db, now } = t.service.services;
    const many = await newSender(t);
    const rows = Array.from({ length: 1_200 }, (_, index) => ({
      id: newId(),
      package_id: many.package.id,
      place: createHash('sha256').update(`${index}`).digest(),
      kind: 'file' as const,
      path: ['ä', 'B', '', 'a/b'][index % 4]!,
      name: `${(index * 7) % 1_200}.txt`,
      last_modified: null,
      state: 'finalized' as const,
      size: index,
      chunk_size: 5 * MiB,
      created_at: now(),
    }));
    await db.insertInto('files').values(rows).execute();
    const found = rows[700]!;
    expect((await many.finalize()).status).toBe(204);
    await sql`insert into scan_findings (file_id, package_id, kind, detail, created_at)
      values (${found.id}, ${many.package.id}, 'unscanned', 'too_large', ${now()})`.execute(db);

    const url = `${t.url}/v1/packages/${many.package.id}/files`;
    const answer = await fetch(url, { headers: many.token });
    expect(answer.headers.get('content-length')).toBeNull();
    const text = await answer.text();
    const files = JSON.parse(text) as File[];
    const inOrder = rows.toSorted(
      (a, b) => Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)) || Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)),
    );
    expect(files.map(({ id }) => id).slice(0, -2)).toEqual(inOrder.map(({ id }) => id));
    expect(files.slice(-2).map(({ kind }) => kind)).toEqual(['zip_windows', 'zip_mac']);
    expect(files.filter(({ not_scanned }) => not_scanned !== undefined)).toMatchObject([
      { id: found.id, size: 700, not_scanned: 'too_large' },
    ]);
    const head = await fetch(url, { method: 'HEAD', headers: many.token });
    expect(head.headers.get('content-length')).toBe(String(Buffer.byteLength(text)));
  });

  it.each([
    ['folders without files', 19_500, 0],
    ['files in deep folders', 8_000, 4_090],
  ])('has a length where it is too long to be sent without: %s', async (_, others, pathLength) => {
    const { db } = t.service.services;
    const many = await newSender(t);
    const kind = pathLength === 0 ? 'directory' : 'file';
    await sql`
      insert into files (id, package_id, place, kind, path, name, state, size, chunk_size, created_at)
      select gen_random_uuid(), ${many.package.id}, sha256(n::text::bytea), kind, path, n::text, 'finalized', 0, 5242880, ${t.service.services.now()}
      from (
        select n, 'file' as kind, '' as path from generate_series(1, 1001) as n
        union all
        select n, ${kind}, repeat('/x', ${Math.floor(pathLength / 2)}) from generate_series(2001, ${2_000 + others}::int) as n
      ) as records`.execute(db);
    expect((await many.finalize()).status).toBe(204);
    const answer = await fetch(`${t.url}/v1/packages/${many.package.id}/files`, { headers: many.token });
    const text = await answer.text();
    expect(answer.headers.get('content-length')).toBe(String(Buffer.byteLength(text)));
    // As many as the package has, and its zips.
    expect((JSON.parse(text) as File[]).length).toBe(1_001 + others + 2);
  });
});
