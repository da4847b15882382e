import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Engine } from '#engine/engine.ts';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import { startTestEngine, transferWhen } from '#test/support/engine/start-engine.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { readTree, writeTree } from '#test/support/system/file-tree.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

/** What a package may put into the home folder itself. */

let service: TestService;
let engine: Engine;
let own: Awaited<ReturnType<typeof tempFolder>>;
let home: string;
let dotted: AgentTransfer;
let harmless: AgentTransfer;

beforeAll(async () => {
  own = await tempFolder();
  home = join(own.path, 'home');
  mkdirSync(home);
  vi.stubEnv('HOME', home);
  service = await startTestService();
  engine = await startTestEngine({ dataDir: join(own.path, 'agent'), serviceUrl: service.url, apiKey: service.apiKey });
  const send = async (name: string, tree: Record<string, string>) => {
    writeTree(join(own.path, name), tree);
    const paths = Object.keys(tree).map((path) => join(own.path, name, path.split('/')[0]!));
    const { id } = await engine.transfers.upload({
      team_id: service.teamId,
      paths: [...new Set(paths)],
      package_name: name,
      recipients: [],
    });
    return transferWhen(engine, id);
  };
  dotted = await send('dotted', { '.bash_profile': 'evil', '.ssh/authorized_keys': 'evil', 'clip.mov': 'clip' });
  harmless = await send('harmless', { 'clip.mov': 'clip', 'day/.keep': '' });
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await engine?.close();
  await service?.close();
  await own?.remove();
});

const get = async (sent: AgentTransfer, given: object = {}, folder = home) =>
  transferWhen(engine, (await engine.transfers.download({ url: sent.url, dst_folder: folder, ...given })).id);

test('names that begin with a dot are asked for, by whatever path the home folder is named, before anything is begun', async () => {
  const before = (await engine.transfers.list('download', { page: 1, limit: 50 })).total;
  symlinkSync(home, join(own.path, 'link'));
  for (const folder of [home, join(own.path, 'link'), `${home}/../home/`]) {
    await expect(get(dotted, {}, folder)).rejects.toMatchObject({
      error: 'hidden_names',
      details: { folder: home, names: expect.stringMatching(/^\.(ssh, \.bash_profile|bash_profile, \.ssh)$/) },
    });
  }
  expect((await engine.transfers.list('download', { page: 1, limit: 50 })).total).toBe(before);
  expect(readdirSync(home)).toEqual([]);
});

test('what has none, and another folder, need no answer; nor does a choice without them', async () => {
  expect(await get(harmless)).toMatchObject({ state: 'complete' });
  expect(readTree(home)).toMatchObject({ 'clip.mov': expect.anything() });
  expect(await get(dotted, { create_package_folder: true })).toMatchObject({ state: 'complete' });
  expect(await get(dotted, {}, join(home, 'Downloads'))).toMatchObject({ state: 'complete' });
  const { records } = await engine.transfers.files(dotted.id, { page: 1, limit: 50 });
  expect(records.map(({ name }) => name).sort()).toEqual(['.bash_profile', 'authorized_keys', 'clip.mov']);
  const { files } = await engine.transfers.previewLink({ url: dotted.url });
  const clip = files.find(({ name }) => name === 'clip.mov')!;
  expect(await get(dotted, { file_ids: [clip.id] })).toMatchObject({ state: 'complete', total_files: 1 });
  expect(readdirSync(home).filter((name) => name.startsWith('.'))).toEqual([]);
});

test('they come where that was said', async () => {
  expect(await get(dotted, { allow_hidden: true })).toMatchObject({ state: 'complete' });
  expect(readdirSync(home)).toEqual(expect.arrayContaining(['.bash_profile', '.ssh']));
});
