import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { blueprintIn, uploadIdsIn } from '#client/batch-records.ts';
import type { BatchRecorded } from '#protocol/hosted/file-batches.ts';
import type { File } from '#protocol/hosted/files.ts';
import type { Portal } from '#protocol/hosted/portals.ts';
import type { BatchBlueprint } from '#protocol/schema.ts';
import { batchPutAddress, batchPutHead } from '#protocol/storage/batch-put.ts';
import { newPortal, portalSender } from '#test/support/service/portals.ts';
import { etagFor, newSender, openLink, type Sender, sampleTime } from '#test/support/service/sender.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';

/** Small files whose rows are written once, when the storage has their bytes (contract/files-and-blueprints.md §7). */

let t: TestService;
beforeAll(async () => {
  t = await startTestService({ processes: 1 });
});
afterAll(() => t?.close());

const at = (sender: Sender, call: string): string => `/v1/packages/${sender.package.id}/files/batch/${call}`;

const blueprints = (sender: Sender, count = 1) =>
  t.call<{ batches: BatchBlueprint[] }>('POST', at(sender, 'blueprints'), { headers: sender.token, body: { count } });

const record = (sender: Sender, files: readonly Record<string, unknown>[]) =>
  t.call<{ files: BatchRecorded[]; message?: string }>('POST', at(sender, 'record'), {
    headers: sender.token,
    body: { files: files.map((file) => ({ kind: 'file', path: '', last_modified: sampleTime, ...file })) },
  });

/** Sends contents in one request; what is to be recorded of each. */
async function put(sender: Sender, contents: readonly Buffer[]) {
  const [batch] = (await blueprints(sender)).body.batches;
  const ids = uploadIdsIn(batch!, contents.length, randomBytes(16).toString('hex'));
  const parts = contents.map((bytes, index) => ({ blueprint: blueprintIn(batch!, ids[index]!), length: bytes.length }));
  const answer = await fetch(batchPutAddress(t.service.services.storage.batchPutUrl!, parts), {
    method: 'POST',
    body: Buffer.concat([Buffer.from(batchPutHead(parts)), ...contents]),
  });
  const { parts: sent } = (await answer.json()) as { parts: { etag?: string }[] };
  expect(sent.map(({ etag }) => etag)).toEqual(contents.map(etagFor));
  return contents.map((bytes, index) => ({ name: `${index}.bin`, size: bytes.length, upload_id: ids[index], etag: etagFor(bytes) }));
}

const contents: readonly Buffer[] = [randomBytes(300), Buffer.alloc(0), randomBytes(5_000)];
const codes = (files: readonly BatchRecorded[]) => files.map(({ file_id, error }) => error?.code ?? (file_id ? 'recorded' : 'nothing'));
const noSuchUpload = 327_686;

const rowsOf = async (sender: Sender) => {
  const { rows } = await sql<{ id: string; name: string; version: string }>`
    select id::text, name, xmin::text as version from files where package_id = ${sender.package.id} and kind = 'file' order by name`.execute(
    t.service.services.db,
  );
  return rows;
};

const listed = async (sender: Sender): Promise<File[]> =>
  (await t.call<File[]>('GET', `/v1/packages/${sender.package.id}/files`, { headers: sender.token })).body;

it('are as those that were created, sent and finalized, and nothing writes their rows again', async () => {
  const sender = await newSender(t, { recipients: ['a@x.org'] });
  const sent = await put(sender, contents);
  const folder = { kind: 'directory', name: 'empty' };
  const { status, body } = await record(sender, [...sent, folder]);
  expect([status, codes(body.files)]).toEqual([200, ['recorded', 'recorded', 'recorded', 'recorded']]);
  const rows = await rowsOf(sender);
  expect((await record(sender, [...sent, folder])).body).toEqual(body);

  const byCalls = await newSender(t);
  for (const [index, bytes] of contents.entries()) await byCalls.send('', `${index}.bin`, bytes);
  const like = ({ id: _, ...file }: File) => file;
  expect((await listed(sender)).slice(0, 3).map(like)).toEqual((await listed(byCalls)).map(like));

  expect((await sender.finalize()).status).toBe(204);
  // An answer that was lost is asked for again, however late.
  expect((await record(sender, sent)).body.files).toEqual(body.files.slice(0, 3));
  expect(await rowsOf(sender)).toEqual(rows);

  const [link] = await sender.links();
  const { body: info } = await openLink(t, link!);
  for (const [index, bytes] of contents.entries()) {
    const path = `/v1/packages/${sender.package.id}/files/${body.files[index]!.file_id}/download`;
    const { body: address } = await t.call<{ url: string }>('GET', path, { headers: { 'x-package-token': info.package_token } });
    expect(Buffer.from(await (await fetch(address.url)).arrayBuffer()).equals(bytes)).toBe(true);
  }
});

