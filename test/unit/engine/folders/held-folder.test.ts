import { mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type HeldFolder, holdFolder } from '#engine/folders/held-folder.ts';
import { tempFolder } from '#test/support/temp-folder.ts';
import { writeTree } from '#test/support/trees.ts';

let folder: Awaited<ReturnType<typeof tempFolder>>;
const at = (...names: string[]): string => join(folder.path, ...names);
const roots = (): string[] => [at('open')];

beforeEach(async () => {
  folder = await tempFolder();
  writeTree(folder.path, { 'open/reels/A001/clip.mov': 'picture', 'secret/A001/plan.pdf': 'not for you' });
});
afterEach(() => folder.remove());

/** Puts a link to what is outside in the place of a folder. */
function exchange(path: string, target: string): void {
  renameSync(path, `${path}-before`);
  symlinkSync(target, path);
}

async function namesIn(held: HeldFolder): Promise<string[]> {
  try {
    const names = await readdir(held.path);
    held.check();
    return names;
  } finally {
    await held.close();
  }
}

describe.each([...new Set<NodeJS.Platform>([process.platform, 'darwin'])])('a folder that is held (as on %s)', (platform) => {
  const hold = (path: string) => holdFolder(path, roots(), platform);

  it('is read where it is inside', async () => {
    expect(await namesIn(await hold(at('open/reels/A001')))).toEqual(['clip.mov']);
  });

  it('is none where a link has come in its place', async () => {
    exchange(at('open/reels/A001'), at('secret/A001'));
    await expect(hold(at('open/reels/A001'))).rejects.toMatchObject({ error: 'path_outside' });
  });

  it('is none where a link has come in the place of one above it', async () => {
    exchange(at('open/reels'), at('secret'));
    await expect(hold(at('open/reels/A001'))).rejects.toMatchObject({ error: 'path_outside' });
  });

  it.each(['open/reels/A001', 'open/reels'])('tells nothing of what is put in the place of %s while it is read', async (path) => {
    const held = await hold(at('open/reels/A001'));
    exchange(at(path), at(path === 'open/reels' ? 'secret' : 'secret/A001'));
    const names = await namesIn(held).catch((error: unknown) => error);
    if (platform === 'linux') expect(names).toEqual(['clip.mov']);
    else expect(names).toMatchObject({ error: 'path_outside' });
  });

  it('that has gone, or is a file, is told as the system tells it', async () => {
    rmSync(at('open/reels/A001'), { recursive: true });
    await expect(hold(at('open/reels/A001'))).rejects.toMatchObject({ code: 'ENOENT' });
    mkdirSync(at('open/empty'));
    expect(await namesIn(await hold(at('open/empty')))).toEqual([]);
  });
});
