import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDataFolder, readSecret, secretFileName } from '#service/data-folder.ts';
import type { FolderUse } from '#service/folder-lock.ts';
import { type TempFolder, tempFolder } from '#test/support/system/temp-folder.ts';

let folder: TempFolder;
const releases: (() => void)[] = [];
beforeEach(async () => {
  folder = await tempFolder();
});
afterEach(async () => {
  for (const release of releases.splice(0)) release();
  await folder.remove();
});

async function open(use?: FolderUse) {
  const opened = await openDataFolder(folder.path, use === undefined ? {} : { use });
  releases.push(opened.release);
  return opened;
}
const refusal = (use: FolderUse) =>
  open(use).then(
    () => null,
    ({ code, message }) => `${code}: ${message}`,
  );

describe('who may use a data folder beside whom', () => {
  it.each<[FolderUse, FolderUse, string | null]>([
    ['alone', 'alone', 'Another service'],
    ['alone', 'shared', 'A service with all roles'],
    ['alone', 'storage', 'A service with all roles'],
    ['shared', 'alone', 'Another service'],
    ['storage', 'alone', 'Another service'],
    ['shared', 'shared', null],
    ['shared', 'storage', null],
    ['storage', 'shared', null],
    ['storage', 'storage', `Another process (process ${process.pid}) with the role storage`],
  ])('%s, then %s: %s', async (first, second, sentence) => {
    await open(first);
    const refused = await refusal(second);
    if (sentence === null) expect(refused).toBeNull();
    else expect(refused).toContain(`data_folder_in_use: ${sentence}`);
  });

  it('one that is alone has it once all others are gone', async () => {
    const [api, storage] = [await open('shared'), await open('storage')];
    api.release();
    expect(await refusal('alone')).not.toBeNull();
    storage.release();
    expect(await refusal('alone')).toBeNull();
  });

  it('names the process that has it, and none that is gone', async () => {
    const first = await open('alone');
    expect(await refusal('alone')).toContain(`(process ${process.pid})`);
    first.release();
    await open('shared');
    // No process has this number.
    await writeFile(join(folder.path, 'service.pid'), '2147483000\n');
    expect(await refusal('alone')).toContain('Another service is using');
  });
});

describe('the key of a new folder', () => {
  it('is one, however many processes start there at once', async () => {
    const opened = await Promise.all(Array.from({ length: 20 }, () => open('shared')));
    expect(new Set(opened.map(({ secret }) => Buffer.from(secret).toString('hex'))).size).toBe(1);
    expect(await readFile(join(folder.path, secretFileName), 'utf8')).toBe(`${Buffer.from(opened[0]!.secret).toString('base64url')}\n`);
    expect((await readdir(folder.path)).filter((name) => name.startsWith(secretFileName))).toEqual([secretFileName]);
  });
});

describe('the key of a folder that has lost it', () => {
  it.each(['postgres', 'postgres/data'])('is not made anew beside a database in %s, whose password is made of it', async (cluster) => {
    await mkdir(join(folder.path, cluster), { recursive: true });
    await writeFile(join(folder.path, cluster, 'PG_VERSION'), '18\n');
    expect(await refusal('alone')).toMatch(/^secret_key_unreadable: There is no key file \S+secret\.key, .*backup/);
    expect(await readdir(folder.path)).not.toContain(secretFileName);
  });

  it('is not made by who only reads it, as a backup does', async () => {
    await expect(readSecret(folder.path)).rejects.toMatchObject({ code: 'secret_key_unreadable' });
    expect(await readdir(folder.path)).toEqual([]);
  });
});
