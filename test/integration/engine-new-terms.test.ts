import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Engine } from '#engine/engine.ts';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import { startTestEngine, transferWhen } from '#test/support/engine/start-engine.ts';
import { newPortal } from '#test/support/service/portals.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { readTree, seededBytes, writeTree } from '#test/support/system/file-tree.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

/** What a person gives a transfer that cannot go on as it was asked for: another folder, a password, an access code. */

let service: TestService;
let engine: Engine;
let own: Awaited<ReturnType<typeof tempFolder>>;
let folder: Awaited<ReturnType<typeof tempFolder>>;
let source: string;

beforeAll(async () => {
  own = await tempFolder();
  service = await startTestService();
  engine = await startTestEngine({ dataDir: join(own.path, 'agent'), serviceUrl: service.url, apiKey: service.apiKey });
  source = join(own.path, 'day');
  writeTree(source, { 'a.txt': 'small', 'sub/large.bin': seededBytes(6 * 1024 * 1024, 1), 'sub/empty.bin': '' });
});
afterAll(async () => {
  await engine?.close();
  await service?.close();
  await own?.remove();
});
beforeEach(async () => {
  folder = await tempFolder();
});
afterEach(() => folder.remove());

async function send(
  more: { readonly password?: string; readonly chunk_size?: number; readonly paths?: string[] } = {},
): Promise<AgentTransfer> {
  const { id } = await engine.transfers.upload({
    team_id: service.teamId,
    paths: [source],
    package_name: 'Day',
    recipients: [],
    ...more,
  });
  return transferWhen(engine, id);
}

test('a download that runs begins anew in another folder, and leaves nothing half there', async () => {
  const { url } = await send();
  const [first, second] = [join(folder.path, 'first'), join(folder.path, 'second')];
  await engine.transfers.pauseAll();
  const { id } = await engine.transfers.download({ url, dst_folder: first });
  await engine.transfers.change(id, { rate_limit_bps: 1_000_000 });
  await engine.transfers.resumeAll();
  await transferWhen(engine, id, ({ bytes }) => bytes > 100_000);
  const moved = await engine.transfers.change(id, { dst_folder: second, rate_limit_bps: 0 });
  expect(moved).toMatchObject({ dst_folder: second, bytes: 0, error: null });
  expect(await transferWhen(engine, id)).toMatchObject({ state: 'complete', dst_folder: second, files: 3, error: null });
  expect(readTree(join(second, 'day'))).toEqual(readTree(source));
  const left = [...Object.keys(readTree(first))];
  for (const name of left) expect(['day/a.txt', 'day/sub/empty.bin', 'a.txt', 'sub/empty.bin', 'day', 'day/sub']).toContain(name);
});

test('a download that was cancelled and is tried again shows nothing of what was thrown away', async () => {
  const MiB = 1024 * 1024;
  const reel = join(folder.path, 'reel.mov');
  writeFileSync(reel, seededBytes(11 * MiB, 2));
  const { url } = await send({ paths: [reel], chunk_size: 5 * MiB });
  // One that is there stays, and with it what was planned.
  const into = join(folder.path, 'there');
  mkdirSync(into);
  writeFileSync(join(into, 'own.txt'), 'own');
  await engine.transfers.pauseAll();
  const { id } = await engine.transfers.download({ url, dst_folder: into });
  await engine.transfers.change(id, { rate_limit_bps: 4_000_000 });
  await engine.transfers.resumeAll();
  await transferWhen(engine, id, ({ bytes }) => bytes > 5.3 * MiB);
  await engine.transfers.remove(id);
  expect(await transferWhen(engine, id, ({ state }) => state === 'cancelled')).toMatchObject({ error: null });
  await engine.transfers.retry(id);
  expect((await engine.transfers.get(id)).bytes).toBeLessThan(4 * MiB);
  await engine.transfers.change(id, { rate_limit_bps: 0 });
  expect(await transferWhen(engine, id)).toMatchObject({ state: 'complete', files: 1 });
  expect(readFileSync(join(into, 'reel.mov')).equals(readFileSync(reel))).toBe(true);
});

