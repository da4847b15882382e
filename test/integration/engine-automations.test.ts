import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, readdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { automationWhen, sentBy } from '#test/support/engine/automation-when.ts';
import { openWatchedFolder, type WatchedFolder } from '#test/support/engine/watched-folder.ts';
import { inAll } from '#test/support/level.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { readTree, writeTree } from '#test/support/system/file-tree.ts';

/** Watched folders of a real engine, with a real service: what is written there arrives once. */

let service: TestService;
let at: WatchedFolder;

beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service?.close());
beforeEach(async () => {
  at = await openWatchedFolder(service);
});
afterEach(() => at?.close());

/** What all its packages hold, as a person would get it. */
async function arrived(): Promise<Record<string, string>> {
  const target = join(at.path, `arrived-${Math.random()}`);
  for (const { url } of await at.uploads()) await at.download(url, { dst_folder: target });
  return readTree(target) as Record<string, string>;
}

it('sends a file and a folder as packages of their own, and nothing twice, also after a restart', async () => {
  writeTree(at.hot, { 'clip.mov': 'one', 'card/a/1.mov': 'two', 'card/2.mov': 'three' });
  const id = await at.watch();
  await sentBy(at.engine, id, 3);
  expect((await at.uploads()).map(({ name, automation_id }) => [name, automation_id])).toEqual([
    ['card', id],
    ['clip.mov', id],
  ]);
  expect(Object.keys(await arrived()).toSorted()).toEqual(Object.keys(readTree(at.hot)).toSorted());
  await at.stop();
  await at.start();
  writeTree(at.hot, { 'late.mov': 'four' });
  await sentBy(at.engine, id, 4);
  expect(await at.uploads()).toHaveLength(3);
});

it('leaves what lay there at the start, and sends it once it changes', async () => {
  writeTree(at.hot, { 'old.mov': 'old' });
  const id = await at.watch({ existing: false });
  await expect.poll(() => at.states(id)['old.mov'], { timeout: 60_000 }).toBe('existing');
  expect((await at.engine.automations.dryRun(id)).packages).toEqual([]);
  writeTree(at.hot, { 'new.mov': 'new' });
  await sentBy(at.engine, id, 1);
  appendFileSync(join(at.hot, 'old.mov'), ' and more');
  await sentBy(at.engine, id, 2);
  expect(at.states(id)).toEqual({ 'old.mov': 'sent', 'new.mov': 'sent' });
  expect((await at.uploads()).map(({ name }) => name)).toEqual(['new.mov', 'old.mov']);
});

it('moves what was sent, mirrored, and overwrites nothing', async () => {
  const done = join(at.path, 'done');
  writeTree(at.path, { 'done/card/1.mov': 'somebody else’s' });
  writeTree(at.hot, { 'card/1.mov': 'one', 'clip.mov': 'two' });
  const id = await at.watch({ after: 'move', move_to: done });
  await expect.poll(() => at.states(id), { timeout: 60_000 }).toEqual({ 'card/1.mov': 'moved', 'clip.mov': 'moved' });
  // The emptied folder goes after its files.
  await expect.poll(() => readdirSync(at.hot), { timeout: 60_000 }).toEqual([]);
  expect(Object.keys(readTree(done)).toSorted()).toEqual(['card/1 (2).mov', 'card/1.mov', 'clip.mov']);
  expect(at.engine.automations.get(id).counts).toEqual({ sent: 2, waiting: 0, failed: 0, questions: 0 });
});

it('deletes what was sent, and never what changed meanwhile', async () => {
  writeTree(at.hot, { 'a.mov': 'one', 'b/c.mov': 'two' });
  const id = await at.watch({ after: 'delete' });
  await expect.poll(() => at.states(id), { timeout: 60_000 }).toEqual({ 'a.mov': 'deleted', 'b/c.mov': 'deleted' });
  // The emptied folder goes after its files.
  await expect.poll(() => readdirSync(at.hot), { timeout: 60_000 }).toEqual([]);
  writeTree(at.hot, { 'a.mov': 'another' });
  await expect.poll(async () => [existsSync(join(at.hot, 'a.mov')), (await at.uploads()).length], { timeout: 60_000 }).toEqual([false, 3]);
  expect((await at.uploads()).map(({ name }) => name)).toEqual(['a.mov', 'b', 'a.mov']);
});

it('says that a transfer was cancelled, and sends again only what is retried or forgotten', async () => {
  await at.engine.transfers.pauseAll();
  writeTree(at.hot, { 'a.mov': 'one' });
  const id = await at.watch();
  await expect.poll(() => at.states(id)['a.mov'], { timeout: 60_000 }).toBe('sending');
  const [upload] = await at.uploads();
  await at.engine.transfers.remove(upload!.id);
  const failed = await automationWhen(at.engine, id, ({ counts }) => counts.failed === 1);
  expect(failed).toMatchObject({ state: 'needs_you', message: expect.stringMatching(/cancelled/) });
  expect(at.engine.automations.results(id, 10)).toMatchObject([{ kind: 'failed', transfer_id: upload!.id }]);
  expect(await at.engine.automations.dryRun(id)).toMatchObject({
    packages: [],
    skipped: [{ path: 'a.mov', reason: expect.stringMatching(/Retry/) }],
  });
  await at.engine.transfers.resumeAll();
  expect(await at.engine.automations.forget(id, { all: true })).toBe(1);
  expect(await sentBy(at.engine, id, 1)).toMatchObject({ state: 'watching', message: '' });
});

