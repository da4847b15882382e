import { mkdirSync, readFileSync, renameSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Engine } from '#engine/engine.ts';
import { blake3Hex } from '#engine/io/digests.ts';
import { handoverAddress } from '#protocol/deep-link.ts';
import type { ChunkChecksum } from '#protocol/hosted/files.ts';
import type { HandoverFile } from '#protocol/hosted/handovers.ts';
import type { ReceiptEntry } from '#protocol/receipt.ts';
import { startTestEngine, transferWhen } from '#test/support/engine/start-engine.ts';
import { repeated, type StorageProxy, startStorageProxy } from '#test/support/faults/storage-proxy.ts';
import { linkedPackage } from '#test/support/service/download-link.ts';
import { parseMail } from '#test/support/service/mail-server.ts';
import { newPortal, portalSender } from '#test/support/service/portals.ts';
import { newSender, openLink, type Sender } from '#test/support/service/sender.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { startOpaqueBucket } from '#test/support/storage/opaque-etags.ts';
import { hasSwift, newSwiftBucket } from '#test/support/storage/swift.ts';
import { readTree, seededBytes } from '#test/support/system/file-tree.ts';
import { eventually } from '#test/support/system/processes.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

/** contract/agent.md §15: the page is played by plain HTTP calls. */

let service: TestService;
let proxy: StorageProxy;
let engine: Engine;
let own: Awaited<ReturnType<typeof tempFolder>>;
let folder: Awaited<ReturnType<typeof tempFolder>>;

const mebibyte = 1024 * 1024;
const chunkSize = 5 * mebibyte;
const clip = seededBytes(12 * mebibyte, 7);
const sound = Buffer.from('sound');

beforeAll(async () => {
  own = await tempFolder();
  proxy = await startStorageProxy();
  service = await startTestService({ storagePublicUrl: proxy.url });
  proxy.upstream = service.storageUrl;
  engine = await startTestEngine({ dataDir: join(own.path, 'agent'), serviceUrl: service.url });
});
afterAll(async () => {
  await engine?.close();
  await service?.close();
  await proxy?.close();
  await own?.remove();
});
beforeEach(async () => {
  folder = await tempFolder();
  return () => folder.remove();
});

function writeFiles(name = 'A001'): string {
  const root = join(folder.path, name);
  mkdirSync(join(root, 'audio'), { recursive: true });
  writeFileSync(join(root, 'clip.mov'), clip);
  writeFileSync(join(root, 'audio/T001.wav'), sound);
  for (const path of ['clip.mov', 'audio/T001.wav']) utimesSync(join(root, path), 1_700_000_000.123, 1_700_000_000.123);
  return root;
}

const modified = (path: string): string => new Date(Math.floor(statSync(path).mtimeMs)).toISOString();

interface Page {
  readonly sender: Sender;
  readonly link: string;
  /** Whether the storage had some bytes twice. */
  readonly repeated: () => unknown[];
}

/** A page that has sent the first chunk of the clip and nothing of the sound. */
async function begunPage(sender: Sender, root: string, more: readonly HandoverFile[] = [], at = { service, proxy }): Promise<Page> {
  const from = at.proxy.passages.length;
  const last_modified = modified(join(root, 'clip.mov'));
  const upload = await sender.begin('A001', 'clip.mov', { size: clip.length, last_modified, chunk_size: chunkSize });
  const first = clip.subarray(0, chunkSize);
  const etag = await upload.put(0, first);
  const files: HandoverFile[] = [
    {
      kind: 'file',
      path: 'A001',
      name: 'clip.mov',
      size: clip.length,
      last_modified,
      file_id: upload.file.id,
      upload_id: upload.uploadId,
      chunk_size: chunkSize,
      chunk_checksum: upload.file.chunk_checksum!,
      ...(upload.file.chunk_checksum === 'none' ? { chunks: [{ index: 0, etag, blake3: blake3Hex(first) }] } : {}),
    },
    {
      kind: 'file',
      path: 'A001/audio',
      name: 'T001.wav',
      size: sound.length,
      last_modified: modified(join(root, 'audio/T001.wav')),
    },
    ...more,
  ];
  return {
    sender,
    link: await handOver(sender.package.id, sender.token, [{ files }], at.service),
    repeated: () => repeated(at.proxy.passages.slice(from), 'PUT'),
  };
}

async function handOver(
  packageId: string,
  headers: Readonly<Record<string, string>>,
  parts: readonly object[],
  { url, call } = service,
): Promise<string> {
  const at = `/v1/packages/${packageId}/handovers`;
  const { body } = await call<{ id: string; code: string }>('POST', at, { headers });
  for (const [index, part] of parts.entries()) {
    expect((await call('PUT', `${at}/${body.id}/parts/${index}`, { headers, body: part })).status).toBe(204);
  }
  return handoverAddress(url, body.code);
}

