import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Engine } from '#engine/engine.ts';
import type { Download } from '#protocol/hosted/downloads.ts';
import { startTestEngine, transferWhen } from '#test/support/engine/start-engine.ts';
import { linkCode } from '#test/support/service/link-codes.ts';
import { managing } from '#test/support/service/packages.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { readTree, writeTree } from '#test/support/system/file-tree.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

/** Links that ask their recipient for a mailed code: sent and downloaded by an agent. */

let service: TestService;
let engine: Engine;
let own: Awaited<ReturnType<typeof tempFolder>>;
let source: string;
let offset = 0;

beforeAll(async () => {
  own = await tempFolder();
  service = await startTestService({ now: () => new Date(Date.now() + offset) });
  engine = await startTestEngine({ dataDir: join(own.path, 'agent'), serviceUrl: service.url, apiKey: service.apiKey });
  source = join(own.path, 'day');
  writeTree(source, { 'a.txt': 'small' });
});
afterAll(async () => {
  await engine?.close();
  await service?.close();
  await own?.remove();
});
beforeEach(() => {
  offset += 13 * 3_600_000;
});

/** Sends to one recipient, who is asked for a code; gives the package and the link's address. */
async function send(password?: string): Promise<{ readonly packageId: string; readonly url: string; code(): Promise<string> }> {
  const { id } = await engine.transfers.upload({
    team_id: service.teamId,
    paths: [source],
    package_name: 'Day',
    recipients: ['mia@example.com'],
    verify_recipient: true,
    ...(password === undefined ? {} : { password }),
  });
  const { package_id: packageId, links } = await transferWhen(engine, id);
  return {
    packageId,
    url: links[0]!.url,
    code: () => linkCode(service, new URL(links[0]!.url).pathname.split('/').at(-1)!),
  };
}

test('a code opens the preview, and its proof the download', async () => {
  const sent = await send();
  await expect(engine.transfers.previewLink({ url: sent.url })).rejects.toMatchObject({ error: 'link_code_required' });
  expect(await engine.transfers.mailLinkCode({ url: sent.url })).toMatchObject({ recipient: 'm…@example.com' });
  await expect(engine.transfers.previewLink({ url: sent.url, code: '1' })).rejects.toMatchObject({ error: 'link_code_wrong' });
  const { proof = '' } = await engine.transfers.previewLink({ url: sent.url, code: await sent.code() });
  const folder = join(own.path, 'first');
  const { id } = await engine.transfers.download({ url: sent.url, dst_folder: folder, code: proof });
  expect(await transferWhen(engine, id)).toMatchObject({ state: 'complete', error: null });
  expect(readTree(join(folder, 'day'))).toEqual(readTree(source));
  const headers = await managing(service, sent.packageId);
  const { body } = await service.call<{ records: Download[] }>('GET', `/v1/packages/${sent.packageId}/downloads`, { headers });
  expect(body.records).toMatchObject([{ email: 'mia@example.com', verified: true }]);
});

test('a download that lost its token waits for another code when the proof is over, and goes on with it', async () => {
  const sent = await send('open sesame!');
  const link = { url: sent.url, password: 'open sesame!' };
  await engine.transfers.mailLinkCode(link);
  await engine.transfers.pauseAll();
  const { id } = await engine.transfers.download({ ...link, dst_folder: join(own.path, 'second'), code: await sent.code() });
  // Tokens of a link last for 7 days, a proof for 12 hours.
  offset += 8 * 24 * 3_600_000;
  await engine.transfers.resumeAll();
  expect(await transferWhen(engine, id)).toMatchObject({
    state: 'error',
    error: { cause: 'link_code_required', remedy: 'new_code', needs_person: true },
  });
  expect(await engine.transfers.mailDownloadCode(id)).toMatchObject({ recipient: 'm…@example.com' });
  await expect(engine.transfers.change(id, { code: '12345678' })).rejects.toMatchObject({ error: 'link_code_wrong' });
  await engine.transfers.change(id, { code: await sent.code() });
  await engine.transfers.retry(id);
  expect(await transferWhen(engine, id)).toMatchObject({ state: 'complete', error: null });
});

test('the sender sees which links ask, and makes one that does not', async () => {
  await send();
  const { records } = await engine.transfers.list('upload', { page: 1, limit: 1, sort: '-created_at' });
  const { id } = records[0]!;
  expect(await engine.sentPackages.get(id)).toMatchObject({ verify_recipient: true, links: [{ verify_recipient: true }] });
  const { links } = await engine.sentPackages.addLink(id, { email: 'jo@example.com', verify_recipient: false });
  expect(links.find(({ email }) => email === 'jo@example.com')).toMatchObject({ verify_recipient: false });
});
