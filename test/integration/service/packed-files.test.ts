import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BatchCreated } from '#protocol/hosted/file-batches.ts';
import type { File } from '#protocol/hosted/files.ts';
import { limits } from '#protocol/limits.ts';
import { batchGetAddress, batchGetBody, sharedBatchGetBody } from '#protocol/storage/batch-get.ts';
import { batchPutAddress, batchPutHead } from '#protocol/storage/batch-put.ts';
import type { Services } from '#service/handler.ts';
import { firstOf } from '#test/support/level.ts';
import { batchesOf, resultOf } from '#test/support/service/batch-sender.ts';
import { runJob } from '#test/support/service/jobs.ts';
import { etagFor, newSender, openLink, type Sender } from '#test/support/service/sender.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { useInMemoryClouds } from '#test/support/service/transfer-provider.ts';
import { askTransfer, putConnection, transferBecomes } from '#test/support/service/transfers.ts';
import { objectsIn } from '#test/support/storage/batch-get.ts';
import { hasSwift, newSwiftBucket, type SwiftBucket } from '#test/support/storage/swift.ts';
import { eventually } from '#test/support/system/processes.ts';

/** Small files whose bytes lie in one file of the storage, on each way that leads to them, until nothing of them is left. */

interface Where {
  /** `undefined`: local storage. */
  readonly bucket: () => Promise<SwiftBucket | undefined>;
  readonly skip: boolean;
}

const places: Readonly<Record<string, Where>> = {
  'on the local disk': { bucket: async () => undefined, skip: false },
  'in S3 storage': { bucket: newSwiftBucket, skip: !hasSwift() },
};

let t: TestService;
let services: Services;
let bucket: SwiftBucket | undefined;
let offset = 0;

async function start(where: Where): Promise<void> {
  offset = 0;
  bucket = await where.bucket();
  t = await startTestService({
    processes: 1,
    now: () => new Date(Date.now() + offset),
    ...(bucket && { storageUrl: `${bucket.url}&packed=true` }),
  });
  ({ services } = t.service);
}

const contents: readonly Buffer[] = Array.from({ length: 30 }, (_, index) => (index === 7 ? Buffer.alloc(0) : randomBytes(200 + index)));

/** Sends files in one request, and finalizes them in one. */
async function sendTogether(sender: Sender): Promise<File[]> {
  const batch = batchesOf(t, sender);
  const { body } = await batch.create(contents.map(({ length }, index) => ({ path: 'many', name: `${index}.bin`, size: length })));
  await putTogether(body.files);
  const { body: finalized } = await batch.finalize(
    body.files.map((one, index) => resultOf(one, etagFor(contents[index]!), contents[index]!.length)),
  );
  expect(finalized.files.filter(({ error }) => error)).toEqual([]);
  return body.files.map(({ file }) => file!);
}

async function putTogether(files: readonly BatchCreated[]): Promise<void> {
  const parts = files.map((one, index) => ({ blueprint: one.put_blueprint!, length: contents[index]!.length }));
  const answer = await fetch(batchPutAddress(services.storage.batchPutUrl!, parts), {
    method: 'POST',
    body: Buffer.concat([Buffer.from(batchPutHead(parts)), ...contents.slice(0, files.length)]),
  });
  const { parts: sent } = (await answer.json()) as { parts: { etag?: string }[] };
  expect(sent.map(({ etag }) => etag)).toEqual(contents.map(etagFor));
}