const stateOf = async ({ sender }: Page): Promise<string> =>
  (await service.call<{ state: string }>('GET', `/v1/packages/${sender.package.id}`, { headers: sender.token })).body.state;

it('an upload through a Portal goes on with what the page had not sent, and is finalized', async () => {
  const root = writeFiles();
  const portal = await newPortal(service, { name: 'Rushes' });
  const page = await begunPage(await portalSender(service, portal.id, { name: 'Day 12' }), root);
  const signal = AbortSignal.timeout(20_000);
  expect(await engine.handovers.preview(page.link, signal)).toMatchObject({
    kind: 'upload',
    package_name: 'Day 12',
    portal_name: 'Rushes',
    files: 2,
    files_sent: 0,
    names: ['A001'],
  });
  const match = await engine.handovers.match({ link: page.link, paths: [root] }, { restricted: false, signal });
  expect(match).toEqual({ found: 2, changed: 0, missing: 0, sent: 0, others: [] });
  // What the browser was not given stays where it is.
  writeFileSync(join(root, 'private.txt'), 'private');
  const { id } = await engine.handovers.continue({ link: page.link, paths: [root] });
  expect(await transferWhen(engine, id)).toMatchObject({
    state: 'complete',
    files: 2,
    total_bytes: clip.length + sound.length,
    portal: { id: portal.id, name: 'Rushes' },
  });
  expect(page.repeated()).toEqual([]);
  expect(await stateOf(page)).toBe('finalized');
  const listed = await service.call<{ name: string }[]>('GET', `/v1/packages/${page.sender.package.id}/files`, {
    headers: page.sender.token,
  });
  expect(listed.body.map(({ name }) => name).filter((name) => !name.endsWith('.zip'))).toEqual(['clip.mov', 'T001.wav']);
  await expect(engine.handovers.continue({ link: page.link, paths: [root] })).rejects.toMatchObject({ error: 'state_conflict' });
});

it('the folder may have another name, or be the one above', async () => {
  const root = writeFiles();
  const page = await begunPage(await newSender(service), root);
  const match = (path: string) =>
    engine.handovers.match({ link: page.link, paths: [path] }, { restricted: false, signal: AbortSignal.timeout(20_000) });
  expect(await match(folder.path)).toMatchObject({ found: 2 });
  expect(await match(join(root, 'audio'))).toMatchObject({ found: 1, missing: 1 });
  expect(await match(join(root, 'clip.mov'))).toMatchObject({ found: 1, missing: 1 });
  renameSync(root, join(folder.path, 'copy'));
  expect(await match(join(folder.path, 'copy'))).toMatchObject({ found: 2 });
});

it('a file that has changed or is missing is told, and not sent; the others are', async () => {
  const root = writeFiles();
  const gone: HandoverFile = { kind: 'file', path: 'A001', name: 'gone.mov', size: 5, last_modified: '2026-11-20T18:04:11.000Z' };
  const page = await begunPage(await newSender(service), root, [gone]);
  writeFileSync(join(root, 'audio/T001.wav'), 'other');
  const match = await engine.handovers.match(
    { link: page.link, paths: [root] },
    { restricted: false, signal: AbortSignal.timeout(20_000) },
  );
  expect(match).toMatchObject({
    found: 1,
    changed: 1,
    missing: 1,
    others: [
      { path: 'A001/audio/T001.wav', state: 'changed' },
      { path: 'A001/gone.mov', state: 'missing' },
    ],
  });
  const { id } = await engine.handovers.continue({ link: page.link, paths: [root] });
  expect(await transferWhen(engine, id)).toMatchObject({ state: 'error', files: 1, total_files: 3 });
  expect(await stateOf(page)).toBe('new');
  expect(page.repeated()).toEqual([]);
  // The person finishes without them.
  await engine.transfers.finalize(id);
  expect(await transferWhen(engine, id, ({ state }) => state === 'complete')).toMatchObject({ files: 1 });
  expect(await stateOf(page)).toBe('finalized');
});

/** As a storage whose etags tell nothing of what is stored: the page notes digests then. */
function withoutDigests(): () => void {
  const storages = service.services.map(({ services }) => services.storage as { chunkChecksum: ChunkChecksum });
  const before = storages.map(({ chunkChecksum }) => chunkChecksum);
  for (const storage of storages) storage.chunkChecksum = 'none';
  return () => {
    for (const [index, storage] of storages.entries()) storage.chunkChecksum = before[index]!;
  };
}

