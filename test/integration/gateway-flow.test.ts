import { mkdirSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Engine } from '#engine/engine.ts';
import type { Connection, ConnectionCheck } from '#protocol/hosted/connections.ts';
import type { File } from '#protocol/hosted/files.ts';
import type { CloudTransfer } from '#protocol/hosted/transfers.ts';
import { startTestEngine, transferWhen } from '#test/support/engine/start-engine.ts';
import { type FaultProxy, startFaultProxy } from '#test/support/faults/proxy/proxy.ts';
import { inAll } from '#test/support/level.ts';
import { linkedPackage } from '#test/support/service/download-link.ts';
import { newPortal } from '#test/support/service/portals.ts';
import { newSender } from '#test/support/service/sender.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { askTransfer, changeTransfer, readTransfer } from '#test/support/service/transfers.ts';
import { readTree, seededBytes, writeTree } from '#test/support/system/file-tree.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

/** A service and the agent that is its storage gateway: what goes into a Portal lands in a folder, and what lies there is collected. */

let service: TestService;
/** Between everybody and the service's storage. */
let storage: FaultProxy;
let own: Awaited<ReturnType<typeof tempFolder>>;
let engine: Engine;
let root: string;
/** Bytes a second, and so many: what moves is still under way a minute later. */
const slowly = 500_000;
const large = 30 * 1024 * 1024;
const waits = { timeout: 40_000, interval: 200 };

beforeAll(async () => {
  storage = await startFaultProxy();
  service = await startTestService({ storagePublicUrl: storage.url });
  storage.upstream = service.storageUrl;
});
afterAll(async () => {
  await service?.close();
  await storage?.close();
});
beforeEach(async () => {
  own = await tempFolder();
  root = join(own.path, 'nas');
  mkdirSync(root);
  engine = await agent();
});
afterEach(async () => {
  storage.rate = 0;
  await engine?.close();
  await own.remove();
});

const agent = (): Promise<Engine> =>
  startTestEngine({ dataDir: join(own.path, 'agent'), serviceUrl: service.url, apiKey: service.apiKey, vaultKey: 'a key of this test' });

const headers = () => ({ 'x-api-key': service.apiKey });
const connection = async (id: string): Promise<Connection> =>
  (await service.call<Connection>('GET', `/v1/cloud_connections/${id}`, { headers: headers() })).body;
const isOk = async (id: string): Promise<void> => {
  await expect.poll(async () => (await connection(id)).state, waits).toBe('ok');
};

async function collected(id: string, files: readonly { id: string; name: string; kind: string }[]) {
  const sender = await newSender(service);
  const byManager = { 'x-package-token': sender.package.access_token };
  const made = await service.call<CloudTransfer>('POST', `/v1/packages/${sender.package.id}/transfer`, {
    headers: byManager,
    body: { cloud_connection_id: id, files },
  });
  expect(made.status, JSON.stringify(made.body)).toBe(201);
  const read = async (): Promise<CloudTransfer> =>
    (await service.call<CloudTransfer>('GET', `/v1/transfers/${made.body.id}`, { headers: { 'x-transfer-token': made.body.access_token } }))
      .body;
  return { sender, byManager, read, transfer: made.body };
}

test('a Portal upload lands in a mount, also after the agent was away; the connection says how it stands', async () => {
  const mount = await engine.gateway.create({ team_id: service.teamId, path: root, name: 'Dailies NAS' });
  expect(mount).toMatchObject({ name: 'Dailies NAS', path: root, read_only: false });
  await isOk(mount.cloud_connection_id);
  const checked = await service.call<ConnectionCheck>('POST', `/v1/cloud_connections/${mount.cloud_connection_id}/validate`, {
    headers: headers(),
  });
  expect(checked.body).toMatchObject({ ok: true });
  expect(await engine.gateway.check(mount.id)).toMatchObject({ ok: true });
  await expect(engine.gateway.create({ team_id: service.teamId, path: join(root) })).rejects.toMatchObject({ error: 'mount_unusable' });

  const portal = await newPortal(service, {
    configure_cloud_connections: true,
    cloud_connections: [{ id: mount.cloud_connection_id, target_action: 'transfer' }],
  });
  const source = join(own.path, 'day');
  writeTree(source, { 'a.txt': 'small', 'large.bin': seededBytes(6 * 1024 * 1024, 9) });
  const upload = { portal_id: portal.id, sender: 'mia@example.com', paths: [source], package_name: 'Day', package_description: '' };
  const first = await engine.transfers.portalUpload(upload);
  expect(await transferWhen(engine, first.id)).toMatchObject({ state: 'complete' });
  const landed = join(root, 'Portal Downloads', portal.name);
  await expect
    .poll(() => readTree(join(root)), waits)
    .toMatchObject({ [`Portal Downloads/${portal.name}/Day/day/a.txt`]: expect.anything() });
  await expect.poll(() => engine.gateway.get(mount.id).tasks, waits).toBe(0);
  expect(readTree(join(landed, 'Day', 'day'))).toEqual(readTree(source));

  const second = await engine.transfers.portalUpload(upload);
  await transferWhen(engine, second.id);
  await engine.close();
  await expect.poll(async () => (await connection(mount.cloud_connection_id)).state, waits).toBe('offline');
  engine = await agent();
  await expect.poll(() => readdirSync(landed).sort(), waits).toEqual(['Day', 'Day (2)']);
  await expect.poll(() => readTree(join(landed, 'Day (2)', 'day')), waits).toEqual(readTree(source));

  renameSync(root, `${root}-away`);
  await expect
    .poll(async () => connection(mount.cloud_connection_id), waits)
    .toMatchObject({
      state: 'offline',
      state_message: expect.stringContaining('is not there'),
    });
  renameSync(`${root}-away`, root);
  await isOk(mount.cloud_connection_id);
  await engine.gateway.remove(mount.id);
  expect(readdirSync(root)).toEqual(['Portal Downloads']);
  expect(engine.gateway.list()).toEqual([]);
});

