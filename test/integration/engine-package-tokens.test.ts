import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Engine } from '#engine/engine.ts';
import type { RefusedToken } from '#engine/transfer/job.ts';
import { nodeFileSystem } from '#filesystem/node-file-system.ts';
import { systemError } from '#filesystem/system-error.ts';
import { startTestEngine, transferWhen } from '#test/support/engine/start-engine.ts';
import { linkedPackage } from '#test/support/service/download-link.ts';
import { newSender, openLink } from '#test/support/service/sender.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { readTree, seededBytes, writeTree } from '#test/support/system/file-tree.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

/** Transfers of a package whose token was given, instead of a link or a session. */

let service: TestService;
let engine: Engine;
let own: Awaited<ReturnType<typeof tempFolder>>;
let folder: Awaited<ReturnType<typeof tempFolder>>;
const asked: RefusedToken[] = [];
let nextToken: string | null = null;
/** Folders of this name cannot be made. */
let unmakeable = '';

beforeAll(async () => {
  own = await tempFolder();
  service = await startTestService();
  engine = await startTestEngine({
    dataDir: join(own.path, 'agent'),
    serviceUrl: service.url,
    fileSystem: {
      ...nodeFileSystem,
      mkdir(path, mode) {
        if (basename(path) === unmakeable) throw systemError('ENOENT', 'mkdir', path);
        nodeFileSystem.mkdir(path, mode);
      },
    },
    async renewPackageToken(refused) {
      asked.push(refused);
      return nextToken;
    },
  });
});
afterAll(async () => {
  await engine?.close();
  await service?.close();
  await own?.remove();
});
beforeEach(async () => {
  folder = await tempFolder();
  asked.length = 0;
  nextToken = null;
  unmakeable = '';
});
afterEach(() => folder.remove());

const content = { 'day/a.txt': 'small', 'day/large.bin': seededBytes(6 * 1024 * 1024, 3) };

async function readable() {
  const linked = await linkedPackage(service, content);
  const opened = await openLink(service, linked.link);
  return { packageId: linked.sender.package.id, token: opened.body.package_token, serviceUrl: service.url, name: 'Day 3' };
}

test('a package comes by its read token, once for one id, and shows no address', async () => {
  const request = {
    ...(await readable()),
    id: 'asked-once',
    dstFolder: folder.path,
    createPackageFolder: true,
    collision: 'keep_both',
  } as const;
  const { id } = await engine.transfers.downloadPackage(request);
  const done = await transferWhen(engine, id);
  expect(done).toMatchObject({
    id: 'asked-once',
    state: 'complete',
    url: '',
    files: 2,
    dst_folder: join(folder.path, 'Day 3'),
    receipt: true,
  });
  expect((await engine.transfers.downloadPackage(request)).id).toBe('asked-once');
  const sent = join(folder.path, 'sent');
  writeTree(sent, content);
  expect(readTree(join(folder.path, 'Day 3'))).toEqual(readTree(sent));
  expect(asked).toEqual([]);
  await expect(engine.transfers.change(id, { password: 'x' })).rejects.toMatchObject({ error: 'transfer_conflict' });
});

test('what lies too deep for the disk is told in words, or cut, and the rest arrives', async () => {
  const deep = Array.from({ length: 20 }, () => 'd'.repeat(202)).join('/');
  const linked = await linkedPackage(service, { [`${deep}/a.mov`]: 'a', 'day/b.mov': 'b' }, { folders: [`${deep}/empty`] });
  const { body } = await openLink(service, linked.link);
  const source = { packageId: linked.sender.package.id, token: body.package_token, serviceUrl: service.url, name: 'Deep' };
  const request = { ...source, dstFolder: folder.path, createPackageFolder: true, collision: 'keep_both' } as const;
  const { id } = await engine.transfers.downloadPackage(request);
  expect(await transferWhen(engine, id)).toMatchObject({
    state: 'error',
    files: 1,
    total_files: 3,
    error: { message: expect.stringMatching(/^2 of 3 files .* longer than the disk can hold/) },
  });
  expect(Object.keys(readTree(join(folder.path, 'Deep')))).toEqual(['day/b.mov']);
  const { id: cut } = await engine.transfers.downloadPackage({ ...request, cutsLongNames: true });
  expect(await transferWhen(engine, cut)).toMatchObject({ state: 'complete', files: 3 });
  const shape = (path: string): string => path.replace(/[0-9a-f]{20}/, '#');
  expect(
    Object.keys(readTree(join(folder.path, 'Deep (2)')))
      .map(shape)
      .toSorted(),
  ).toEqual(['_x2026_#/a.mov', '_x2026_#/empty', 'day/b.mov']);
});