it('are refused one by one where the storage does not have them, or has other bytes', async () => {
  const sender = await newSender(t);
  const [one, , two] = await put(sender, contents);
  const other = await newSender(t);
  const [foreign] = await put(other, contents);
  const { body } = await record(sender, [
    one!,
    { ...two!, name: 'never sent', upload_id: `${two!.upload_id!.slice(0, -4)}ffff` },
    { ...two!, name: 'other bytes', etag: etagFor(randomBytes(5_000)) },
    { ...two!, name: 'other size', size: 4_999 },
    { ...foreign!, name: 'of another package' },
    { ...one!, name: 'no id', upload_id: 'nothing' },
  ]);
  expect(codes(body.files)).toEqual(['recorded', ...Array.from({ length: 5 }, () => noSuchUpload)]);
  expect((await rowsOf(sender)).map(({ name }) => name)).toEqual(['0.bin']);
});

it('are refused one by one where their names are wrong or taken, or a field is missing', async () => {
  const sender = await newSender(t);
  const [one, empty, two] = await put(sender, contents);
  await sender.send('', 'taken', randomBytes(9));
  const unfinished = await sender.begin('', 'unfinished', { size: 10 });
  const without = (field: 'size' | 'upload_id' | 'etag') => ({ ...one!, name: field, [field]: undefined });
  const { body } = await record(sender, [
    { ...one!, name: 'a/b' },
    { ...one!, name: 'taken' },
    { ...one!, name: 'unfinished' },
    { ...two!, name: 'unfinished' },
    ...(['size', 'upload_id', 'etag'] as const).map(without),
    empty!,
  ]);
  const messages = body.files.map(({ error }) => error?.message ?? 'recorded');
  expect(messages).toEqual([
    expect.stringContaining('name'),
    expect.stringContaining('taken'),
    'recorded',
    expect.stringContaining('files[2]'),
    expect.stringContaining('size'),
    expect.stringContaining('upload_id'),
    expect.stringContaining('etag'),
    'recorded',
  ]);
  const file = (await listed(sender)).find(({ name }) => name === 'unfinished');
  expect(file).toMatchObject({ state: 'finalized', size: one!.size });
  expect(file!.id).not.toBe(unfinished.file.id);
  expect((await unfinished.finalize([etagFor(randomBytes(10))], 10)).status).toBe(404);
});

it('are sent again where their segment was freed meanwhile', async () => {
  const { db } = t.service.services;
  const sender = await newSender(t);
  const sent = await put(sender, contents);
  const first = await record(sender, [sent[0]!]);
  expect(codes(first.body.files)).toEqual(['recorded']);
  const path = `/v1/packages/${sender.package.id}/files/${first.body.files[0]!.file_id}`;
  expect((await t.call('DELETE', path, { headers: sender.token })).status).toBe(204);
  const segment = await segmentOf(sender);
  await db.updateTable('segments').set({ freed_at: new Date() }).where('id', '=', segment).execute();
  expect(codes((await record(sender, [sent[2]!])).body.files)).toEqual([noSuchUpload]);
  expect(await rowsOf(sender)).toEqual([]);
});

/** The only segment that a package's files were in. */
async function segmentOf(sender: Sender): Promise<string> {
  const { rows } = await sql<{ id: string }>`select id from segments where ${sender.package.id}::uuid = any(package_ids)`.execute(
    t.service.services.db,
  );
  expect(rows).toHaveLength(1);
  return rows[0]!.id;
}

it('are created first in a package of a Portal, and in none that is closed', async () => {
  const portal: Portal = await newPortal(t);
  const stranger = await portalSender(t, portal.id);
  expect((await blueprints(stranger, 3)).body).toEqual({ batches: [] });
  // Whoever looks at the package anew finds no Portal any more.
  expect((await t.call('DELETE', `/v1/portals/${portal.id}`, { headers: { 'x-api-key': t.apiKey } })).status).toBe(204);
  t.service.services.caches.packages.delete(stranger.package.id);
  expect((await blueprints(stranger, 3)).body).toEqual({ batches: [] });
  const sender = await newSender(t);
  const sent = await put(sender, contents);
  await sender.send('', 'only', randomBytes(9));
  expect((await sender.finalize()).status).toBe(204);
  const late = await record(sender, sent);
  expect([late.status, late.body.message]).toEqual([409, expect.stringContaining('finalized')]);
});