it.each(['digests', 'no digests'])('what was missing goes on from its confirmed chunks when it is back: etags are %s', async (etags) => {
  const putBack = etags === 'digests' ? () => {} : withoutDigests();
  try {
    const root = writeFiles();
    const page = await begunPage(await newSender(service), root);
    const aside = join(folder.path, 'aside.mov');
    renameSync(join(root, 'clip.mov'), aside);
    const { id } = await engine.handovers.continue({ link: page.link, paths: [root] });
    expect(await transferWhen(engine, id)).toMatchObject({ state: 'error', files: 1 });
    // Once more without it changes nothing.
    await engine.transfers.retry(id);
    expect(await transferWhen(engine, id, ({ state }) => state === 'error')).toMatchObject({ files: 1 });
    expect(await engine.handovers.find(page.link)).toMatchObject({ id });
    renameSync(aside, join(root, 'clip.mov'));
    await engine.transfers.retry(id);
    expect(await transferWhen(engine, id, ({ state }) => state === 'complete' || state === 'error')).toMatchObject({
      state: 'complete',
      files: 2,
    });
    expect(page.repeated()).toEqual([]);
    expect(await stateOf(page)).toBe('finalized');
    expect(await engine.handovers.find(page.link)).toBeNull();
  } finally {
    putBack();
  }
});

it('what has changed begins anew when it is tried again, whatever was noted of it', async () => {
  const putBack = withoutDigests();
  try {
    const root = writeFiles();
    const page = await begunPage(await newSender(service), root);
    const path = join(root, 'clip.mov');
    renameSync(path, join(folder.path, 'aside.mov'));
    const { id } = await engine.handovers.continue({ link: page.link, paths: [root] });
    await transferWhen(engine, id);
    const other = seededBytes(clip.length, 8);
    writeFileSync(path, other);
    await engine.transfers.retry(id);
    await transferWhen(engine, id, ({ state }) => state === 'complete');
    const [link] = await page.sender.links();
    const { id: got } = await engine.transfers.download({ url: link!.url, dst_folder: join(folder.path, 'incoming') });
    expect(await transferWhen(engine, got)).toMatchObject({ state: 'complete' });
    expect(readFileSync(join(folder.path, 'incoming/A001/clip.mov')).equals(other)).toBe(true);
  } finally {
    putBack();
  }
});

describe.skipIf(!hasSwift())('over a bucket whose etags are no digests', () => {
  it('what its page has sent is not sent again, and all arrives', async () => {
    const bucket = await startOpaqueBucket(await newSwiftBucket());
    const before = await startStorageProxy();
    before.upstream = bucket.endpoint;
    const over = await startTestService({ storageUrl: `${bucket.storageUrl}&public_url=${encodeURIComponent(before.url)}` });
    try {
      const root = writeFiles();
      const sender = await newSender(over, { recipients: ['dit@harbour.example'], chunk_size: chunkSize });
      const page = await begunPage(sender, root, [], { service: over, proxy: before });
      const { id } = await engine.handovers.continue({ link: page.link, paths: [root] });
      expect(await transferWhen(engine, id)).toMatchObject({ state: 'complete', error: null, files: 2 });
      expect(page.repeated()).toEqual([]);
      // Each chunk of the clip once, and the sound.
      expect(before.passages.filter(({ method }) => method === 'PUT')).toHaveLength(4);
      const [link] = await sender.links();
      const { id: got } = await engine.transfers.download({ url: link!.url, dst_folder: join(folder.path, 'incoming') });
      expect(await transferWhen(engine, got)).toMatchObject({ state: 'complete', error: null });
      expect(readFileSync(join(folder.path, 'incoming/A001/clip.mov')).equals(clip)).toBe(true);
    } finally {
      await over.close();
      await before.close();
      await bucket.close();
    }
  });
});

it('receipt and mails are those of a package that one page has sent alone', async () => {
  const root = writeFiles();
  const portal = await newPortal(service, { recipients: ['dit@harbour.example'], cc_recipients: ['lab@harbour.example'] });
  const alone = await portalSender(service, portal.id);
  await sendAll(alone, root);
  const page = await begunPage(await portalSender(service, portal.id), root);
  const { id } = await engine.handovers.continue({ link: page.link, paths: [root] });
  expect(await transferWhen(engine, id)).toMatchObject({ state: 'complete' });
  const expected = await receiptOf(alone);
  expect(expected.map(({ path }) => path)).toEqual(['A001/audio/T001.wav', 'A001/clip.mov']);
  expect(await receiptOf(page.sender)).toEqual(expected);
  const mails = await mailsOf(alone);
  expect(mails.length).toBeGreaterThanOrEqual(3);
  expect(await mailsOf(page.sender)).toEqual(mails);
});