it(
  'sends the rest of a folder without what was renamed before, and that under its new name',
  inAll('engine-automation-writers sends what is renamed; a file that is known under another name'),
  async () => {
    await at.engine.transfers.pauseAll();
    writeTree(at.hot, { 'card/1.mov': 'one', 'card/2.mov': 'two', 'card/3.mov': 'three' });
    const id = await at.watch();
    await automationWhen(at.engine, id, ({ counts }) => counts.waiting === 3);
    await expect.poll(() => at.states(id)['card/3.mov'], { timeout: 60_000 }).toBe('sending');
    renameSync(join(at.hot, 'card/1.mov'), join(at.hot, 'card/one.mov'));
    rmSync(join(at.hot, 'card/2.mov'));
    await at.engine.transfers.resumeAll();
    await sentBy(at.engine, id, 2);
    expect((await at.uploads()).map(({ state, files, total_files }) => ({ state, files, total_files }))).toEqual([
      { state: 'complete', files: 1, total_files: 1 },
      { state: 'complete', files: 1, total_files: 1 },
    ]);
    expect(at.states(id)).toEqual({ 'card/1.mov': 'left_out', 'card/2.mov': 'left_out', 'card/3.mov': 'sent', 'card/one.mov': 'sent' });
    expect(at.engine.automations.results(id, 10).map(({ kind, message }) => [kind, message])).toEqual([
      ['sent', ''],
      ['sent', 'It went without card/1.mov and 1 more, which went away before.'],
    ]);
    expect(at.engine.automations.get(id)).toMatchObject({ state: 'watching', message: '', counts: { sent: 2, waiting: 0, failed: 0 } });
    expect(Object.values(await arrived()).toSorted()).toEqual(Object.values(readTree(at.hot)).toSorted());
  },
);

it('sends nothing where all of it went away before, and sends it once it is back', async () => {
  await at.engine.transfers.pauseAll();
  writeTree(at.hot, { 'clip.mov': 'one' });
  const id = await at.watch();
  await expect.poll(() => at.states(id)['clip.mov'], { timeout: 60_000 }).toBe('sending');
  renameSync(join(at.hot, 'clip.mov'), join(at.path, 'clip.mov'));
  await at.engine.transfers.resumeAll();
  await expect.poll(() => at.states(id)['clip.mov'], { timeout: 60_000 }).toBe('left_out');
  expect((await at.uploads()).map(({ state }) => state)).toEqual(['cancelled']);
  expect(at.engine.automations.get(id)).toMatchObject({ state: 'watching', message: '' });
  expect(at.engine.automations.results(id, 10)).toMatchObject([
    { kind: 'skipped', name: 'clip.mov', message: 'Nothing was sent: clip.mov went away before.' },
  ]);
  renameSync(join(at.path, 'clip.mov'), join(at.hot, 'clip.mov'));
  await sentBy(at.engine, id, 1);
  expect((await at.uploads()).map(({ state }) => state)).toEqual(['cancelled', 'complete']);
});

it('a dry run of it as it is to be changed knows what it has sent', async () => {
  writeTree(at.hot, { 'a.mov': 'one', 'old.txt': 'two' });
  const id = await at.watch({ include: ['*.mov'] });
  await sentBy(at.engine, id, 1);
  // So that it is still by its time.
  utimesSync(join(at.hot, 'old.txt'), 1_700_000_000, 1_700_000_000);
  const automation = { name: 'Hot', active: true, folder: at.hot, team_id: service.teamId, recipients: [], existing: true };
  const asNew = await at.engine.automations.dryRunDraft({ kind: 'team_upload', automation: { ...automation, settle_seconds: 1 } });
  expect(asNew.packages.map(({ name }) => name)).toEqual(['a.mov', 'old.txt']);
  expect(
    await at.engine.automations.dryRunDraft({ id, kind: 'team_upload', automation: { ...automation, settle_seconds: 1 } }),
  ).toMatchObject({
    packages: [{ name: 'old.txt' }],
    skipped: [{ path: 'a.mov', reason: 'It was sent already.' }],
  });
  await expect(at.engine.automations.dryRunDraft({ id, kind: 'portal_upload', automation })).rejects.toMatchObject({
    error: 'invalid_request',
  });
  expect(at.states(id)).toEqual({ 'a.mov': 'sent' });
});

it('says that its folder is away, and goes on by itself', async () => {
  const id = await at.watch();
  await expect.poll(() => at.engine.automations.get(id).last_run_at, { timeout: 60_000 }).toBeDefined();
  renameSync(at.hot, `${at.hot}-away`);
  await at.engine.automations.run(id);
  expect(await automationWhen(at.engine, id, ({ state }) => state === 'error')).toMatchObject({
    message: `There is no file or folder at ${at.hot}.`,
  });
  renameSync(`${at.hot}-away`, at.hot);
  writeTree(at.hot, { 'a.mov': 'one' });
  expect(await sentBy(at.engine, id, 1)).toMatchObject({ message: '' });
});

