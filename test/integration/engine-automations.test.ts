import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Engine } from '#engine/engine.ts';
import { automationWhen, sentBy } from '#test/support/engine/automation-when.ts';
import { startTestEngine } from '#test/support/engine/start-engine.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { readTree, writeTree } from '#test/support/system/file-tree.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

/** Watched folders of a real engine, with a real service: what is written there arrives once. */

let service: TestService;
let own: Awaited<ReturnType<typeof tempFolder>>;
let engine: Engine;
let hot: string;

beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service?.close());
beforeEach(async () => {
  own = await tempFolder();
  hot = join(own.path, 'hot');
  mkdirSync(hot);
  engine = await start();
});
afterEach(async () => {
  await engine?.close();
  await own?.remove();
});

const start = (): Promise<Engine> => startTestEngine({ dataDir: join(own.path, 'agent'), serviceUrl: service.url, apiKey: service.apiKey });

const watchHot = async (fields: object = {}): Promise<string> => {
  const given = {
    name: 'Hot',
    active: true,
    folder: hot,
    team_id: service.teamId,
    recipients: [],
    settle_seconds: 1,
    existing: true,
    ...fields,
  };
  return (await engine.automations.create('team_upload', given)).id;
};
const uploads = async () => (await engine.transfers.list('upload', { page: 1, limit: 50, sort: 'created_at' })).records;
const states = (id: string) =>
  Object.fromEntries(engine.automations.ledger(id, { limit: 100 }).records.map(({ path, state }) => [path, state]));

/** What all its packages hold, as a person would get it. */
async function arrived(): Promise<Record<string, string>> {
  const target = join(own.path, `got-${Math.random()}`);
  for (const { url } of await uploads()) {
    const { id } = await engine.transfers.download({ url, dst_folder: target });
    await expect.poll(async () => (await engine.transfers.get(id)).state, { timeout: 30_000 }).toBe('complete');
  }
  return readTree(target) as Record<string, string>;
}

it('sends a file and a folder as packages of their own, and nothing twice, also after a restart', async () => {
  writeTree(hot, { 'clip.mov': 'one', 'card/a/1.mov': 'two', 'card/2.mov': 'three' });
  const id = await watchHot();
  await sentBy(engine, id, 3);
  expect((await uploads()).map(({ name, automation_id }) => [name, automation_id])).toEqual([
    ['card', id],
    ['clip.mov', id],
  ]);
  expect(Object.keys(await arrived()).toSorted()).toEqual(Object.keys(readTree(hot)).toSorted());
  await engine.close();
  engine = await start();
  writeTree(hot, { 'late.mov': 'four' });
  await sentBy(engine, id, 4);
  expect(await uploads()).toHaveLength(3);
});

it('leaves what lay there at the start, and sends it once it changes', async () => {
  writeTree(hot, { 'old.mov': 'old' });
  const id = await watchHot({ existing: false });
  await expect.poll(() => states(id)['old.mov'], { timeout: 60_000 }).toBe('existing');
  expect((await engine.automations.dryRun(id)).packages).toEqual([]);
  writeTree(hot, { 'new.mov': 'new' });
  await sentBy(engine, id, 1);
  appendFileSync(join(hot, 'old.mov'), ' and more');
  await sentBy(engine, id, 2);
  expect(states(id)).toEqual({ 'old.mov': 'sent', 'new.mov': 'sent' });
  expect((await uploads()).map(({ name }) => name)).toEqual(['new.mov', 'old.mov']);
});