test('what is over, a folder that cannot be, and an upload have no use for another folder', async () => {
  const sent = await send();
  await expect(engine.transfers.change(sent.id, { dst_folder: folder.path })).rejects.toMatchObject({ error: 'transfer_conflict' });
  await engine.transfers.pauseAll();
  const { id } = await engine.transfers.download({ url: sent.url, dst_folder: join(folder.path, 'in') });
  await expect(engine.transfers.change(id, { dst_folder: 'not/whole' })).rejects.toMatchObject({ error: 'path_not_absolute' });
  await expect(engine.transfers.change(id, { dst_folder: join(source, 'a.txt') })).rejects.toMatchObject({ error: 'path_unreadable' });
  await expect(engine.transfers.change(id, { access_code: 'x' })).rejects.toMatchObject({ error: 'transfer_conflict' });
  const out = join(folder.path, 'out');
  expect(await engine.transfers.change(id, { dst_folder: out })).toMatchObject({ state: 'paused', dst_folder: out });
  await engine.transfers.resumeAll();
  expect(await transferWhen(engine, id)).toMatchObject({ state: 'complete' });
  expect(readTree(join(out, 'day'))).toEqual(readTree(source));
  const late = await engine.transfers.portalUpload({
    portal_id: (await newPortal(service)).id,
    paths: [source],
    package_name: 'Late',
    package_description: '',
    sender: 'mia@example.com',
  });
  await expect(engine.transfers.change(late.id, { dst_folder: out })).rejects.toMatchObject({ error: 'transfer_conflict' });
  await expect(engine.transfers.change(late.id, { password: 'x' })).rejects.toMatchObject({ error: 'transfer_conflict' });
  await transferWhen(engine, late.id);
});

test('a download that failed for its folder is tried again in another one', async () => {
  const { url } = await send();
  const [first, second] = [join(folder.path, 'first'), join(folder.path, 'second')];
  await engine.transfers.pauseAll();
  const { id } = await engine.transfers.download({ url, dst_folder: first });
  rmSync(first, { recursive: true });
  writeFileSync(first, 'a file now');
  await engine.transfers.resumeAll();
  expect(await transferWhen(engine, id)).toMatchObject({ state: 'error', error: { needs_person: true } });
  expect(await engine.transfers.change(id, { dst_folder: second })).toMatchObject({ state: 'error', dst_folder: second });
  await engine.transfers.retry(id);
  expect(await transferWhen(engine, id)).toMatchObject({ state: 'complete', files: 3, error: null });
  expect(readTree(join(second, 'day'))).toEqual(readTree(source));
});

test('a caller who is held to the allowed folders chooses none outside, and the download is held to them then', async () => {
  const { url } = await send();
  const [inside, outside] = [join(folder.path, 'inside'), join(own.path, 'outside')];
  await engine.transfers.pauseAll();
  const { id } = await engine.transfers.download({ url, dst_folder: join(folder.path, 'first') });
  await engine.settings.update({ allowed_roots: [folder.path] });
  await expect(engine.transfers.change(id, { dst_folder: outside }, { restricted: true })).rejects.toMatchObject({ error: 'path_outside' });
  expect(await engine.transfers.change(id, { dst_folder: inside }, { restricted: true })).toMatchObject({ dst_folder: inside });
  await engine.transfers.resumeAll();
  expect(await transferWhen(engine, id)).toMatchObject({ state: 'complete' });
  await engine.settings.update({ allowed_roots: [] });
});

test('the password of a link is tried at once, and a wrong one changes nothing', async () => {
  const { url } = await send({ password: 'open sesame!' });
  await engine.transfers.pauseAll();
  const { id } = await engine.transfers.download({ url, dst_folder: folder.path, password: 'open sesame!' });
  await expect(engine.transfers.change(id, { password: 'wrong' })).rejects.toMatchObject({ error: 'link_password_wrong' });
  await engine.transfers.change(id, { password: 'open sesame!' });
  await engine.transfers.resumeAll();
  expect(await transferWhen(engine, id)).toMatchObject({ state: 'complete' });
});

test('an upload goes on with the new access code of its Portal', async () => {
  const portal = await newPortal(service, { has_access_code: true, access_code: 'first code' });
  await engine.transfers.pauseAll();
  const { id } = await engine.transfers.portalUpload({
    portal_id: portal.id,
    access_code: 'first code',
    paths: [source],
    package_name: 'Day',
    package_description: '',
    sender: 'mia@example.com',
  });
  const changed = await service.call('PUT', `/v1/portals/${portal.id}`, {
    headers: { 'x-api-key': service.apiKey },
    body: { ...portal, has_access_code: true, access_code: 'second code' },
  });
  expect(changed.status).toBe(200);
  await engine.transfers.resumeAll();
  const failed = await transferWhen(engine, id);
  expect(failed).toMatchObject({ state: 'error', error: { cause: 'access_code_wrong', remedy: 'new_access_code', needs_person: true } });
  expect((await engine.transfers.list('all', { page: 1, limit: 9, needs_person: true })).records.map((one) => one.id)).toEqual([id]);
  await engine.transfers.change(id, { access_code: 'second code' });
  await engine.transfers.retry(id);
  expect(await transferWhen(engine, id)).toMatchObject({ state: 'complete' });
  expect((await engine.transfers.summary({})).needs_person).toBe(0);
});
