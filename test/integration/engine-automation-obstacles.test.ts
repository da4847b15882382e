import { existsSync, mkdirSync } from 'node:fs';
import { join, sep } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Engine } from '#engine/engine.ts';
import { nodeFileSystem } from '#filesystem/node-file-system.ts';
import type { FileSystem } from '#filesystem/port.ts';
import type { Portal } from '#protocol/hosted/portals.ts';
import { automationWhen, sentBy } from '#test/support/engine/automation-when.ts';
import { startTestEngine } from '#test/support/engine/start-engine.ts';
import { newPortal } from '#test/support/service/portals.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { readTree, writeTree } from '#test/support/system/file-tree.ts';
import { diskFolder } from '#test/support/system/temp-folder.ts';

/** Watched folders that send through a Portal, and what stands in the way: each says so in words, and goes on. */

let service: TestService;
let own: Awaited<ReturnType<typeof diskFolder>>;
let engine: Engine;
let portal: Portal;
let hot: string;
/** What the disk refuses: an error's code by the call. */
let refused: Partial<Record<'openDirectory' | 'link', string>>;
/** Set while the disk of the watched folder gives no answer: resolves when it does again. */
let silence: PromiseWithResolvers<void> | null;
let unanswered: number;

beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service?.close());
beforeEach(async () => {
  own = await diskFolder();
  hot = join(own.path, 'hot');
  mkdirSync(hot);
  refused = {};
  silence = null;
  unanswered = 0;
  portal = await newPortal(service, { has_access_code: true, access_code: 'harbour-12' });
  engine = await startTestEngine({ dataDir: join(own.path, 'agent'), serviceUrl: service.url, apiKey: service.apiKey, fileSystem });
});
afterEach(async () => {
  await engine?.close();
  await own?.remove();
});

const refuse = (call: keyof typeof refused, path: string): void => {
  const code = refused[call];
  if (code !== undefined && path.startsWith(own.path)) throw Object.assign(new Error(code), { code, syscall: call, path });
};
const fileSystem: FileSystem = {
  ...nodeFileSystem,
  async lstat(path) {
    if (silence && (path === hot || path === `${hot}${sep}.`)) {
      unanswered++;
      await silence.promise;
    }
    return nodeFileSystem.lstat(path);
  },
  async openDirectory(path, batch) {
    refuse('openDirectory', path);
    return nodeFileSystem.openDirectory(path, batch);
  },
  link(existing, path) {
    refuse('link', path);
    nodeFileSystem.link(existing, path);
  },
};

const watchHot = async (fields: object = {}): Promise<string> => {
  const given = {
    name: 'Cart',
    active: true,
    folder: hot,
    subdomain: portal.subdomain,
    access_code: 'harbour-12',
    sender: 'mia@example.com',
    settle_seconds: 1,
    existing: true,
    ...fields,
  };
  return (await engine.automations.create('portal_upload', given)).id;
};
const change = async (fields: object): Promise<void> => {
  const { status } = await service.call('PUT', `/v1/portals/${portal.id}`, { headers: { 'x-api-key': service.apiKey }, body: fields });
  expect(status).toBe(200);
};
it('says that the Portal is closed, and goes on once it is open', async () => {
  const id = await watchHot();
  await change({ active: false });
  writeTree(hot, { 'a.mov': 'one' });
  const closed = await automationWhen(engine, id, ({ state }) => state === 'error');
  expect(closed.message).toBe('This Portal is not accepting uploads. Ask whoever gave you its address when it opens.');
  expect(closed.next_scan_at).toBeDefined();
  await change({ active: true });
  await engine.automations.run(id);
  expect(await sentBy(engine, id, 1)).toMatchObject({ message: '' });
});

it('asks for the new access code, and goes on with it', async () => {
  const id = await watchHot();
  await change({ has_access_code: true, access_code: 'quay-13' });
  writeTree(hot, { 'a.mov': 'one' });
  const asks = await automationWhen(engine, id, ({ state }) => state === 'needs_you');
  expect(asks.message).toMatch(/access code is missing or wrong/);
  await engine.automations.update(id, { access_code: 'quay-13' });
  expect(await sentBy(engine, id, 1)).toMatchObject({ message: '' });
});

it('says that its folder cannot be read, and goes on once it can', async () => {
  const id = await watchHot();
  await expect.poll(() => engine.automations.get(id).last_run_at, { timeout: 60_000 }).toBeDefined();
  refused.openDirectory = 'EACCES';
  await engine.automations.run(id);
  const unreadable = await automationWhen(engine, id, ({ state }) => state === 'error');
  expect(unreadable.message).toMatch(/cannot be read: .*permission/);
  refused = {};
  silence = null;
  unanswered = 0;
  writeTree(hot, { 'a.mov': 'one' });
  await engine.automations.run(id);
  expect(await sentBy(engine, id, 1)).toMatchObject({ message: '' });
});

it('says that the disk to move to is full, keeps the file, and moves it once there is room', async () => {
  refused.link = 'ENOSPC';
  const done = join(own.path, 'done');
  writeTree(hot, { 'a.mov': 'one' });
  const id = await watchHot({ after: 'move', move_to: done });
  const full = await automationWhen(engine, id, ({ message }) => message !== '');
  expect([full.state, full.message]).toEqual(['error', `a.mov cannot be moved to ${done}: the disk is full.`]);
  expect(existsSync(join(hot, 'a.mov'))).toBe(true);
  refused = {};
  silence = null;
  unanswered = 0;
  await engine.automations.run(id);
  await expect.poll(() => Object.keys(readTree(done)), { timeout: 60_000 }).toEqual(['a.mov']);
  expect(await automationWhen(engine, id, ({ message }) => message === '')).toMatchObject({ counts: { sent: 1 } });
  expect(existsSync(join(hot, 'a.mov'))).toBe(false);
});

it('is paused, changed and resumed while the disk of its folder does not answer, and goes on once that does', async () => {
  const id = await watchHot();
  await expect.poll(() => engine.automations.get(id).last_run_at, { timeout: 60_000 }).toBeDefined();
  silence = Promise.withResolvers<void>();
  await expect
    .poll(
      async () => {
        await engine.automations.run(id);
        return unanswered;
      },
      { timeout: 60_000 },
    )
    .toBe(1);
  await engine.automations.pause(id);
  expect(engine.automations.get(id)).toMatchObject({ state: 'resting', active: false });
  writeTree(hot, { 'clip.mov': 'one' });
  expect(await engine.automations.update(id, { name: 'Other', active: true })).toMatchObject({
    name: 'Other',
    state: 'error',
    message: 'The disk of its folder does not answer. It goes on once that does.',
  });
  expect(unanswered).toBe(1);
  silence.resolve();
  silence = null;
  await sentBy(engine, id, 1);
});
