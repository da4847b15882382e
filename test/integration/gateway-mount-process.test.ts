import { randomUUID } from 'node:crypto';
import { lstatSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Collect, Deliver } from '#engine/gateway/mount-process/messages.ts';
import type { File } from '#protocol/hosted/files.ts';
import { startTestMount, type TestMount, unlimited } from '#test/support/engine/mount-process.ts';
import { inAll } from '#test/support/level.ts';
import { linkedPackage } from '#test/support/service/download-link.ts';
import { newSender, openLink } from '#test/support/service/sender.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { readTree, seededBytes, writeTree } from '#test/support/system/file-tree.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

/** The process of a mount: deliveries into its folder, collections from it, its fence, and its ends. */

let service: TestService;
let own: Awaited<ReturnType<typeof tempFolder>>;
let root: string;
let mount: TestMount | null = null;
let sent: string;

const content = { 'day/a.txt': 'small', 'day/large.bin': seededBytes(7 * 1024 * 1024, 3), 'day/sub/empty.bin': '' };

beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service?.close());
beforeEach(async () => {
  own = await tempFolder();
  root = join(own.path, 'nas');
  sent = join(own.path, 'sent');
  mkdirSync(root);
  writeTree(sent, content);
});
afterEach(async () => {
  await mount?.close();
  mount = null;
  await own.remove();
});

async function begin(options: { readonly readOnly?: boolean; readonly downloadRate?: number; readonly mountId?: string } = {}) {
  mount = await startTestMount({ root, dataDir: join(own.path, 'state'), serviceUrl: service.url, ...options });
  return mount;
}

async function delivery(target: string, files: Readonly<Record<string, Buffer | string>> = content): Promise<Deliver> {
  const linked = await linkedPackage(service, files);
  const opened = await openLink(service, linked.link);
  return { kind: 'deliver', transferId: randomUUID(), packageId: linked.sender.package.id, token: opened.body.package_token, target };
}

const isOver = ({ state }: { readonly state: string }) => state === 'complete' || state === 'error';
const visible = (folder: string) => readdirSync(folder).filter((name) => name !== '.longshore-mount');

test('a delivery lands whole in its folder, and once however often it is handed out', async () => {
  const { give, when } = await begin();
  const work = await delivery('Northlight/Day 3');
  const first = when(isOver);
  give(work);
  expect(await first).toMatchObject({ state: 'complete', progress: { files: 3 } });
  const again = when(isOver);
  give(work);
  expect(await again).toMatchObject({ state: 'complete' });
  expect(visible(root)).toEqual(['Northlight']);
  expect(visible(join(root, 'Northlight'))).toEqual(['Day 3']);
  expect(readTree(join(root, 'Northlight/Day 3'))).toEqual(readTree(sent));

  const other = when(isOver);
  give({ ...(await delivery('Northlight/Day 3')) });
  expect(await other).toMatchObject({ state: 'complete' });
  expect(visible(join(root, 'Northlight')).sort()).toEqual(['Day 3', 'Day 3 (2)']);
});

test('names that are too long for the disk are cut, and the record says which', async () => {
  const { give, when } = await begin();
  const long = '影'.repeat(200);
  const over = when(isOver);
  give(await delivery(`${long}/${long}`, { [`${long}/${long}.mov`]: 'one', [`${long}/short.mov`]: 'two', 'kept.txt': 'three' }));
  const { state, renamed } = await over;
  expect(state).toBe('complete');
  const [portal, ...others] = visible(root);
  expect(others).toEqual([]);
  const [folder] = visible(join(root, portal!));
  const tree = readTree(join(root, portal!, folder!));
  const cut = '影+_x2026_[0-9a-f]{20}';
  const shapes = ['^kept\\.txt$', `^${cut}/short\\.mov$`, `^${cut}/${cut}\\.mov$`];
  expect(Object.keys(tree)).toHaveLength(shapes.length);
  for (const shape of shapes) expect(Object.keys(tree)).toContainEqual(expect.stringMatching(new RegExp(shape)));
  const first = renamed?.first.map(({ from }) => from).toSorted();
  expect(renamed?.total).toBe(2);
  expect(first).toEqual([`${long}/short.mov`, `${long}/${long}.mov`].toSorted());
  for (const { to } of renamed?.first ?? []) expect(tree).toHaveProperty([to]);
});