/** Files with bytes of somebody at the storage. */
async function storedFiles(): Promise<string[]> {
  if (bucket) return bucket.stored();
  const entries = await readdir(join(t.dataDir, 'objects'), { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile() && /[0-9a-f]{32}/.test(join(entry.parentPath, entry.name))).map(({ name }) => name);
}

const keysOf = (packageId: string) =>
  services.db.selectFrom('files').select(['id', 'object_key']).where('package_id', '=', packageId).where('kind', '=', 'file').execute();

describe.each(firstOf(Object.entries(places)))('small files that are sent together %s', (_name, where) => {
  beforeAll(() => (where.skip ? undefined : start(where)));
  afterAll(() => t?.close());

  it.skipIf(where.skip)('are fetched singly, together, in zips, as a receipt and by a cloud, and leave nothing behind', async () => {
    expect(await storedFiles()).toEqual([]);
    const sender = await newSender(t, { recipients: ['a@x.org'] });
    const files = await sendTogether(sender);
    const keys = await keysOf(sender.package.id);
    expect(new Set(keys.map(({ object_key }) => object_key!.split('.')[0])).size).toBe(1);
    expect(await storedFiles()).toHaveLength(1);
    // Before the package is finalized, some go again.
    for (const file of files.slice(0, 3)) {
      const path = `/v1/packages/${sender.package.id}/files/${file.id}`;
      expect((await t.call('DELETE', path, { headers: sender.token })).status).toBe(204);
    }
    await sender.send('', 'alone.bin', Buffer.from('alone'));
    expect((await sender.finalize()).status).toBe(204);
    const kept = files.map((file, index) => ({ id: file.id, bytes: contents[index]! })).slice(3);

    const [link] = await sender.links();
    const { body: info } = await openLink(t, link!);
    const headers = { 'x-package-token': info.package_token };
    const base = `/v1/packages/${sender.package.id}`;
    const [first] = kept;
    const one = await t.call<{ url: string }>('GET', `${base}/files/${first!.id}/download`, { headers });
    const single = await fetch(one.body.url);
    expect([single.status, Buffer.from(await single.arrayBuffer())]).toEqual([200, first!.bytes]);
    const range = await fetch(one.body.url, { headers: { range: 'bytes=10-19' } });
    expect([range.status, Buffer.from(await range.arrayBuffer())]).toEqual([206, first!.bytes.subarray(10, 20)]);
    const look = await t.call<{ url: string }>('GET', `${base}/files/${first!.id}/preview`, { headers: sender.token });
    expect(Buffer.from(await (await fetch(look.body.url)).arrayBuffer())).toEqual(first!.bytes);

    const { body: addresses } = await t.call<{ files: { url: string }[] }>('POST', `${base}/files/batch/download`, {
      headers,
      body: { file_ids: kept.map(({ id }) => id) },
    });
    const urls = addresses.files.map(({ url }) => url);
    const together = await fetch(batchGetAddress(services.storage.batchGetUrl!, urls), {
      method: 'POST',
      body: batchGetBody(urls),
    });
    const objects = objectsIn(Buffer.from(await together.arrayBuffer()));
    expect(objects.map(({ bytes }) => bytes)).toEqual(kept.map(({ bytes }) => bytes));

    const { body: shared } = await t.call<{ files: { object?: string; url?: string }[]; objects_url: string }>(
      'POST',
      `${base}/files/batch/download`,
      { headers, body: { file_ids: kept.map(({ id }) => id), one_address: true } },
    );
    // In an S3 each file has its own address all the same.
    const sharesAddress = services.storage.presignReadBatch !== undefined;
    expect(shared.files.filter(({ url }) => url === undefined)).toHaveLength(sharesAddress ? kept.length : 0);
    if (sharesAddress) {
      const asked = sharedBatchGetBody({ keys: shared.files.map(({ object }) => object!), wanted: [...kept.keys()] });
      const byOne = await fetch(shared.objects_url, { method: 'POST', body: asked });
      expect(objectsIn(Buffer.from(await byOne.arrayBuffer())).map(({ bytes }) => bytes)).toEqual(kept.map(({ bytes }) => bytes));
    }

    const { body: listed } = await t.call<File[]>('GET', `${base}/files`, { headers });
    const zip = await t.call<{ url: string }>('GET', `${base}/files/${listed.at(-1)!.id}/download`, { headers });
    const zipped = Buffer.from(await (await fetch(zip.body.url)).arrayBuffer());
    for (const { bytes } of kept) expect(zipped.includes(bytes)).toBe(true);
    const receipt = await fetch(`${t.url}${base}/receipt`, { headers });
    expect(await receipt.text()).toContain('many/3.bin');

    const clouds = useInMemoryClouds(t);
    const connection = await putConnection(t);
    const made = await askTransfer(t, sender, { cloud_connection_id: connection });
    await transferBecomes(t, made.body, 'complete');
    const delivered = [...clouds.cloud.files.values()].map(({ bytes }) => bytes.toString('hex'));
    for (const { bytes } of kept) expect(delivered).toContain(bytes.toString('hex'));

    offset += 400 * limits.blueprintSeconds * 1000;
    await runJob(services, 'packages.expire', {});
    await eventually('all is freed', async () => (await keysOf(sender.package.id)).length === 0);
    await runJob(services, 'objects.sweep', {});
    expect(await storedFiles()).toEqual([]);
    expect(await services.db.selectFrom('segments').select('id').where('deleted_at', 'is', null).execute()).toEqual([]);
  });

  it.skipIf(where.skip)('are written anew where most of them are deleted, and the old bytes go once no address can name them', async () => {
    const sender = await newSender(t, { recipients: ['a@x.org'] });
    const files = await sendTogether(sender);
    for (const { id } of files.slice(0, 20)) {
      expect((await t.call('DELETE', `/v1/packages/${sender.package.id}/files/${id}`, { headers: sender.token })).status).toBe(204);
    }
    expect((await sender.finalize()).status).toBe(204);
    const kept = files.slice(20).map(({ id }, index) => ({ id, bytes: contents[20 + index]! }));
    const addresses = async () => {
      const { body: info } = await openLink(t, (await sender.links())[0]!);
      const headers = { 'x-package-token': info.package_token };
      const answers = kept.map(({ id }) =>
        t.call<{ url: string }>('GET', `/v1/packages/${sender.package.id}/files/${id}/download`, { headers }),
      );
      return (await Promise.all(answers)).map(({ body }) => body.url);
    };
    const segmentOf = async () => [...new Set((await keysOf(sender.package.id)).map(({ object_key }) => object_key!.split('.')[0]))];
    const before = await segmentOf();

    offset += 2 * limits.blueprintSeconds * 1000;
    await runJob(services, 'objects.sweep', {});
    const after = await segmentOf();
    expect([before.length, after.length, after[0] === before[0]]).toEqual([1, 1, false]);
    expect(await storedFiles()).toHaveLength(2);
    for (const [index, url] of (await addresses()).entries()) {
      expect(Buffer.from(await (await fetch(url)).arrayBuffer()).equals(kept[index]!.bytes)).toBe(true);
    }
    // Addresses of the old bytes stand as long as they were given for.
    const [old] = await services.db.selectFrom('segments').select(['live_files', 'deleted_at']).where('id', '=', before[0]!).execute();
    expect(old).toEqual({ live_files: 0, deleted_at: null });

    offset += (limits.downloadUrlSeconds + limits.blueprintSeconds) * 1000;
    await runJob(services, 'objects.sweep', {});
    expect(await storedFiles()).toHaveLength(1);
    // The link is over by then, the files are not.
    const keys = new Map((await keysOf(sender.package.id)).map(({ id, object_key }) => [id, object_key!]));
    for (const { id, bytes } of kept) {
      expect(Buffer.concat(await (await services.storage.read(keys.get(id)!)).toArray()).equals(bytes)).toBe(true);
    }
  });
});