test('a token that is refused is renewed; without another one the refusal ends the transfer', async () => {
  const good = await readable();
  nextToken = good.token;
  const request = { ...good, token: 'no token', dstFolder: folder.path, createPackageFolder: false, collision: 'keep_both' } as const;
  const renewed = await engine.transfers.downloadPackage({ ...request, teamId: 'team' });
  expect(await transferWhen(engine, renewed.id)).toMatchObject({ state: 'complete' });
  expect(asked).toEqual([
    {
      transferId: renewed.id,
      serviceUrl: service.url,
      packageId: good.packageId,
      source: { kind: 'package', teamId: 'team' },
      refused: 'no token',
    },
  ]);
  nextToken = null;
  const refused = await engine.transfers.downloadPackage(request);
  expect(await transferWhen(engine, refused.id)).toMatchObject({ state: 'error', files: 0 });
});

test('a folder that was chosen and could not be made is made by the next attempt, and no second one', async () => {
  unmakeable = 'Day 3';
  const request = { ...(await readable()), dstFolder: folder.path, createPackageFolder: true, collision: 'keep_both' } as const;
  const { id } = await engine.transfers.downloadPackage(request);
  expect(await transferWhen(engine, id)).toMatchObject({ state: 'error', dst_folder: join(folder.path, 'Day 3') });
  unmakeable = '';
  await engine.transfers.retry(id);
  expect(await transferWhen(engine, id)).toMatchObject({ state: 'complete', dst_folder: join(folder.path, 'Day 3') });
  expect(readdirSync(folder.path)).toEqual(['Day 3']);
});

test('files are added to a package by its write token, which stays open, and what others sent stays at a cancel', async () => {
  const sender = await newSender(service);
  await sender.send('', 'theirs.txt', Buffer.from('theirs'));
  const source = join(folder.path, 'day');
  writeTree(source, { 'a.txt': 'small', 'large.bin': seededBytes(6 * 1024 * 1024, 4) });
  const into = { serviceUrl: service.url, packageId: sender.package.id, name: 'Day', token: sender.package.access_token };
  const sent = await engine.transfers.uploadToPackage({ ...into, files: [{ local: source, name: 'reels/day' }] });
  expect(await transferWhen(engine, sent.id)).toMatchObject({ state: 'complete', files: 2, package_id: sender.package.id });
  await engine.transfers.remove(sent.id);

  const more = join(folder.path, 'more');
  writeTree(more, { 'late.bin': seededBytes(6 * 1024 * 1024, 5) });
  await engine.transfers.pauseAll();
  const stopped = await engine.transfers.uploadToPackage({ ...into, files: [{ local: more, name: 'more' }] });
  await engine.transfers.change(stopped.id, { rate_limit_bps: 1_000_000 });
  await engine.transfers.resumeAll();
  await transferWhen(engine, stopped.id, ({ bytes }) => bytes > 0);
  await engine.transfers.remove(stopped.id);
  const listed = async () => {
    const { body } = await service.call<{ path: string; name: string }[]>('GET', `/v1/packages/${sender.package.id}/files`, {
      headers: { 'x-package-token': sender.package.access_token },
    });
    return body.map(({ path, name }) => (path === '' ? name : `${path}/${name}`)).sort();
  };
  await expect.poll(listed).toEqual(['reels/day/a.txt', 'reels/day/large.bin', 'theirs.txt']);
});

test('an upload whose token is refused asks for another one, once, and ends where there is none', async () => {
  const sender = await newSender(service);
  const source = join(folder.path, 'day');
  writeTree(source, { 'a.txt': 'small', 'large.bin': seededBytes(6 * 1024 * 1024, 6) });
  const into = { serviceUrl: service.url, packageId: sender.package.id, name: 'Day', token: 'refused' };
  const files = [{ local: source, name: 'day' }];
  const refused = await engine.transfers.uploadToPackage({ ...into, files });
  expect(await transferWhen(engine, refused.id)).toMatchObject({ state: 'error' });
  expect(asked[0]).toMatchObject({ transferId: refused.id, packageId: sender.package.id, refused: 'refused' });
  asked.length = 0;
  nextToken = sender.package.access_token;
  await engine.transfers.retry(refused.id);
  expect(await transferWhen(engine, refused.id)).toMatchObject({ state: 'complete', files: 2 });
  expect(asked).toHaveLength(1);
});
