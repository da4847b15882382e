import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Engine } from '#engine/engine.ts';
import type { Package } from '#protocol/hosted/packages.ts';
import { startTestEngine, transferWhen } from '#test/support/engine/start-engine.ts';
import { askForm, formField, freeSubdomain, newPortal } from '#test/support/service/portals.ts';
import { ownerEmail, ownerPassword, startTestService, type TestService } from '#test/support/service/start-service.ts';
import { readTree, writeTree } from '#test/support/system/file-tree.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

/** An agent whose own service is not there: all it does goes to another one, by sessions and by addresses. */
const absent = 'http://127.0.0.1:9';

let service: TestService;
let folder: Awaited<ReturnType<typeof tempFolder>>;
let engine: Engine;
let source: string;

beforeAll(async () => {
  folder = await tempFolder();
  service = await startTestService();
  source = join(folder.path, 'A001');
  writeTree(source, { 'clip.mov': 'picture', 'sound/take.wav': 'sound', 'sound/notes.txt': 'notes' });
  engine = await startTestEngine({ dataDir: join(folder.path, 'agent'), serviceUrl: absent });
});
afterAll(async () => {
  await engine?.close();
  await service?.close();
  await folder?.remove();
});

test('a session with another service sends to its Team, until the day that was asked for', async () => {
  await expect(
    engine.transfers.upload({ team_id: service.teamId, paths: [source], package_name: 'Day 12', recipients: [] }),
  ).rejects.toMatchObject({ error: 'session_is_nil' });
  const session = await engine.session.add({ service_url: service.url, email: ownerEmail, password: ownerPassword });
  expect(session).toMatchObject({ service_url: service.url, state: 'active', login: false, user: { email: ownerEmail } });
  await expect(engine.session.current()).rejects.toMatchObject({ error: 'session_is_nil' });

  const expiry = new Date(Date.now() + 3 * 86_400_000).toISOString();
  const { id } = await engine.transfers.upload({
    team_id: service.teamId,
    session_id: session.id,
    paths: [source],
    package_name: 'Day 12',
    package_description: 'A and B camera\nSound follows',
    recipients: [],
    expiry,
  });
  const sent = await transferWhen(engine, id);
  expect(sent).toMatchObject({ state: 'complete', error: null });
  const { body } = await service.call<{ records: Package[] }>('GET', `/v1.1/teams/${service.teamId}/packages`, {
    headers: { 'x-api-key': service.apiKey },
  });
  expect(body.records.find((one) => one.id === sent.package_id)).toMatchObject({ state: 'finalized', expiry, custom_expiry: true });
});

test('what is behind a link is told before anything is downloaded, and some of it can be had', async () => {
  const [upload] = (await engine.transfers.list('upload', { page: 1, limit: 50 })).records;
  const preview = await engine.transfers.previewLink({ url: upload!.url });
  expect(preview).toMatchObject({ service_url: service.url, name: 'Day 12', total_files: 3, used_up: false });
  expect(preview.message).toBe('A and B camera\nSound follows');
  expect(preview.files.map(({ kind, path, name, size }) => `${kind} ${path}/${name} ${size}`).sort()).toEqual([
    'file A001/clip.mov 7',
    'file A001/sound/notes.txt 5',
    'file A001/sound/take.wav 5',
  ]);
  const wanted = preview.files.filter(({ name }) => name === 'take.wav').map(({ id }) => id);
  const target = join(folder.path, 'some');
  const { id } = await engine.transfers.download({ url: upload!.url, dst_folder: target, file_ids: wanted });
  expect(await transferWhen(engine, id)).toMatchObject({ state: 'complete', error: null, total_files: 1 });
  expect(Object.keys(readTree(target))).toContain('A001/sound/take.wav');
  expect(Object.keys(readTree(target))).not.toContain('A001/clip.mov');
  await expect(engine.transfers.previewLink({ url: `${upload!.url}x` })).rejects.toMatchObject({ error: 'not_found' });
});

test('a Portal of another service tells what it asks for, keeps strangers out, and takes files', async () => {
  const subdomain = freeSubdomain();
  const portal = await newPortal(service, { subdomain, has_access_code: true, access_code: 'harbour', message: 'By midnight' });
  await askForm(service, portal.id, { fields: [formField('camera', { visibility: 'required' })] });
  const address = { service_url: `${service.url}/`, subdomain };
  await expect(engine.transfers.previewPortal(address)).rejects.toMatchObject({ error: 'access_code_wrong' });
  await expect(engine.transfers.previewPortal({ ...address, access_code: 'wrong' })).rejects.toMatchObject({ error: 'access_code_wrong' });
  const seen = await engine.transfers.previewPortal({ ...address, access_code: 'harbour' });
  expect(seen).toMatchObject({ id: portal.id, message: 'By midnight', active: true });
  expect(seen.custom_metadata?.map(({ name }) => name)).toEqual(['camera']);
  await expect(engine.transfers.previewPortal({ subdomain })).rejects.toMatchObject({ error: 'service_unreachable' });

  const { id } = await engine.transfers.portalUpload({
    ...address,
    access_code: 'harbour',
    sender: 'mia@example.com',
    package_name: 'Day 13',
    package_description: '',
    paths: [source],
    form: { camera: { value: 'A' } },
  });
  expect(await transferWhen(engine, id)).toMatchObject({ state: 'complete', error: null, portal: { id: portal.id } });
});