it('moves what was sent, mirrored, and overwrites nothing', async () => {
  const done = join(own.path, 'done');
  writeTree(own.path, { 'done/card/1.mov': 'somebody else’s' });
  writeTree(hot, { 'card/1.mov': 'one', 'clip.mov': 'two' });
  const id = await watchHot({ after: 'move', move_to: done });
  await expect.poll(() => states(id), { timeout: 60_000 }).toEqual({ 'card/1.mov': 'moved', 'clip.mov': 'moved' });
  // The emptied folder goes after its files.
  await expect.poll(() => readdirSync(hot), { timeout: 60_000 }).toEqual([]);
  expect(Object.keys(readTree(done)).toSorted()).toEqual(['card/1 (2).mov', 'card/1.mov', 'clip.mov']);
  expect(engine.automations.get(id).counts).toEqual({ sent: 2, waiting: 0, failed: 0, questions: 0 });
});

it('deletes what was sent, and never what changed meanwhile', async () => {
  writeTree(hot, { 'a.mov': 'one', 'b/c.mov': 'two' });
  const id = await watchHot({ after: 'delete' });
  await expect.poll(() => states(id), { timeout: 60_000 }).toEqual({ 'a.mov': 'deleted', 'b/c.mov': 'deleted' });
  // The emptied folder goes after its files.
  await expect.poll(() => readdirSync(hot), { timeout: 60_000 }).toEqual([]);
  writeTree(hot, { 'a.mov': 'another' });
  await expect.poll(async () => [existsSync(join(hot, 'a.mov')), (await uploads()).length], { timeout: 60_000 }).toEqual([false, 3]);
  expect((await uploads()).map(({ name }) => name)).toEqual(['a.mov', 'b', 'a.mov']);
});

it('says that a transfer was cancelled, and sends again only what is retried or forgotten', async () => {
  await engine.transfers.pauseAll();
  writeTree(hot, { 'a.mov': 'one' });
  const id = await watchHot();
  await expect.poll(() => states(id)['a.mov'], { timeout: 60_000 }).toBe('sending');
  const [upload] = await uploads();
  await engine.transfers.remove(upload!.id);
  const failed = await automationWhen(engine, id, ({ counts }) => counts.failed === 1);
  expect(failed).toMatchObject({ state: 'needs_you', message: expect.stringMatching(/cancelled/) });
  expect(engine.automations.results(id, 10)).toMatchObject([{ kind: 'failed', transfer_id: upload!.id }]);
  expect(await engine.automations.dryRun(id)).toMatchObject({
    packages: [],
    skipped: [{ path: 'a.mov', reason: expect.stringMatching(/Retry/) }],
  });
  await engine.transfers.resumeAll();
  expect(await engine.automations.forget(id, { all: true })).toBe(1);
  expect(await sentBy(engine, id, 1)).toMatchObject({ state: 'watching', message: '' });
});

it('sends the rest of a folder without what was renamed before, and that under its new name', async () => {
  await engine.transfers.pauseAll();
  writeTree(hot, { 'card/1.mov': 'one', 'card/2.mov': 'two', 'card/3.mov': 'three' });
  const id = await watchHot();
  await automationWhen(engine, id, ({ counts }) => counts.waiting === 3);
  await expect.poll(() => states(id)['card/3.mov'], { timeout: 60_000 }).toBe('sending');
  renameSync(join(hot, 'card/1.mov'), join(hot, 'card/one.mov'));
  rmSync(join(hot, 'card/2.mov'));
  await engine.transfers.resumeAll();
  await sentBy(engine, id, 2);
  expect((await uploads()).map(({ state, files, total_files }) => ({ state, files, total_files }))).toEqual([
    { state: 'complete', files: 1, total_files: 1 },
    { state: 'complete', files: 1, total_files: 1 },
  ]);
  expect(states(id)).toEqual({ 'card/1.mov': 'left_out', 'card/2.mov': 'left_out', 'card/3.mov': 'sent', 'card/one.mov': 'sent' });
  expect(engine.automations.results(id, 10).map(({ kind, message }) => [kind, message])).toEqual([
    ['sent', ''],
    ['sent', 'It went without card/1.mov and 1 more, which went away before.'],
  ]);
  expect(engine.automations.get(id)).toMatchObject({ state: 'watching', message: '', counts: { sent: 2, waiting: 0, failed: 0 } });
  expect(Object.values(await arrived()).toSorted()).toEqual(Object.values(readTree(hot)).toSorted());
});