test('a process that is killed in the middle goes on with its own folder', async () => {
  const { give, when, pids } = await begin({ downloadRate: 3_000_000 });
  const work = await delivery('In/Day');
  const moving = when(({ progress }) => progress.bytes > 500_000);
  give(work);
  await moving;
  const over = when(isOver);
  process.kill(pids.at(-1)!, 'SIGKILL');
  expect(await over).toMatchObject({ state: 'complete' });
  expect(pids.length).toBeGreaterThan(1);
  expect(visible(join(root, 'In'))).toEqual(['Day']);
  expect(readTree(join(root, 'In/Day'))).toEqual(readTree(sent));
});

test(
  'a folder that goes in the middle makes its delivery wait, which goes on by itself',
  inAll('a drive that is unmounted in the middle, in faults/gateway-mounts'),
  async () => {
    const { give, when, states } = await begin({ downloadRate: 3_000_000 });
    const moving = when(({ progress }) => progress.bytes > 300_000);
    give(await delivery('In/Day'));
    await moving;
    const waits = when(({ state, error }) => state === 'waiting' && error !== '');
    renameSync(root, `${root}-away`);
    // The transfer may meet it before the process has looked at the folder: then it says which file cannot be written.
    await waits;
    await expect
      .poll(() => states.at(-1), { timeout: 60_000 })
      .toMatchObject({ state: 'offline', reason: expect.stringContaining('is not there') });
    // The empty folder that an unmounted drive leaves is not the mount.
    mkdirSync(root);
    await expect
      .poll(() => states.at(-1), { timeout: 60_000 })
      .toMatchObject({ state: 'offline', reason: expect.stringContaining('not mounted') });
    expect(readdirSync(root)).toEqual([]);
    renameSync(root, `${root}-empty`);
    const over = when(isOver);
    renameSync(`${root}-away`, root);
    expect(await over).toMatchObject({ state: 'complete' });
    expect(readdirSync(`${root}-empty`)).toEqual([]);
    expect(readTree(join(root, 'In/Day'))).toEqual(readTree(sent));
  },
);

const largeOnly = { 'day/sub/large.bin': content['day/large.bin'] };

test('what is cancelled leaves nothing behind but what was there before', async () => {
  mkdirSync(join(root, 'In'));
  const { give, when, process: child } = await begin({ downloadRate: 1_000_000 });
  const work = await delivery('In/New/Day', largeOnly);
  const moving = when(({ progress }) => progress.bytes > 300_000);
  give(work);
  await moving;
  await child.ask('cancel', { transferId: work.transferId });
  expect(visible(root)).toEqual(['In']);
  expect(visible(join(root, 'In'))).toEqual([]);

  // Taken up again it makes its folder anew.
  await child.limit({ upload: unlimited, download: unlimited });
  const over = when(isOver);
  give(work);
  expect(await over).toMatchObject({ state: 'complete' });
  expect(Object.keys(readTree(join(root, 'In/New/Day')))).toEqual(['day/sub/large.bin']);
});

test(
  'files that are complete stay at a cancel, and a retry goes on beside them',
  inAll('what is cancelled leaves nothing behind but what was there before'),
  async () => {
    const { give, when, process: child } = await begin({ downloadRate: 1_000_000 });
    const work = await delivery('In/Day');
    const moving = when(({ progress }) => progress.files > 0 && progress.bytes > 300_000);
    give(work);
    await moving;
    await child.ask('cancel', { transferId: work.transferId });
    const kept = Object.keys(readTree(join(root, 'In/Day')));
    expect(kept).toContain('day/a.txt');
    expect(kept).not.toContain('day/large.bin');
    expect(kept.filter((path) => path.endsWith('.part'))).toEqual([]);
    await child.limit({ upload: unlimited, download: unlimited });
    const over = when(isOver);
    give(work);
    expect(await over).toMatchObject({ state: 'complete' });
    expect(visible(join(root, 'In'))).toEqual(['Day']);
    expect(readTree(join(root, 'In/Day'))).toEqual(readTree(sent));
  },
);

