import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { removeUnused } from '#main/unused-compiled.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

it('removes what nobody has used for two weeks, but never what this process uses', async () => {
  const { path: folder, remove } = await tempFolder();
  onTestFinished(remove);
  const now = new Date('2026-11-28T12:00:00Z');
  const used: readonly [name: string, at: string][] = [
    ['own', '2026-01-01T00:00:00Z'],
    ['runs elsewhere', '2026-11-27T12:00:00Z'],
    ['of last month', '2026-11-01T00:00:00Z'],
    ['v24.11.0-x64-0a1b-1000', '2026-10-01T00:00:00Z'],
  ];
  for (const [name, at] of used) {
    await mkdir(join(folder, name, 'v24'), { recursive: true });
    await writeFile(join(folder, name, 'v24', 'compiled'), 'x');
    await utimes(join(folder, name), new Date(at), new Date(at));
  }
  await removeUnused(folder, join(folder, 'own'), now);
  expect((await readdir(folder)).sort()).toEqual(['own', 'runs elsewhere']);
  // Where there is none yet.
  await removeUnused(join(folder, 'none'), join(folder, 'none', 'own'), now);
});