it('sends nothing where all of it went away before, and sends it once it is back', async () => {
  await engine.transfers.pauseAll();
  writeTree(hot, { 'clip.mov': 'one' });
  const id = await watchHot();
  await expect.poll(() => states(id)['clip.mov'], { timeout: 60_000 }).toBe('sending');
  renameSync(join(hot, 'clip.mov'), join(own.path, 'clip.mov'));
  await engine.transfers.resumeAll();
  await expect.poll(() => states(id)['clip.mov'], { timeout: 60_000 }).toBe('left_out');
  expect((await uploads()).map(({ state }) => state)).toEqual(['cancelled']);
  expect(engine.automations.get(id)).toMatchObject({ state: 'watching', message: '' });
  expect(engine.automations.results(id, 10)).toMatchObject([
    { kind: 'skipped', name: 'clip.mov', message: 'Nothing was sent: clip.mov went away before.' },
  ]);
  renameSync(join(own.path, 'clip.mov'), join(hot, 'clip.mov'));
  await sentBy(engine, id, 1);
  expect((await uploads()).map(({ state }) => state)).toEqual(['cancelled', 'complete']);
});

it('a dry run of it as it is to be changed knows what it has sent', async () => {
  writeTree(hot, { 'a.mov': 'one', 'old.txt': 'two' });
  const id = await watchHot({ include: ['*.mov'] });
  await sentBy(engine, id, 1);
  // So that it is still by its time.
  utimesSync(join(hot, 'old.txt'), 1_700_000_000, 1_700_000_000);
  const automation = { name: 'Hot', active: true, folder: hot, team_id: service.teamId, recipients: [], existing: true };
  const asNew = await engine.automations.dryRunDraft({ kind: 'team_upload', automation: { ...automation, settle_seconds: 1 } });
  expect(asNew.packages.map(({ name }) => name)).toEqual(['a.mov', 'old.txt']);
  expect(await engine.automations.dryRunDraft({ id, kind: 'team_upload', automation: { ...automation, settle_seconds: 1 } })).toMatchObject(
    {
      packages: [{ name: 'old.txt' }],
      skipped: [{ path: 'a.mov', reason: 'It was sent already.' }],
    },
  );
  await expect(engine.automations.dryRunDraft({ id, kind: 'portal_upload', automation })).rejects.toMatchObject({
    error: 'invalid_request',
  });
  expect(states(id)).toEqual({ 'a.mov': 'sent' });
});

it('says that its folder is away, and goes on by itself', async () => {
  const id = await watchHot();
  await expect.poll(() => engine.automations.get(id).last_run_at, { timeout: 60_000 }).toBeDefined();
  renameSync(hot, `${hot}-away`);
  await engine.automations.run(id);
  expect(await automationWhen(engine, id, ({ state }) => state === 'error')).toMatchObject({
    message: `There is no file or folder at ${hot}.`,
  });
  renameSync(`${hot}-away`, hot);
  writeTree(hot, { 'a.mov': 'one' });
  expect(await sentBy(engine, id, 1)).toMatchObject({ message: '' });
});

it('waits for a file that another process has open, or whose name says so', async () => {
  const id = await watchHot({ package_per: 'batch' });
  writeFileSync(join(hot, 'a.mov.part'), 'half');
  await automationWhen(engine, id, ({ waiting_for }) => /not ready \(\*\.part\)/.test(waiting_for));
  writeTree(hot, { 'b.mov': 'whole' });
  await sentBy(engine, id, 1);
  renameSync(join(hot, 'a.mov.part'), join(hot, 'a.mov'));
  await sentBy(engine, id, 2);
  expect(states(id)).toEqual({ 'a.mov': 'sent', 'b.mov': 'sent' });
});

