import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Engine } from '#engine/engine.ts';
import type { Portal } from '#protocol/hosted/portals.ts';
import { automationWhen } from '#test/support/engine/automation-when.ts';
import { startTestEngine } from '#test/support/engine/start-engine.ts';
import { managing, readPackage } from '#test/support/service/packages.ts';
import { newPortal, portalSender } from '#test/support/service/portals.ts';
import { newSender } from '#test/support/service/sender.ts';
import { ownerEmail, ownerPassword, startTestService, type TestService } from '#test/support/service/start-service.ts';
import { readTree } from '#test/support/system/file-tree.ts';
import { mountDisk } from '#test/support/system/other-disk.ts';
import { diskFolder } from '#test/support/system/temp-folder.ts';

/** Portals that arrive by themselves, with a real engine and a real service: what comes in is here once. */

let service: TestService;
let own: Awaited<ReturnType<typeof diskFolder>>;
let engine: Engine;
let target: string;
let portal: Portal;

beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service?.close());
beforeEach(async () => {
  own = await diskFolder();
  target = join(own.path, 'incoming');
  portal = await newPortal(service, { name: 'Dailies: north/south' });
  engine = await start();
});
afterEach(async () => {
  await engine?.close();
  await own?.remove();
});

const start = (): Promise<Engine> => startTestEngine({ dataDir: join(own.path, 'agent'), serviceUrl: service.url, apiKey: service.apiKey });

const longAgo = '2020-01-01T00:00:00.000Z';
const common = () => ({ name: 'In', active: true, team_id: service.teamId, dst_folder: target });
const receive = async (fields: object = {}): Promise<string> =>
  (await engine.automations.create('portal_download', { ...common(), portal_id: portal.id, ...fields })).id;

async function arrive(name: string, files: Readonly<Record<string, string>>, at = portal): Promise<string> {
  const sender = await portalSender(service, at.id, { name });
  for (const [file, text] of Object.entries(files)) await sender.send('', file, Buffer.from(text));
  expect((await sender.finalize()).status).toBe(204);
  return sender.package.id;
}

const receivedBy = (id: string, packages: number) => automationWhen(engine, id, ({ counts }) => counts.sent === packages);
const tree = () => Object.keys(readTree(target)).toSorted();
const states = (id: string) =>
  Object.fromEntries(engine.automations.ledger(id, { limit: 100 }).records.map(({ path, state, message }) => [path, [state, message]]));
const downloads = async () => (await engine.transfers.list('download', { page: 1, limit: 50, sort: 'created_at' })).records;

it('downloads what comes in through a Portal once, also after a restart, and leaves what was there before', async () => {
  await arrive('Before', { 'old.mov': 'old' });
  const id = await receive({ subfolders: ['portal', 'sender'] });
  const packageId = await arrive('Day 12', { 'a.mov': 'one', 'b.mov': 'two' });
  await engine.automations.run(id);
  await receivedBy(id, 1);
  const folder = 'Dailies_ north_south/mia@example.com';
  expect(tree()).toEqual([`${folder}/Day 12/a.mov`, `${folder}/Day 12/b.mov`]);
  expect(await downloads()).toMatchObject([{ automation_id: id, package_id: packageId, state: 'complete', receipt: true }]);
  expect(engine.automations.results(id, 10)).toMatchObject([{ kind: 'received', name: 'Day 12' }]);
  // The link that it was downloaded by is of no use any more, and the package stays.
  await expect
    .poll(
      async () => {
        const { body } = await service.call<{ active: boolean }[]>('GET', `/v1/packages/${packageId}/links`, {
          headers: { 'x-package-token': (await readListed(packageId)).access_token },
        });
        return body.map(({ active }) => active);
      },
      { timeout: 60_000 },
    )
    .toEqual([false]);
  expect(await readPackage(service, packageId)).toMatchObject({ state: 'finalized' });

  await engine.close();
  engine = await start();
  await arrive('Day 13', { 'c.mov': 'three' });
  await engine.automations.run(id);
  await receivedBy(id, 2);
  expect(await downloads()).toHaveLength(2);
  expect(await engine.automations.dryRun(id)).toEqual({ packages: [], skipped: [], truncated: false });
});

it('downloads what comes in as soon as its service tells, without a look by the clock', async () => {
  const { id: all } = await engine.automations.create('all_portals_download', {
    ...common(),
    name: 'All',
    dst_folder: join(own.path, 'all'),
    since: longAgo,
  });
  const id = await receive();
  // From here on the next look by the clock is ten minutes away.
  const isQuiet = ({ next_scan_at: next }: { readonly next_scan_at?: string }) =>
    next !== undefined && Date.parse(next) - Date.now() > 300_000;
  for (const one of [id, all]) await expect.poll(() => isQuiet(engine.automations.get(one)), { timeout: 60_000 }).toBe(true);
  const sender = await portalSender(service, portal.id, { name: 'Begun first' });
  await arrive('Day 12', { 'a.mov': 'one' });
  await receivedBy(id, 1);
  await sender.send('', 'b.mov', Buffer.from('two'));
  expect((await sender.finalize()).status).toBe(204);
  await receivedBy(id, 2);
  expect(tree()).toEqual(['Begun first/b.mov', 'Day 12/a.mov']);
  await automationWhen(engine, all, () => Object.keys(states(all)).includes('Begun first'));
});

