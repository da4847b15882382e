import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { compareTrees } from '#main/start/compare.ts';

let folder: string;
let a: string;
let b: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'longshore-compare-'));
  [a, b] = [join(folder, 'a'), join(folder, 'b')];
  for (const root of [a, b]) {
    await mkdir(join(root, 'sub/empty'), { recursive: true });
    await writeFile(join(root, 'one'), 'one');
    await writeFile(join(root, 'sub/two'), Buffer.alloc(3_000_000, 7));
    await writeFile(join(root, 'nothing'), '');
  }
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('a folder and its copy', () => {
  it('are the same', async () => {
    expect(await compareTrees(a, b)).toEqual({ files: 3, bytes: 3_000_003, differences: [] });
  });

  it('leave links out, as a package does', async () => {
    await symlink('one', join(a, 'link'));
    expect((await compareTrees(a, b)).differences).toEqual([]);
  });

  it.each<[string, () => Promise<unknown>, string]>([
    ['a byte', () => writeFile(join(b, 'one'), 'onE'), 'one has other bytes'],
    ['a size', () => writeFile(join(b, 'one'), 'ones'), 'one has 4 bytes, not 3'],
    ['a missing file', () => rm(join(b, 'sub/two')), 'sub/two is missing'],
    ['a missing empty folder', () => rm(join(b, 'sub/empty'), { recursive: true }), 'sub/empty is missing'],
    ['one too many', () => writeFile(join(b, 'more'), ''), 'more should not be there'],
    ['a folder for a file', () => rm(join(b, 'one')).then(() => mkdir(join(b, 'one'))), 'one is a folder, not a file'],
    ['nothing at all', () => rm(b, { recursive: true }), '. is missing'],
  ])('differ by %s', async (_, change, difference) => {
    await change();
    expect((await compareTrees(a, b)).differences).toContain(difference);
  });

  it('may be single files', async () => {
    expect(await compareTrees(join(a, 'one'), join(b, 'one'))).toEqual({ files: 1, bytes: 3, differences: [] });
    expect((await compareTrees(join(a, 'one'), join(b, 'sub/two'))).differences).toEqual(['. has 3000000 bytes, not 3']);
  });
});