it('knows a file under another name, a restored copy, and the folder under another name', async () => {
  writeTree(hot, { 'a.mov': 'one', 'b.mov': 'two' });
  const id = await watchHot();
  await sentBy(engine, id, 2);
  renameSync(join(hot, 'a.mov'), join(hot, 'renamed.mov'));
  execFileSync('cp', ['-p', join(hot, 'b.mov'), join(own.path, 'b')]);
  rmSync(join(hot, 'b.mov'));
  execFileSync('cp', ['-p', join(own.path, 'b'), join(hot, 'b.mov')]);
  renameSync(hot, `${hot} 2`);
  hot = `${hot} 2`;
  await engine.automations.update(id, { folder: hot });
  writeTree(hot, { 'c.mov': 'three' });
  await expect.poll(() => states(id)['c.mov'], { timeout: 60_000 }).toBe('sent');
  // Under its new name alone, so that it counts once.
  expect(states(id)).toEqual({ 'renamed.mov': 'sent', 'b.mov': 'sent', 'c.mov': 'sent' });
  expect(engine.automations.get(id).counts.sent).toBe(3);
  expect((await uploads()).map(({ name }) => name)).toEqual(['a.mov', 'b.mov', 'c.mov']);
});

it('gives its transfers a deadline so long after their making, or the one that comes earlier', async () => {
  writeTree(hot, { 'a.mov': 'one' });
  const id = await watchHot({ due_within_seconds: 3_600 });
  await sentBy(engine, id, 1);
  const [first] = await uploads();
  expect(first!.deadline).toMatchObject({ state: 'met' });
  expect(Date.parse(first!.deadline!.due_at)).toBeLessThanOrEqual(Date.parse(first!.created_at) + 3_600_000);
  const past = '2026-01-01T00:00:00.000Z';
  await engine.automations.update(id, { due_at: past });
  writeTree(hot, { 'b.mov': 'two' });
  await sentBy(engine, id, 2);
  expect((await uploads())[1]!.deadline).toMatchObject({ due_at: past, state: 'missed' });
});

it('refuses a loop, a name that is taken, and fields that are wrong', async () => {
  const id = await watchHot();
  await expect(watchHot({ folder: join(hot, '..') })).rejects.toMatchObject({ error: 'already_exists' });
  await expect(watchHot({ name: 'Other', folder: own.path })).rejects.toMatchObject({
    error: 'folders_overlap',
    message: expect.stringContaining('"Hot"'),
  });
  await expect(watchHot({ name: 'Other', folder: hot, dst_folder: '/x' })).rejects.toMatchObject({ error: 'invalid_request' });
  await expect(engine.automations.update(id, { after: 'move' })).rejects.toMatchObject({ message: expect.stringContaining('move_to') });
  await expect(engine.automations.update(id, { growing: true, package_per: 'marker' })).rejects.toMatchObject({
    message: expect.stringContaining('marker'),
  });
  expect(engine.automations.list()).toMatchObject([{ name: 'Hot', state: 'watching' }]);
});

it('is written as YAML and read again: made, changed, unchanged', async () => {
  const id = await watchHot({ include: ['*.mov'], active: false });
  const yaml = engine.automations.export();
  expect(yaml).toMatch(/^ {4}team: .+$/m);
  expect(yaml).not.toContain('team_id');
  await engine.automations.remove(id);
  expect(await engine.automations.import(yaml)).toMatchObject({ created: 1, updated: 0, unchanged: 0 });
  expect(await engine.automations.import(yaml)).toMatchObject({ created: 0, updated: 0, unchanged: 1 });
  const changed = yaml.replace('*.mov', '*.mxf');
  expect(await engine.automations.import(changed)).toMatchObject({ updated: 1, automations: [{ include: ['*.mxf'] }] });
  await expect(engine.automations.import(`${yaml}  - name: X\n    kind: none\n`)).rejects.toMatchObject({
    message: expect.stringMatching(/^Line \d+: kind/),
  });
});