test('files of a mount are listed and collected', async () => {
  writeTree(root, { 'reels/A/one.mov': seededBytes(6 * 1024 * 1024, 8), 'reels/A/two.txt': '2', 'notes.txt': 'n' });
  const mount = await engine.gateway.create({ team_id: service.teamId, path: root, read_only: true });
  await isOk(mount.cloud_connection_id);
  const listed = await service.call<{ id: string }[] | { items: { id: string }[] }>(
    'GET',
    `/v1/cloud_connections/${mount.cloud_connection_id}/files?prefix=reels`,
    { headers: headers() },
  );
  expect(JSON.stringify(listed.body)).toContain('reels/A');
  const done = await collected(mount.cloud_connection_id, [
    { id: 'reels/A', name: 'A', kind: 'directory' },
    { id: 'notes.txt', name: 'notes.txt', kind: 'file' },
  ]);
  await expect.poll(done.read, waits).toMatchObject({ state: 'complete' });
  const files = await service.call<{ path: string; name: string }[]>('GET', `/v1/packages/${done.sender.package.id}/files`, {
    headers: done.byManager,
  });
  expect(files.body.map(({ path, name }) => `${path}/${name}`).sort()).toEqual(['/notes.txt', 'A/one.mov', 'A/two.txt']);
});

const unfinished = (folder: string): string[] => Object.keys(readTree(folder)).filter((path) => path.endsWith('.part'));

test(
  'a delivery that is cancelled at the service ends in the mount, and leaves nothing there',
  inAll('gateway-mount-process and service/gateway-tasks, each its side'),
  async () => {
    const mount = await engine.gateway.create({ team_id: service.teamId, path: root });
    await isOk(mount.cloud_connection_id);
    const { sender } = await linkedPackage(service, { 'large.bin': seededBytes(large, 10) });
    storage.rate = slowly;
    const made = await askTransfer(service, sender, { cloud_connection_id: mount.cloud_connection_id });
    await expect.poll(() => unfinished(root), waits).toHaveLength(1);
    expect((await changeTransfer(service, made.body, 'cancel')).status).toBe(204);
    await expect.poll(() => engine.gateway.get(mount.id).tasks, waits).toBe(0);
    await expect.poll(() => readdirSync(root), waits).toEqual(['.longshore-mount']);
    expect(await readTransfer(service, made.body)).toMatchObject({ state: 'cancelled' });
  },
);

test(
  'a delivery that is cancelled while the agent is away leaves nothing when that is back',
  inAll('gateway-mount-process and service/gateway-tasks, each its side'),
  async () => {
    const mount = await engine.gateway.create({ team_id: service.teamId, path: root });
    await isOk(mount.cloud_connection_id);
    const { sender } = await linkedPackage(service, { 'large.bin': seededBytes(large, 12) });
    storage.rate = slowly;
    const made = await askTransfer(service, sender, { cloud_connection_id: mount.cloud_connection_id });
    await expect.poll(() => unfinished(root), waits).toHaveLength(1);
    await engine.close();
    expect(unfinished(root)).toHaveLength(1);
    expect((await changeTransfer(service, made.body, 'cancel')).status).toBe(204);
    engine = await agent();
    await expect.poll(() => readdirSync(root), waits).toEqual(['.longshore-mount']);
  },
);

test(
  'a collection that is cancelled at the service ends, and leaves nothing unfinished in the package',
  inAll('gateway-mount-process and service/gateway-tasks, each its side'),
  async () => {
    writeTree(root, { 'large.bin': seededBytes(large, 11) });
    const mount = await engine.gateway.create({ team_id: service.teamId, path: root, read_only: true });
    await isOk(mount.cloud_connection_id);
    storage.rate = slowly;
    const { sender, byManager, transfer } = await collected(mount.cloud_connection_id, [
      { id: 'large.bin', name: 'large.bin', kind: 'file' },
    ]);
    const listed = async () => (await service.call<File[]>('GET', `/v1/packages/${sender.package.id}/files`, { headers: byManager })).body;
    const begun = storage.bytes();
    await storage.passed(begun + 1);
    expect((await changeTransfer(service, transfer, 'cancel')).status).toBe(204);
    await expect.poll(() => engine.gateway.get(mount.id).tasks, waits).toBe(0);
    await expect.poll(listed, waits).toEqual([]);
    await expect.poll(async () => (await sender.finalize()).status, waits).toBe(204);
    expect(await readTransfer(service, transfer)).toMatchObject({ state: 'cancelled' });
  },
);
