import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openDatabase } from '#engine/state/database.ts';
import { migrations } from '#engine/state/migrations/index.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

const now = Date.UTC(2026, 10, 20, 12);
let folder: Awaited<ReturnType<typeof tempFolder>>;

beforeEach(async () => {
  folder = await tempFolder();
});

afterEach(() => folder.remove());

test('a new folder is made, and opens again with what was written', () => {
  const path = join(folder.path, 'deep', 'agent');
  const first = openDatabase(path, { now });
  first.db.exec("INSERT INTO settings VALUES ('a', 'b')");
  first.db.close();
  const { db, warnings } = openDatabase(path, { now });
  expect(db.prepare('SELECT value FROM settings').pluck().get()).toBe('b');
  expect(warnings).toEqual([]);
  db.close();
});

test.skipIf(process.platform === 'win32')(
  'its files are for their owner alone, whoever made the folder, and those of an earlier version too',
  () => {
    chmodSync(folder.path, 0o755);
    const modes = () => readdirSync(folder.path).map((name) => [name, (statSync(join(folder.path, name)).mode & 0o777).toString(8)]);
    const first = openDatabase(folder.path, { now });
    first.db.exec("INSERT INTO settings VALUES ('a', 'b')");
    expect(modes()).toEqual(
      expect.arrayContaining([
        ['agent.db', '600'],
        ['agent.db-wal', '600'],
      ]),
    );
    first.db.close();
    chmodSync(join(folder.path, 'agent.db'), 0o644);
    const again = openDatabase(folder.path, { now });
    expect(modes().filter(([, mode]) => mode !== '600')).toEqual([]);
    again.db.close();
  },
);

test('a second agent on the folder is refused in words, and may have it afterwards', () => {
  const first = openDatabase(folder.path, { now });
  expect(() => openDatabase(folder.path, { now, busyTimeoutMs: 0 })).toThrow(
    expect.objectContaining({ code: 'data_folder_in_use', retryable: true, message: expect.stringContaining(folder.path) }),
  );
  first.db.close();
  openDatabase(folder.path, { now, busyTimeoutMs: 0 }).db.close();
});

test.each([
  ['is none', () => Buffer.from('this is no database, and never was one. '.repeat(50))],
  ['is garbled inside', (whole: Buffer) => Buffer.concat([whole.subarray(0, 4_096), Buffer.alloc(whole.length - 4_096, 0x5a)])],
])('a file that %s is set aside with every byte, and a new one is begun', (_what, corrupt) => {
  openDatabase(folder.path, { now }).db.close();
  const path = join(folder.path, 'agent.db');
  const corrupted = corrupt(readFileSync(path));
  writeFileSync(path, corrupted);
  const { db, warnings } = openDatabase(folder.path, { now });
  expect(db.prepare('SELECT count(*) FROM transfers').pluck().get()).toBe(0);
  db.close();
  const aside = readdirSync(folder.path).find((name) => name.startsWith('agent.db.damaged-'))!;
  expect(readFileSync(join(folder.path, aside)).equals(corrupted)).toBe(true);
  expect(warnings).toEqual([expect.stringContaining(aside)]);
});

test('the state of a newer agent is refused and left alone', () => {
  openDatabase(folder.path, { now, migrations: [...migrations, { version: 99, sql: 'CREATE TABLE later (x)' }] }).db.close();
  expect(() => openDatabase(folder.path, { now })).toThrow(expect.objectContaining({ code: 'data_folder_newer' }));
  const raw = new Database(join(folder.path, 'agent.db'));
  expect(raw.pragma('user_version', { simple: true })).toBe(99);
  raw.close();
});

test('a migration that fails half way leaves nothing of itself', () => {
  openDatabase(folder.path, { now }).db.close();
  const broken = [...migrations, { version: 50, sql: 'CREATE TABLE half (x); INSERT INTO nowhere VALUES (1)' }];
  expect(() => openDatabase(folder.path, { now, migrations: broken })).toThrow(expect.objectContaining({ code: 'data_folder_unusable' }));
  const { db } = openDatabase(folder.path, { now });
  expect(db.prepare("SELECT count(*) FROM sqlite_master WHERE name = 'half'").pluck().get()).toBe(0);
  db.close();
});

test('a folder that cannot be made is a sentence', () => {
  writeFileSync(join(folder.path, 'file'), '');
  expect(() => openDatabase(join(folder.path, 'file', 'agent'), { now })).toThrow(
    expect.objectContaining({ code: 'data_folder_unusable', message: expect.stringContaining('Choose another') }),
  );
});