async function readListed(packageId: string) {
  const { body } = await service.call<{ records: { id: string; access_token: string }[] }>(
    'GET',
    `/v1.1/portals/${portal.id}/packages?sort=-created_at`,
    { headers: { 'x-api-key': service.apiKey } },
  );
  return body.records.find(({ id }) => id === packageId)!;
}

it('fills up the past of all Portals of a Team, with the files that patterns choose, and shows it before', async () => {
  const other = await newPortal(service, { name: 'Other' });
  await arrive('First', { 'a.mov': 'one', 'a.txt': 'notes' });
  await arrive('Second', { 'b.txt': 'notes' }, other);
  const sent = await newSender(service, { name: 'Not of a Portal' });
  await sent.send('', 'c.mov', Buffer.from('three'));
  await sent.finalize();
  const since = portal.created_at;
  const draft = { ...common(), since, include: ['*.mov'], subfolders: ['portal' as const] };
  expect(await engine.automations.dryRunDraft({ kind: 'all_portals_download', automation: draft })).toEqual({
    packages: [{ name: 'First', files: 1, total_bytes: 3, paths: ['Dailies_ north_south/First/a.mov'] }],
    skipped: [
      { path: 'First/a.txt', reason: 'The patterns leave it out.' },
      { path: 'Second/b.txt', reason: 'The patterns leave it out.' },
    ],
    truncated: false,
  });
  expect(existsSync(target)).toBe(false);
  const { id } = await engine.automations.create('all_portals_download', { ...draft, afterwards: 'delete' });
  await receivedBy(id, 1);
  expect(tree()).toEqual(['Dailies_ north_south/First/a.mov']);
  // Only a part of it came, so it stays where it is.
  expect(states(id)).toEqual({
    First: ['received', 'Only a part of it was wanted, so it stays at its service.'],
    Second: ['existing', 'None of its files is wanted by the patterns.'],
  });
});

it.for([
  { afterwards: 'delete', state: 'expired' },
  { afterwards: 'archive', state: 'archived' },
] as const)('$afterwards: ends a package at its service once it is here and verified', async ({ afterwards, state }) => {
  const packageId = await arrive('Day 12', { 'a.mov': 'one' });
  const id = await receive({ since: longAgo, afterwards });
  await receivedBy(id, 1);
  await engine.automations.run(id);
  await expect.poll(() => states(id)['Day 12']?.[0], { timeout: 60_000 }).toBe('deleted');
  expect(tree()).toEqual(['Day 12/a.mov']);
  expect(await readPackage(service, packageId)).toMatchObject({ state });
});

it('is done without a file with a virus that its Team blocks once somebody says so, and leaves the package at its service', async () => {
  const packageId = await arrive('Day 12', { 'a.mov': 'one', 'ill.mov': 'two' });
  const { db } = service.service.services;
  await db.updateTable('teams').set({ virus_policy: 'block' }).execute();
  await db.updateTable('packages').set({ contains_virus: true }).where('id', '=', packageId).execute();
  await db.updateTable('files').set({ virus_detected: true }).where('package_id', '=', packageId).where('name', '=', 'ill.mov').execute();
  const id = await receive({ since: longAgo, afterwards: 'delete' });
  await automationWhen(engine, id, ({ counts }) => counts.failed === 1);
  const [failed] = await downloads();
  expect(failed).toMatchObject({ state: 'error', files: 1, error: { cause: 'files_failed', remedy: 'finalize_without' } });
  await engine.transfers.finalize(failed!.id);
  await receivedBy(id, 1);
  expect(states(id)).toEqual({ 'Day 12': ['received', 'Some of its files did not come, so it stays at its service.'] });
  expect(tree()).toEqual(['Day 12/a.mov']);
  expect(await readPackage(service, packageId)).toMatchObject({ state: 'finalized' });
});

it('downloads again what is forgotten, says that its folder is away, and goes on by itself', async () => {
  await arrive('Day 12', { 'a.mov': 'one' });
  const id = await receive({ since: longAgo });
  await receivedBy(id, 1);
  renameSync(target, `${target}-away`);
  await engine.automations.run(id);
  const away = await automationWhen(engine, id, ({ state }) => state === 'error');
  expect(away.message).toBe(`There is no file or folder at ${target}.`);
  mkdirSync(target);
  await engine.automations.run(id);
  await automationWhen(engine, id, ({ state }) => state === 'watching');
  expect(tree()).toEqual([]);
  expect(await engine.automations.forget(id, { all: true })).toBe(1);
  await receivedBy(id, 1);
  expect(tree()).toEqual(['Day 12/a.mov']);
});