test(
  'what is cancelled while its folder is away is removed when that is back',
  inAll('a cancel, and a folder that goes, each by itself'),
  async () => {
    const { give, when, process: child, states } = await begin({ downloadRate: 1_000_000 });
    const work = await delivery('In/Day', largeOnly);
    const moving = when(({ progress }) => progress.bytes > 300_000);
    give(work);
    await moving;
    renameSync(root, `${root}-away`);
    mkdirSync(root);
    await expect(child.ask('cancel', { transferId: work.transferId })).rejects.toThrow('not mounted');
    expect(readdirSync(root)).toEqual([]);
    rmdirSync(root);
    renameSync(`${root}-away`, root);
    await expect.poll(() => states.at(-1)?.state, { timeout: 60_000 }).toBe('ok');
    await child.ask('cancel', { transferId: work.transferId });
    expect(visible(root)).toEqual([]);
  },
);

test('nothing leaves the root: links out of it are refused for deliveries, collections and lists', async () => {
  const outside = join(own.path, 'outside');
  writeTree(outside, { 'secret.txt': 'secret' });
  symlinkSync(outside, join(root, 'Out'));
  symlinkSync(join(outside, 'secret.txt'), join(root, 'secret.txt'));
  writeFileSync(join(root, 'own.txt'), 'own');
  const { give, when, process: child } = await begin();
  const delivered = when(isOver);
  give(await delivery('Out/Day'));
  expect(await delivered).toMatchObject({ state: 'error' });
  expect(readdirSync(outside)).toEqual(['secret.txt']);

  const sender = await newSender(service);
  const common = { kind: 'collect', packageId: sender.package.id, token: sender.package.access_token, folders: [] } as const;
  for (const id of ['secret.txt', 'Out/secret.txt', '../outside/secret.txt', 'Out']) {
    const refused = when(isOver);
    give({ ...common, transferId: randomUUID(), files: [{ id, name: 'x' }] });
    expect([id, (await refused).state]).toEqual([id, 'error']);
  }
  const misplaced = when(isOver);
  give({ ...common, folders: ['dailies'], transferId: randomUUID(), files: [{ id: 'own.txt', name: 'own.txt' }] });
  expect(await misplaced).toMatchObject({ state: 'error' });
  await expect(child.ask('browse', { prefix: 'Out', prevKey: '', count: 10 })).rejects.toThrow();
  await expect(child.ask('browse', { prefix: '..', prevKey: '', count: 10 })).rejects.toThrow();
  const listed = await child.ask('browse', { prefix: '', prevKey: '', count: 10 });
  expect(listed).toMatchObject({ items: [{ id: 'own.txt', name: 'own.txt', kind: 'file', size: 3 }], nextKey: '' });
});

test('files and folders are collected under the names that were given, and pages list a folder', async () => {
  writeTree(root, { 'reels/A/one.mov': seededBytes(6 * 1024 * 1024, 8), 'reels/A/two.txt': '2', 'reels/b.txt': 'b' });
  const { give, when, process: child } = await begin({ readOnly: true });
  const sender = await newSender(service);
  const work: Collect = {
    kind: 'collect',
    transferId: randomUUID(),
    packageId: sender.package.id,
    token: sender.package.access_token,
    files: [
      { id: 'reels/A', name: 'Reel A' },
      { id: 'reels/b.txt', name: 'notes/b.txt' },
    ],
    folders: ['reels'],
  };
  const over = when(isOver);
  give(work);
  expect(await over).toMatchObject({ state: 'complete', progress: { files: 3 } });
  const { body } = await service.call<{ path: string; name: string }[]>('GET', `/v1/packages/${sender.package.id}/files`, {
    headers: { 'x-package-token': sender.package.access_token },
  });
  expect(body.map(({ path, name }) => `${path}/${name}`).sort()).toEqual(['Reel A/one.mov', 'Reel A/two.txt', 'notes/b.txt']);

  const names: string[] = [];
  for (let prevKey = '', more = true; more; ) {
    const page = await child.ask('browse', { prefix: 'reels/A', prevKey, count: 1 });
    names.push(...page.items.map(({ id }) => id));
    prevKey = page.nextKey;
    more = prevKey !== '';
  }
  expect(names).toEqual(['reels/A/one.mov', 'reels/A/two.txt']);

  const refused = when(isOver);
  give(await delivery('In/Day'));
  expect(await refused).toMatchObject({ state: 'error', error: expect.stringContaining('read-only') });
});

