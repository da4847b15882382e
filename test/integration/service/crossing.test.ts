import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { File } from '#protocol/hosted/files.ts';
import type { Package } from '#protocol/hosted/packages.ts';
import { objectDigest } from '#storage/digests.ts';
import { etagFor, newSender, openLink, sampleTime } from '#test/support/service/sender.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';

/** Whole crossings by plain HTTP, exactly as contract/files-and-blueprints.md §1, §9 describes them. */

const MiB = 1024 * 1024;
let t: TestService;
beforeAll(async () => {
  t = await startTestService({ storageInProcess: false });
});
afterAll(async () => {
  await t?.close();
});

it('carries files of many sizes, an empty one and an empty folder from a sender to a recipient', async () => {
  const sender = await newSender(t, {
    name: 'Dailies, day 12',
    description: 'A cam',
    recipients: ['post@example.com'],
    chunk_size: 5 * MiB,
  });
  expect(sender.package).toMatchObject({
    name: 'Dailies, day 12',
    sender: 'owner@example.com',
    state: 'new',
    size: 0,
    total_files: 0,
    chunk_size: 5 * MiB,
    password: '',
  });

  const contents = new Map([
    ['/empty.bin', Buffer.alloc(0)],
    ['/one.bin', Buffer.from([7])],
    ['camera-a/day 1/A001.mov', randomBytes(12 * MiB + 345)],
    ['camera-a/exact.mov', randomBytes(10 * MiB)],
    ['日本語/ünï — e\u0301.txt', Buffer.from('hello')],
  ]);
  const digests = new Map<string, string>();
  for (const [place, bytes] of contents) {
    const cut = place.lastIndexOf('/');
    const upload = await sender.begin(place.slice(0, Math.max(cut, 0)), place.slice(cut + 1), { size: bytes.length });
    const count = Math.max(1, Math.ceil(bytes.length / (5 * MiB)));
    // Asked for more than there are, the blueprints end with the file.
    const { body: blueprints } = await upload.blueprints(0, 100);
    expect(blueprints).toHaveLength(count);
    const etags: string[] = [];
    for (const [index, blueprint] of blueprints.entries()) {
      const chunk = bytes.subarray(index * 5 * MiB, (index + 1) * 5 * MiB);
      const answer = await fetch(blueprint.url, { method: blueprint.method, headers: blueprint.headers, body: chunk });
      expect(answer.status).toBe(200);
      expect(answer.headers.get('etag')).toBe(`"${etagFor(chunk)}"`);
      etags.push(answer.headers.get('etag')!);
    }
    const digest = objectDigest(etags.map((etag) => etag.slice(4, 68)));
    digests.set(upload.file.name, digest);
    expect((await upload.finalize(etags, bytes.length, { digest })).status).toBe(204);
  }
  const folder = await sender.create({ kind: 'directory', path: 'camera-a', name: 'empty folder' });
  expect(folder).toMatchObject({ status: 201, body: { create_blueprint: null, file: { kind: 'directory', state: 'finalized' } } });

  expect((await sender.finalize()).status).toBe(204);
  const total = [...contents.values()].reduce((sum, bytes) => sum + bytes.length, 0);
  const read = await t.call<Package>('GET', `/v1/packages/${sender.package.id}`, { headers: sender.token });
  expect(read.body).toMatchObject({ state: 'finalized', size: total, total_files: contents.size, usage_total_bytes: total });

  const [link] = await sender.links();
  expect(link).toMatchObject({ email: 'post@example.com', active: true, access_limit: 0, access_limit_enabled: false, password: '' });
  expect(link!.url).toBe(`${t.url}/d/${link!.id}?secret=${link!.download_secret}`);
  const info = await openLink(t, link!);
  expect(info).toMatchObject({
    status: 200,
    body: {
      id: link!.id,
      name: 'Dailies, day 12',
      package_id: sender.package.id,
      package_size: total,
      recipient_email: 'post@example.com',
      sender_email: 'owner@example.com',
      expiry: read.body.expiry,
    },
  });
  const recipient = { 'x-package-token': info.body.package_token };
  const { body: records } = await t.call<File[]>('GET', `/v1/packages/${sender.package.id}/files`, { headers: recipient });
  const files = records.slice(0, -2);
  expect(records.slice(-2).map(({ kind }) => kind)).toEqual(['zip_windows', 'zip_mac']);
  expect(files.map((file) => `${file.path}/${file.name}`)).toEqual([
    '/empty.bin',
    '/one.bin',
    'camera-a/empty folder',
    'camera-a/exact.mov',
    'camera-a/day 1/A001.mov',
    '日本語/ünï — e\u0301.txt',
  ]);
  for (const file of files) {
    if (file.kind === 'directory') continue;
    const bytes = contents.get(`${file.path}/${file.name}`)!;
    expect(file).toMatchObject({
      size: bytes.length,
      last_modified: sampleTime,
      chunk_size: 5 * MiB,
      chunk_checksum: 'blake3',
      state: 'finalized',
      digest: digests.get(file.name),
      virus_detected: false,
    });
    const { body: address } = await t.call<{ method: string; url: string }>(
      'GET',
      `/v1/packages/${sender.package.id}/files/${file.id}/download`,
      {
        headers: recipient,
      },
    );
    const answer = await fetch(address.url, { method: address.method });
    expect(answer.status).toBe(200);
    expect(Buffer.from(await answer.arrayBuffer()).equals(bytes)).toBe(true);
  }
});

it('takes a file whose size the sender learns only while reading it', async () => {
  const sender = await newSender(t, { chunk_size: 5 * MiB });
  const bytes = randomBytes(5 * MiB + 10);
  const upload = await sender.begin('', 'stream.bin');
  expect(upload.file.size).toBeUndefined();
  const etags = [await upload.put(0, bytes.subarray(0, 5 * MiB)), await upload.put(1, bytes.subarray(5 * MiB))];
  expect((await upload.finalize(etags, bytes.length)).status).toBe(204);
  const { body: files } = await t.call<File[]>('GET', `/v1/packages/${sender.package.id}/files`, { headers: sender.token });
  expect(files).toMatchObject([{ size: bytes.length, chunk_size: 5 * MiB, state: 'finalized' }]);
});

it('says the limits of chunks without a credential', async () => {
  expect(await t.call('GET', '/v1/system/packages/spec')).toMatchObject({
    status: 200,
    body: { max_chunk_count: 10_000, max_chunk_size: 5 * 1024 * MiB, min_chunk_size: 5 * MiB },
  });
});
