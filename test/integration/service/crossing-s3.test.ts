import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { File } from '#protocol/hosted/files.ts';
import { batchesOf, putWhole, resultOf } from '#test/support/service/batch-sender.ts';
import { runJob } from '#test/support/service/jobs.ts';
import { newSender, openLink } from '#test/support/service/sender.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { hasSwift, newSwiftBucket, type SwiftBucket } from '#test/support/storage/swift.ts';

const MiB = 1024 * 1024;
const md5 = (bytes: Uint8Array) => createHash('md5').update(bytes).digest('hex');

describe.skipIf(!hasSwift())('a package over S3 storage', () => {
  let server: SwiftBucket;
  let t: TestService;
  beforeAll(async () => {
    server = await newSwiftBucket();
    t = await startTestService({ storageUrl: server.url });
  });
  afterAll(async () => {
    await t?.close();
  });

  it('crosses by plain HTTP, with MD5 etags and the digest that its sender states', async () => {
    const sender = await newSender(t, { recipients: ['a@x.org'], chunk_size: 5 * MiB });
    const bytes = randomBytes(5 * MiB + 10);
    const chunks = [bytes.subarray(0, 5 * MiB), bytes.subarray(5 * MiB)];
    const digest = `blake3:${'0a'.repeat(32)}`;
    const upload = await sender.begin('day 1', 'ü b.bin', { size: bytes.length });
    expect(upload.file.chunk_checksum).toBe('md5');
    const etags: string[] = [];
    for (const [index, chunk] of chunks.entries()) etags.push(await upload.put(index, chunk));
    expect(etags).toEqual(chunks.map(md5));
    expect(await upload.finalize([etags[0]!, etags[0]!], bytes.length)).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining('Chunk 2') },
    });
    const ends = await Promise.all(Array.from({ length: 4 }, () => upload.finalize(etags, bytes.length, { digest })));
    expect(ends.map((end) => end.status)).toEqual([204, 204, 204, 204]);
    await sender.send('', 'empty', Buffer.alloc(0));
    expect((await sender.finalize()).status).toBe(204);

    const { body: info } = await openLink(t, (await sender.links())[0]!);
    const headers = { 'x-package-token': info.package_token };
    const { body: records } = await t.call<File[]>('GET', `/v1/packages/${info.package_id}/files`, { headers });
    const files = records.filter((record) => record.kind === 'file');
    expect(files.map((file) => [file.name, file.size, file.digest])).toEqual([
      ['empty', 0, undefined],
      ['ü b.bin', bytes.length, digest],
    ]);
    const contents = [Buffer.alloc(0), bytes];
    for (const [index, file] of files.entries()) {
      const { body } = await t.call<{ url: string }>('GET', `/v1/packages/${info.package_id}/files/${file.id}/download`, { headers });
      const answer = await fetch(body.url);
      expect(answer.status).toBe(200);
      expect(Buffer.from(await answer.arrayBuffer()).equals(contents[index]!)).toBe(true);
    }
    const zip = records.find((record) => record.kind === 'zip_windows')!;
    const { body } = await t.call<{ url: string }>('GET', `/v1/packages/${info.package_id}/files/${zip.id}/download`, { headers });
    const whole = await fetch(body.url);
    const zipped = Buffer.from(await whole.arrayBuffer());
    expect(whole.headers.get('content-length')).toBe(String(zipped.length));
    const at = zipped.indexOf(bytes);
    expect(at).toBeGreaterThan(0);
    const part = await fetch(body.url, { headers: { range: `bytes=${at + 7}-${at + bytes.length + 50}` } });
    expect(Buffer.from(await part.arrayBuffer()).equals(zipped.subarray(at + 7, at + bytes.length + 51))).toBe(true);
  });

  it('heals when the service died after the storage had completed a file', async () => {
    const sender = await newSender(t, { chunk_size: 5 * MiB });
    const chunks = [randomBytes(5 * MiB), randomBytes(3)];
    const upload = await sender.begin('', 'a', { size: 5 * MiB + 3 });
    const etags: string[] = [];
    for (const [index, chunk] of chunks.entries()) etags.push(await upload.put(index, chunk));
    const { storage } = t.service.services;
    await storage.complete(upload.file.id, upload.uploadId, await storage.listParts(upload.file.id, upload.uploadId));
    expect((await upload.finalize([etags[0]!, etags[0]!], 5 * MiB + 3)).status).toBe(409);
    expect((await upload.finalize(etags, 5 * MiB + 3)).status).toBe(204);
  });

  it('takes many small files, each by one PUT', async () => {
    const sender = await newSender(t);
    const batch = batchesOf(t, sender);
    const contents = [Buffer.alloc(0), randomBytes(10_000), randomBytes(7)];
    const { files } = (await batch.create(contents.map((bytes, index) => ({ name: `${index}`, size: bytes.length })))).body;
    const etags = await Promise.all(files.map((made, index) => putWhole(made, contents[index]!)));
    expect(etags).toEqual(contents.map(md5));
    const results = files.map((made, index) => resultOf(made, etags[index]!, contents[index]!.length));
    const wrong = { ...results[2]!, chunk_extras: [{ part_number: '1', etag: md5(Buffer.from('else')) }] };
    const ends = await batch.finalize([results[0]!, results[1]!, wrong]);
    expect(ends.body.files.map(({ error }) => error?.message)).toEqual([undefined, undefined, expect.stringContaining('Chunk 1')]);
    const again = await batch.finalize(results);
    expect(again.body.files).toEqual(results.map(({ file_id }) => ({ file_id })));
    expect((await sender.finalize()).status).toBe(204);
  });

  it('frees what is deleted and what is replaced, and once more when nothing can arrive any more', async () => {
    const sender = await newSender(t);
    const { storage, db } = t.service.services;
    const whole = await sender.send('', 'whole', Buffer.from('x'));
    const half = await sender.begin('', 'half', { size: 3 });
    await half.put(0, Buffer.from('abc'));
    await sender.begin('', 'half', { size: 4 });
    expect((await whole.remove()).status).toBe(204);
    expect(await storage.head(whole.file.id)).toBeNull();
    await expect(storage.listParts(half.file.id, half.uploadId)).rejects.toMatchObject({ code: 'no_such_upload' });
    const noted = () => db.selectFrom('freed_objects').select('key').orderBy('key').execute();
    expect(await noted()).toEqual([{ key: whole.file.id }, { key: half.file.id }].sort((a, b) => (a.key < b.key ? -1 : 1)));

    const { files } = (await batchesOf(t, sender).create([{ name: 'late', size: 4 }])).body;
    const path = `/v1/packages/${sender.package.id}/files/${files[0]!.file!.id}`;
    expect((await t.call('DELETE', path, { headers: sender.token })).status).toBe(204);
    await putWhole(files[0]!, Buffer.from('late'));
    await db
      .updateTable('freed_objects')
      .set({ noted_at: new Date(Date.now() - 25 * 3_600_000) })
      .execute();
    await runJob(t.service.services, 'objects.sweep', {});
    expect(await storage.head(files[0]!.file!.id)).toBeNull();
    expect(await noted()).toEqual([]);
  });
});