it('says that its Portal is gone, and refuses one that never was', async () => {
  const id = await receive();
  const { status } = await service.call('DELETE', `/v1/portals/${portal.id}`, { headers: { 'x-api-key': service.apiKey } });
  expect(status).toBe(204);
  await engine.automations.run(id);
  const gone = await automationWhen(engine, id, ({ state }) => state === 'needs_you');
  expect(gone.message).toMatch(/no Portal/);
  await expect(receive({ name: 'Never' })).rejects.toMatchObject({ error: 'not_found' });
});

it('goes on after a restart between the making of a transfer and its end, and makes no second one', async () => {
  await arrive('Day 12', { 'a.mov': 'one' });
  await engine.transfers.pauseAll();
  const id = await receive({ since: longAgo });
  await automationWhen(engine, id, ({ counts }) => counts.waiting === 1);
  const [made] = await downloads();
  await engine.close();
  engine = await start();
  await engine.automations.run(id);
  await automationWhen(engine, id, ({ state }) => state === 'working');
  await engine.transfers.resumeAll();
  await receivedBy(id, 1);
  expect((await downloads()).map((one) => one.id)).toEqual([made!.id]);
  expect(tree()).toEqual(['Day 12/a.mov']);
});

it('begins with what expires first, and lets the others wait', async () => {
  const days = [5, 9, 2, 7, 1, 8, 3, 6, 4];
  for (const day of days) {
    const packageId = await arrive(`In ${day} days`, { 'a.mov': String(day) });
    const expiry = new Date(Date.now() + day * 86_400_000).toISOString();
    const headers = await managing(service, packageId);
    expect((await service.call('PUT', `/v1/packages/${packageId}/expiry`, { headers, body: { expiry } })).status).toBe(200);
  }
  await engine.transfers.pauseAll();
  const id = await receive({ since: longAgo });
  const waits = await automationWhen(engine, id, ({ waiting_for }) => waiting_for !== '');
  expect(waits).toMatchObject({ waiting_for: 'One package waits until others are here.', counts: { waiting: 9 } });
  expect((await downloads()).map(({ name }) => name)).toEqual([1, 2, 3, 4, 5, 6, 7, 8].map((day) => `In ${day} days`));
  await engine.transfers.resumeAll();
  await receivedBy(id, days.length);
  expect(tree()).toHaveLength(days.length);
});

it('knows an old package by when it was finalized, though somebody renamed it', async () => {
  const packageId = await arrive('Old', { 'a.mov': 'old' });
  // Receipts count whole seconds.
  const since = Date.now() + 1_000;
  await expect.poll(() => Date.now() >= since, { timeout: 60_000 }).toBe(true);
  const headers = await managing(service, packageId);
  await service.call('PUT', `/v1/packages/${packageId}`, { headers, body: { name: 'Old, renamed' } });
  await arrive('New', { 'b.mov': 'new' });
  const id = await receive({ since: new Date(since).toISOString() });
  await receivedBy(id, 1);
  expect(tree()).toEqual(['New/b.mov']);
  expect(Object.keys(states(id))).toEqual(['New']);
});

it('says that nobody is signed in, and goes on with the next session', async () => {
  const id = await receive({ since: longAgo });
  await engine.close();
  engine = await startTestEngine({ dataDir: join(own.path, 'agent'), serviceUrl: service.url });
  const signedOut = await automationWhen(engine, id, ({ state }) => state === 'needs_you');
  expect(signedOut.message).not.toBe('');
  await arrive('Day 12', { 'a.mov': 'one' });
  await engine.session.signIn(ownerEmail, ownerPassword);
  await receivedBy(id, 1);
  expect(tree()).toEqual(['Day 12/a.mov']);
});

it('waits while its disk is full, and goes on by itself', async (context) => {
  const disk = mountDisk(own.path, '1m');
  if (!disk) return context.skip('A small disk is a tmpfs, and this process may not mount one.');
  try {
    await arrive('Large', { 'a.mov': 'x'.repeat(2_000_000) });
    const id = await receive({ since: longAgo, dst_folder: join(disk.path, 'in') });
    await expect.poll(async () => (await downloads())[0]?.waiting?.reason, { timeout: 60_000 }).toMatch(/too little room/);
    expect(states(id)['Large']?.[0]).toBe('receiving');
    disk.resize('8m');
    await engine.transfers.tryNow();
    await receivedBy(id, 1);
    expect(Object.keys(readTree(disk.path))).toEqual(['in/Large/a.mov']);
    expect(await downloads()).toHaveLength(1);
  } finally {
    // Whatever is still open there.
    await engine.close();
    disk.remove();
  }
});