async function sendAll(sender: Sender, root: string): Promise<void> {
  for (const [path, name, bytes, chunks] of [
    ['A001', 'clip.mov', clip, { chunk_size: chunkSize }],
    ['A001/audio', 'T001.wav', sound, {}],
  ] as const) {
    const last_modified = modified(join(root, path.slice('A001'.length), name));
    const upload = await sender.begin(path, name, { size: bytes.length, last_modified, ...chunks });
    const etags: string[] = [];
    for (let at = 0; at < bytes.length; at += chunkSize) etags.push(await upload.put(etags.length, bytes.subarray(at, at + chunkSize)));
    expect((await upload.finalize(etags, bytes.length)).status).toBe(204);
  }
  expect((await sender.finalize()).status).toBeLessThan(300);
}

async function receiptOf({ package: { id }, token }: Sender): Promise<ReceiptEntry[]> {
  const text = await (await fetch(`${service.url}/v1/packages/${id}/receipt`, { headers: token })).text();
  const entries = text.trim().split('\n').slice(1);
  return entries.map((line) => JSON.parse(line) as ReceiptEntry).sort((a, b) => a.path.localeCompare(b.path));
}

async function mailsOf({ package: { id } }: Sender) {
  const { db } = service.service.services;
  const rows = () =>
    db.selectFrom('messages').select(['id', 'kind', 'recipient', 'state']).where('package_id', '=', id).orderBy('recipient').execute();
  await eventually('its mails are sent', async () => {
    const sent = await rows();
    return sent.length > 0 && sent.every(({ state }) => state === 'sent');
  });
  return (await rows()).map(({ id: messageId, kind, recipient }) => {
    const { text } = parseMail(readFileSync(join(service.dataDir, 'outbox', `${messageId}.eml`), 'utf8'));
    // The two were made in different minutes perhaps.
    const timeless = text.replaceAll(/\d+ \w+ \d{4} at \d\d:\d\d UTC/g, '(time)');
    return { kind, recipient, text: timeless.replaceAll(/https?:\/\/\S+/g, '(address)').replaceAll(id, '(package)') };
  });
}

it('what a list names outside of the chosen folder is never read', async () => {
  const root = writeFiles();
  const secret = join(folder.path, 'secret.txt');
  writeFileSync(secret, 'secret');
  symlinkSync(secret, join(root, 'link.txt'));
  mkdirSync(join(folder.path, 'other'));
  writeFileSync(join(folder.path, 'other/inside.txt'), 'secret');
  symlinkSync(join(folder.path, 'other'), join(root, 'way'));
  const names = [
    ['..', 'secret.txt'],
    ['A001/..', 'secret.txt'],
    ['A001', 'link.txt'],
    ['A001/way', 'inside.txt'],
  ] as const;
  const hostile = names.map(([path, name]): HandoverFile => ({ kind: 'file', path, name, size: 6, last_modified: modified(secret) }));
  utimesSync(join(folder.path, 'other/inside.txt'), statSync(secret).atime, statSync(secret).mtime);
  const page = await begunPage(await newSender(service), root, hostile);
  const match = await engine.handovers.match(
    { link: page.link, paths: [root] },
    { restricted: false, signal: AbortSignal.timeout(20_000) },
  );
  expect(match).toMatchObject({ found: 2, changed: 0, missing: 4 });
});

it('where nothing is as it was, nothing is taken', async () => {
  const root = writeFiles();
  const page = await begunPage(await newSender(service), root);
  const empty = join(folder.path, 'empty');
  mkdirSync(empty);
  await expect(engine.handovers.continue({ link: page.link, paths: [empty] })).rejects.toMatchObject({ error: 'nothing_to_send' });
  const { id } = await engine.handovers.continue({ link: page.link, paths: [root] });
  expect(await transferWhen(engine, id)).toMatchObject({ state: 'complete', links: [{ email: '' }] });
});

it('a download goes on with the chosen files', async () => {
  const linked = await linkedPackage(service, { 'day/a.txt': 'a', 'day/b.txt': 'b' });
  const { body: info } = await openLink(service, linked.link);
  const chosen = linked.files.get('day/b.txt')!.id;
  const link = await handOver(info.package_id, { 'x-package-token': info.package_token }, [{ file_ids: [chosen] }]);
  expect(await engine.handovers.preview(link, AbortSignal.timeout(20_000))).toMatchObject({ kind: 'download', files: 1 });
  const into = join(folder.path, 'incoming');
  const { id } = await engine.handovers.continue({ link, dst_folder: into });
  expect(await transferWhen(engine, id)).toMatchObject({ state: 'complete', files: 1 });
  expect(Object.keys(readTree(into))).toEqual(['day/b.txt']);
});

it('links of other kinds are refused', async () => {
  for (const link of ['https://example.com', 'longshore://download?url=x', 'longshore://continue?service=https%3A%2F%2Fx.example&code=a']) {
    await expect(engine.handovers.preview(link, AbortSignal.timeout(20_000))).rejects.toMatchObject({ error: 'invalid_request' });
  }
});
