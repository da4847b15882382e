import { mkdirSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openPinnedDir, type PinnedDir } from '#engine/folders/pinned-dir.ts';
import { allowedPath } from '#engine/folders/roots.ts';
import { writeTree } from '#test/support/system/file-tree.ts';
import { diskFolder } from '#test/support/system/temp-folder.ts';

let folder: Awaited<ReturnType<typeof diskFolder>>;
const at = (...names: string[]): string => join(folder.path, ...names);
const guard = (path: string): string => allowedPath(path, [at('open')]);

beforeEach(async () => {
  folder = await diskFolder();
  writeTree(folder.path, { 'open/reels/A001/clip.mov': 'picture', 'secret/A001/plan.pdf': 'not for you' });
});
afterEach(() => folder.remove());

/** Puts a link to what is outside in the place of a folder. */
function exchange(path: string, target: string): void {
  renameSync(path, `${path}-before`);
  symlinkSync(target, path);
}

async function namesIn(dir: PinnedDir): Promise<string[]> {
  try {
    const names = await readdir(dir.path);
    dir.check();
    return names;
  } finally {
    dir.close();
  }
}

describe.each([...new Set<NodeJS.Platform>([process.platform, 'darwin'])])('a folder that is pinned (as on %s)', (platform) => {
  const pin = (path: string): PinnedDir => openPinnedDir(path, guard, { platform });

  it('is read where it is inside', async () => {
    expect(await namesIn(pin(at('open/reels/A001')))).toEqual(['clip.mov']);
  });

  it('is none where a link has come in its place', () => {
    exchange(at('open/reels/A001'), at('secret/A001'));
    expect(() => pin(at('open/reels/A001'))).toThrow(expect.objectContaining({ error: 'path_outside' }));
  });

  it('is none where a link has come in the place of one above it', () => {
    exchange(at('open/reels'), at('secret'));
    expect(() => pin(at('open/reels/A001'))).toThrow(expect.objectContaining({ error: 'path_outside' }));
  });

  it.each(['open/reels/A001', 'open/reels'])('tells nothing of what is put in the place of %s while it is read', async (path) => {
    const reel = pin(at('open/reels/A001'));
    exchange(at(path), at(path === 'open/reels' ? 'secret' : 'secret/A001'));
    const names = await namesIn(reel).catch((error: unknown) => error);
    if (platform === 'linux') expect(names).toEqual(['clip.mov']);
    else expect(names).toMatchObject({ error: 'path_outside' });
  });

  it('is not read on where another one inside has come in its place', async () => {
    writeTree(folder.path, { 'open/other/A002/b.mov': 'other' });
    const reel = pin(at('open/reels/A001'));
    exchange(at('open/reels'), at('open/other'));
    renameSync(at('open/other/A002'), at('open/other/A001'));
    const names = await namesIn(reel).catch((error: unknown) => error);
    if (platform === 'linux') expect(names).toEqual(['clip.mov']);
    else expect(names).toMatchObject({ error: 'path_unreadable' });
  });

  it.runIf(platform === 'linux')('is none where a link to another one inside has come in its place', () => {
    exchange(at('open/reels/A001'), at('open'));
    expect(() => pin(at('open/reels/A001'))).toThrow(expect.objectContaining({ error: 'path_unreadable' }));
  });

  it('that is none says nothing of what lies outside, and holds nothing open', () => {
    const open = (): number => (platform === 'linux' ? readdirSync('/proc/self/fd').length : 0);
    const before = open();
    exchange(at('open/reels'), at('secret'));
    const refusal = (() => {
      try {
        return pin(at('open/reels/A001'));
      } catch (error) {
        return error;
      }
    })();
    expect(refusal).toMatchObject({ error: 'path_outside', message: expect.not.stringContaining(at('secret')) });
    expect(open()).toBe(before);
  });

  it('that has gone, or is a file, is told as the system tells it', async () => {
    rmSync(at('open/reels/A001'), { recursive: true });
    expect(() => pin(at('open/reels/A001'))).toThrow(expect.objectContaining({ code: 'ENOENT' }));
    mkdirSync(at('open/empty'));
    expect(await namesIn(pin(at('open/empty')))).toEqual([]);
  });
});
