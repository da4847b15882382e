import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { sealerOf } from '#engine/secrets/seal.ts';
import { type AgentSettings, defaultSettings, openSettings } from '#engine/settings.ts';
import { openDatabase } from '#engine/state/database.ts';
import { openStore, type Store } from '#engine/state/store.ts';
import type { Settings } from '#protocol/agent/settings.ts';
import { createFakeClock } from '#test/support/clock/fake-clock.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

let folder: Awaited<ReturnType<typeof tempFolder>>;
let store: Store;
let told: Settings[];
const clock = createFakeClock();

beforeEach(async () => {
  folder = await tempFolder();
  store = openStore(openDatabase(folder.path, { now: 0 }), sealerOf(randomBytes(32)), clock);
  told = [];
});

afterEach(async () => {
  store.close();
  await folder.remove();
});

const open = (): AgentSettings => openSettings(store, { changed: (now) => told.push(now), home: '/home/mia' });

async function updated(settings: AgentSettings, change: Parameters<AgentSettings['update']>[0]): Promise<Settings> {
  const done = settings.update(change);
  clock.advance(100);
  return done;
}

test('they begin as they are described, change one by one, and come back', async () => {
  const settings = open();
  expect(settings.current()).toEqual(defaultSettings('/home/mia'));
  expect(settings.current()).toMatchObject({
    order: 'shared',
    name_collision: 'keep_both',
    download_folder: join('/home/mia', 'Downloads'),
  });
  const changed = await updated(settings, { order: 'strict', max_concurrent_transfers: 2 });
  expect(changed).toEqual({ ...defaultSettings('/home/mia'), order: 'strict', max_concurrent_transfers: 2 });
  expect(await updated(settings, { download_folder: folder.path })).toMatchObject({ order: 'strict', download_folder: folder.path });
  expect(told).toHaveLength(2);
  expect(open().current()).toEqual(settings.current());
});

test('a download folder has to be a whole path of a folder that is there', async () => {
  const settings = open();
  await expect(settings.update({ download_folder: 'incoming' })).rejects.toMatchObject({ error: 'path_not_absolute' });
  await expect(settings.update({ download_folder: join(folder.path, 'gone') })).rejects.toMatchObject({ error: 'path_not_found' });
  expect([settings.current(), told]).toEqual([defaultSettings('/home/mia'), []]);
});

test('what nobody knows is not kept', async () => {
  const settings = open();
  const strange = { colour: 'red', order: 'strict' } as Parameters<AgentSettings['update']>[0];
  expect(await updated(settings, strange)).toEqual({ ...defaultSettings('/home/mia'), order: 'strict' });
});
