import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Engine } from '#engine/engine.ts';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import { startTestEngine, transferWhen } from '#test/support/engine/start-engine.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

/** What the sender of an upload sees and does of its package at a real service (contract/agent.md §14). */

let folder: Awaited<ReturnType<typeof tempFolder>>;
let service: TestService;
let engine: Engine;
let sent: AgentTransfer;

beforeAll(async () => {
  folder = await tempFolder();
  service = await startTestService();
  engine = await startTestEngine({ dataDir: join(folder.path, 'agent'), serviceUrl: service.url, apiKey: service.apiKey });
  const file = join(folder.path, 'A001.mov');
  await writeFile(file, 'some bytes');
  const asked = { team_id: service.teamId, paths: [file], package_name: 'Day 1', recipients: ['post@studio.example'] };
  const begun = await engine.transfers.upload(asked);
  expect(begun.recipients).toEqual(['post@studio.example']);
  sent = await transferWhen(engine, begun.id, ({ state }) => state === 'complete');
});
afterAll(async () => {
  await engine?.close();
  await service?.close();
  await folder?.remove();
});

const status = async (url: string): Promise<number> => {
  const { pathname, searchParams } = new URL(url);
  const { status: answered } = await service.call('GET', `/v1/links/${pathname.split('/').at(-1)}?secret=${searchParams.get('secret')}`);
  return answered;
};

it('is told with its expiry and its links', async () => {
  const found = await engine.sentPackages.get(sent.id);
  expect(found).toMatchObject({ id: sent.package_id, name: 'Day 1', state: 'finalized', total_files: 1, has_password: false });
  expect(found.links).toMatchObject([{ email: 'post@studio.example', active: true, access_limit: 0, has_password: false }]);
});

it('stands as long as its sender says', async () => {
  const expiry = new Date(Date.now() + 30 * 86_400_000).toISOString();
  expect(await engine.sentPackages.setExpiry(sent.id, { expiry })).toMatchObject({ expiry, unlimited_storage: false });
  expect(await engine.sentPackages.setExpiry(sent.id, { unlimited_storage: true })).toMatchObject({ unlimited_storage: true });
});

it('goes to one more recipient, and the transfer says to whom', async () => {
  const { links } = await engine.sentPackages.addLink(sent.id, {
    email: 'colour@studio.example',
    password: 'tell no one',
    access_limit: 2,
    mail: true,
  });
  const added = links.find(({ email }) => email === 'colour@studio.example')!;
  expect(added).toMatchObject({ active: true, has_password: true, access_limit: 2 });
  expect((await engine.transfers.get(sent.id)).recipients!.toSorted()).toEqual(['colour@studio.example', 'post@studio.example']);
  await engine.sentPackages.endLink(sent.id, added.id);
  expect(await status(added.url)).toBe(410);
  const after = await engine.transfers.get(sent.id);
  expect(after.recipients).toEqual(['post@studio.example']);
  expect(after.links).toHaveLength(1);
  expect((await engine.sentPackages.get(sent.id)).links.map(({ active }) => active)).toEqual([true, false]);
});

it('says who began to download it, and mails a link once more', async () => {
  const before = await engine.sentPackages.get(sent.id);
  expect([before.downloads, before.can_mail]).toEqual([[], true]);
  const [link] = before.links;
  const there = await engine.transfers.download({ url: link!.url, dst_folder: join(folder.path, 'in') });
  await transferWhen(engine, there.id, ({ state }) => state === 'complete');
  const after = await engine.sentPackages.get(sent.id);
  expect(after.downloads).toMatchObject([{ email: 'post@studio.example', what: { whole: false, more: false } }]);
  expect(after.links[0]).toMatchObject({ downloads: 1, last_download_at: after.downloads![0]!.at });
  // It was mailed when the package was finalized, less than a minute ago.
  await expect(engine.sentPackages.mailLink(sent.id, link!.id)).rejects.toMatchObject({ error: 'rate_limited' });
});

it('is deleted at the service, and its links end', async () => {
  const [link] = (await engine.sentPackages.get(sent.id)).links;
  await engine.sentPackages.remove(sent.id);
  expect(await status(link!.url)).toBe(410);
  expect((await engine.transfers.get(sent.id)).links).toEqual([]);
  await expect(engine.sentPackages.setExpiry(sent.id, { unlimited_storage: true })).rejects.toMatchObject({ error: 'package_expired' });
});

it('is refused where there is none', async () => {
  const waiting = await engine.transfers.upload({
    team_id: service.teamId,
    paths: [join(folder.path, 'A001.mov')],
    package_name: 'Open',
    recipients: [],
    auto_finalize: false,
  });
  await expect(engine.sentPackages.get(waiting.id)).rejects.toMatchObject({ error: 'transfer_conflict' });
});
