import { createHash, randomBytes } from 'node:crypto';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { File } from '#protocol/hosted/files.ts';
import { secretFileName } from '#service/data-folder.ts';
import { originOfS3 } from '#service/roles/storage.ts';
import { startService } from '#service/server.ts';
import { hexOf, objectDigest } from '#storage/digests.ts';
import { askForm, askResponse, formField, newPortal, portalSender } from '#test/support/service/portals.ts';
import { newSender, openLink } from '#test/support/service/sender.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { hasSwift, newSwiftBucket, type SwiftBucket } from '#test/support/storage/swift.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

const MiB = 1024 * 1024;

/** A further service of one's database, with this storage. */
async function doesNotStartBeside(known: TestService, storage: { readonly storageUrl?: string }, sentence: string): Promise<void> {
  const folder = await tempFolder();
  await copyFile(join(known.dataDir, secretFileName), join(folder.path, secretFileName));
  const listen = { host: '127.0.0.1', port: 0 };
  const starting = startService({ listen, dataDir: folder.path, databaseUrl: known.databaseUrl!, logLevel: 'silent', ...storage });
  try {
    await expect(starting).rejects.toMatchObject({ code: 'storage_unusable', message: expect.stringContaining(sentence) });
  } finally {
    await starting.then(
      (running) => running.close(),
      () => undefined,
    );
    await folder.remove();
  }
}

describe.skipIf(!hasSwift())('a service over S3 storage', () => {
  let swift: SwiftBucket;
  let at: TestService;
  beforeAll(async () => {
    swift = await newSwiftBucket();
    at = await startTestService({ storageUrl: swift.url });
  });
  afterAll(async () => {
    await at?.close();
  });

  it('carries a file of several chunks from a sender to a recipient', async () => {
    const bytes = randomBytes(5 * MiB + 17);
    const sender = await newSender(at, { recipients: ['post@example.com'], chunk_size: 5 * MiB });
    const upload = await sender.begin('a/b', 'ünï.bin', { size: bytes.length });
    expect(upload.file.chunk_checksum).toBe('md5');
    const etags = [await upload.put(0, bytes.subarray(0, 5 * MiB)), await upload.put(1, bytes.subarray(5 * MiB))];
    expect(etags[1]).toBe(
      createHash('md5')
        .update(bytes.subarray(5 * MiB))
        .digest('hex'),
    );
    expect((await upload.finalize(etags, bytes.length)).status).toBe(204);
    expect((await sender.finalize()).status).toBe(204);

    const [link] = await sender.links();
    const { body: opened } = await openLink(at, link!);
    const token = { 'x-package-token': opened.package_token };
    const base = `/v1/packages/${opened.package_id}/files`;
    const { body: files } = await at.call<File[]>('GET', base, { headers: token });
    const { body: address } = await at.call<{ url: string }>('GET', `${base}/${files[0]!.id}/download`, { headers: token });
    const downloaded = Buffer.from(await (await fetch(address.url)).arrayBuffer());
    expect(downloaded.equals(bytes)).toBe(true);
  });

  it("delivers the answers to a Portal's form, with a digest that a recipient can check", async () => {
    const portal = await newPortal(at, { recipients: ['post@example.com'] });
    await askForm(at, portal.id, { delivery_formats: ['json', 'xml'], fields: [formField('camera')] });
    const response = await askResponse(at, portal.id, { camera: { value: 'A ☕' } });
    const sender = await portalSender(at, portal.id, { form_data_id: response.body.id });
    const ends = await Promise.all([sender.finalize(), sender.finalize()]);
    expect(ends.map((end) => end.status)).toEqual([204, 204]);

    const base = `/v1/packages/${sender.package.id}/files`;
    const { body: files } = await at.call<File[]>('GET', base, { headers: sender.token });
    const json = files.find((file) => file.name === 'metadata.json')!;
    const link = await at.service.services.db
      .selectFrom('links')
      .selectAll()
      .where('package_id', '=', sender.package.id)
      .executeTakeFirstOrThrow();
    const { body: opened } = await openLink(at, { id: link.id, download_secret: link.secret });
    const { body: address } = await at.call<{ url: string }>('GET', `${base}/${json.id}/download`, {
      headers: { 'x-package-token': opened.package_token },
    });
    const bytes = Buffer.from(await (await fetch(address.url)).arrayBuffer());
    expect(JSON.parse(bytes.toString('utf8'))).toEqual({ id: response.body.id, camera: { value: 'A ☕' } });
    expect(json).toMatchObject({ size: bytes.length, digest: objectDigest([hexOf(bytes)]) });
  });

  it('has its files in that bucket: beside it none starts with a folder, and it says so', async () => {
    await (await newSender(at)).begin('', 'a.bin');
    await doesNotStartBeside(at, {}, 'Give its address by --storage-url');
  });

  it('does not start over the database of a folder with files, and says so', async () => {
    const other = await startTestService();
    try {
      await (await newSender(other)).begin('', 'a.bin');
      const { url: storageUrl } = await newSwiftBucket();
      await doesNotStartBeside(other, { storageUrl }, 'do not move to a bucket by themselves');
    } finally {
      await other.close();
    }
  });

  it('does not start over a bucket that is not there, and says so', async () => {
    const url = new URL(swift.url);
    url.pathname = '/no-such-bucket';
    await expect(startTestService({ storageUrl: url.href })).rejects.toMatchObject({ code: 'storage_unusable' });
  });
});

describe("the pages' policy names where an S3 storage's addresses are", () => {
  it.each([
    ['s3://K:S@minio.example.com:9000/bucket?path_style=true&tls=false', 'http://minio.example.com:9000'],
    ['s3://K:S@s3.example.com/bucket', 'https://*.s3.example.com'],
    ['s3://K:S@10.0.0.1/bucket?path_style=true&public_url=https://files.example.com', 'https://files.example.com'],
    ['s3:///bucket', 'https://*.amazonaws.com'],
  ])('%s: %s', (url, origin) => {
    expect(originOfS3(url)).toBe(origin);
  });
});