it('waits for a file that another process has open, or whose name says so', async () => {
  const id = await at.watch({ package_per: 'batch' });
  writeFileSync(join(at.hot, 'a.mov.part'), 'half');
  await automationWhen(at.engine, id, ({ waiting_for }) => /not ready \(\*\.part\)/.test(waiting_for));
  writeTree(at.hot, { 'b.mov': 'whole' });
  await sentBy(at.engine, id, 1);
  renameSync(join(at.hot, 'a.mov.part'), join(at.hot, 'a.mov'));
  await sentBy(at.engine, id, 2);
  expect(at.states(id)).toEqual({ 'a.mov': 'sent', 'b.mov': 'sent' });
});

it('knows a file under another name, a restored copy, and the folder under another name', async () => {
  writeTree(at.hot, { 'a.mov': 'one', 'b.mov': 'two' });
  const id = await at.watch();
  await sentBy(at.engine, id, 2);
  renameSync(join(at.hot, 'a.mov'), join(at.hot, 'renamed.mov'));
  execFileSync('cp', ['-p', join(at.hot, 'b.mov'), join(at.path, 'b')]);
  rmSync(join(at.hot, 'b.mov'));
  execFileSync('cp', ['-p', join(at.path, 'b'), join(at.hot, 'b.mov')]);
  const renamed = `${at.hot} 2`;
  renameSync(at.hot, renamed);
  await at.engine.automations.update(id, { folder: renamed });
  writeTree(renamed, { 'c.mov': 'three' });
  await expect.poll(() => at.states(id)['c.mov'], { timeout: 60_000 }).toBe('sent');
  // Under its new name alone, so that it counts once.
  expect(at.states(id)).toEqual({ 'renamed.mov': 'sent', 'b.mov': 'sent', 'c.mov': 'sent' });
  expect(at.engine.automations.get(id).counts.sent).toBe(3);
  expect((await at.uploads()).map(({ name }) => name)).toEqual(['a.mov', 'b.mov', 'c.mov']);
});

it(
  'gives its transfers a deadline so long after their making, or the one that comes earlier',
  inAll('integration/engine-deadlines; unit/engine/transfer/deadlines'),
  async () => {
    writeTree(at.hot, { 'a.mov': 'one' });
    const id = await at.watch({ due_within_seconds: 3_600 });
    await sentBy(at.engine, id, 1);
    const [first] = await at.uploads();
    expect(first!.deadline).toMatchObject({ state: 'met' });
    expect(Date.parse(first!.deadline!.due_at)).toBeLessThanOrEqual(Date.parse(first!.created_at) + 3_600_000);
    const past = '2026-01-01T00:00:00.000Z';
    await at.engine.automations.update(id, { due_at: past });
    writeTree(at.hot, { 'b.mov': 'two' });
    await sentBy(at.engine, id, 2);
    expect((await at.uploads())[1]!.deadline).toMatchObject({ due_at: past, state: 'missed' });
  },
);

it('refuses a loop, a name that is taken, and fields that are wrong', async () => {
  const id = await at.watch();
  await expect(at.watch({ folder: join(at.hot, '..') })).rejects.toMatchObject({ error: 'already_exists' });
  await expect(at.watch({ name: 'Other', folder: at.path })).rejects.toMatchObject({
    error: 'folders_overlap',
    message: expect.stringContaining('"Hot"'),
  });
  await expect(at.watch({ name: 'Other', folder: at.hot, dst_folder: '/x' })).rejects.toMatchObject({ error: 'invalid_request' });
  await expect(at.engine.automations.update(id, { after: 'move' })).rejects.toMatchObject({ message: expect.stringContaining('move_to') });
  await expect(at.engine.automations.update(id, { growing: true, package_per: 'marker' })).rejects.toMatchObject({
    message: expect.stringContaining('marker'),
  });
  expect(at.engine.automations.list()).toMatchObject([{ name: 'Hot', state: 'watching' }]);
});

it('is written as YAML and read again: made, changed, unchanged', async () => {
  const id = await at.watch({ include: ['*.mov'], active: false });
  const yaml = at.engine.automations.export();
  expect(yaml).toMatch(/^ {4}team: .+$/m);
  expect(yaml).not.toContain('team_id');
  await at.engine.automations.remove(id);
  expect(await at.engine.automations.import(yaml)).toMatchObject({ created: 1, updated: 0, unchanged: 0 });
  expect(await at.engine.automations.import(yaml)).toMatchObject({ created: 0, updated: 0, unchanged: 1 });
  const changed = yaml.replace('*.mov', '*.mxf');
  expect(await at.engine.automations.import(changed)).toMatchObject({ updated: 1, automations: [{ include: ['*.mxf'] }] });
  await expect(at.engine.automations.import(`${yaml}  - name: X\n    kind: none\n`)).rejects.toMatchObject({
    message: expect.stringMatching(/^Line \d+: kind/),
  });
});