test(
  'files that were collected before the state of the mount was lost are taken over, not sent twice',
  inAll('faults/gateway-kills; a delivery that is handed out again'),
  async () => {
    writeTree(root, { 'reels/one.mov': seededBytes(6 * 1024 * 1024, 8), 'reels/two.txt': '2' });
    const sender = await newSender(service);
    const common = { kind: 'collect', packageId: sender.package.id, token: sender.package.access_token, folders: [] } as const;
    const listed = async () => {
      const headers = { 'x-package-token': sender.package.access_token };
      const { body } = await service.call<File[]>('GET', `/v1/packages/${sender.package.id}/files`, { headers });
      return new Map(body.map(({ name, id, state }) => [name, [id, state]]));
    };
    const mountId = randomUUID();
    const first = await begin({ mountId });
    const half = first.when(isOver);
    first.give({ ...common, transferId: randomUUID(), files: [{ id: 'reels/one.mov', name: 'reels/one.mov' }] });
    expect(await half).toMatchObject({ state: 'complete' });
    const before = await listed();
    await first.close();
    rmSync(join(own.path, 'state'), { recursive: true });

    const second = await begin({ mountId });
    const over = second.when(isOver);
    second.give({ ...common, transferId: randomUUID(), files: [{ id: 'reels', name: 'reels' }] });
    expect(await over).toMatchObject({ state: 'complete', progress: { files: 2 } });
    const after = await listed();
    expect([...after.keys()].sort()).toEqual(['one.mov', 'two.txt']);
    expect(after.get('one.mov')).toEqual(before.get('one.mov'));
    expect((await sender.finalize()).status).toBe(204);
  },
);

test('a check does what transfers do and leaves nothing; a lost marker and a file in its place are told', async () => {
  const { process: child, states } = await begin();
  const told: unknown[] = [];
  const steps = await child.ask('check', { folders: [''], write: true }, undefined, (step) => told.push(step));
  expect(told).toEqual(steps);
  expect(steps.map(({ step, ok }) => [step, ok])).toEqual([
    ['put', true],
    ['list', true],
    ['get', true],
    ['delete', true],
  ]);
  expect(visible(root)).toEqual([]);
  await expect.poll(() => states.at(-1)?.state, { timeout: 60_000 }).toBe('ok');
  unlinkSync(join(root, '.longshore-mount'));
  await expect.poll(() => states.at(-1)?.state, { timeout: 60_000 }).toBe('offline');
  const failed = await child.ask('check', { folders: [''], write: true });
  expect(failed.map(({ ok }) => ok)).toEqual([false, false]);
  await child.ask('mark', {});
  expect(lstatSync(join(root, '.longshore-mount')).isFile()).toBe(true);
  await expect.poll(() => states.at(-1)?.state, { timeout: 60_000 }).toBe('ok');
});

test('a token that is refused waits for another one, also in the middle of a collection', async () => {
  const { give, when, refused } = await begin();
  const work = await delivery('In/Day');
  give({ ...work, token: 'refused' });
  await expect.poll(() => refused, { timeout: 60_000 }).toContain(work.transferId);
  const over = when(isOver);
  give(work);
  expect(await over).toMatchObject({ state: 'complete' });
  expect(readTree(join(root, 'In/Day'))).toEqual(readTree(sent));

  writeTree(root, { 'reels/one.mov': seededBytes(6 * 1024 * 1024, 8), 'reels/two.txt': '2' });
  const sender = await newSender(service);
  const files = [{ id: 'reels', name: 'reels' }];
  const collect: Collect = {
    kind: 'collect',
    transferId: randomUUID(),
    packageId: sender.package.id,
    token: 'refused',
    files,
    folders: [],
  };
  give(collect);
  await expect.poll(() => refused, { timeout: 60_000 }).toContain(collect.transferId);
  const collected = when(isOver);
  give({ ...collect, token: sender.package.access_token });
  expect(await collected).toMatchObject({ state: 'complete', progress: { files: 2 } });
});
