import { renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { TransferError } from '#client/errors.ts';
import { isTakenAway } from '#engine/transfer/upload/left-out.ts';
import { nodeFileSystem as fileSystem } from '#filesystem/node-file-system.ts';
import { writeTree } from '#test/support/system/file-tree.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

/** Which files of an automation's package are left out because they went away. */

const gone = new TransferError('source_gone', 'It is gone.');

async function chosen(automationId: string | null = 'automation') {
  const { path, remove } = await tempFolder();
  onTestFinished(remove);
  const folder = join(path, 'hot');
  const local = join(folder, 'card/a/1.mov');
  writeTree(folder, { 'card/a/1.mov': 'one' });
  const { dev, ino } = statSync(local);
  const record = { request: { ...(automationId === null ? {} : { automationId }), paths: [folder] } } as never;
  const file = { kind: 'file', local, inode: `${dev}:${ino}` } as const;
  const isAway = (error: Error = gone, changed: object = {}): boolean =>
    isTakenAway({ fileSystem }, record, { ...file, ...changed } as never, error);
  return { folder, isAway, dev, ino };
}

it('one that was taken from its folder, alone or with the folders around it', async () => {
  const { folder, isAway } = await chosen();
  rmSync(join(folder, 'card/a/1.mov'));
  expect(isAway()).toBe(true);
  rmSync(join(folder, 'card'), { recursive: true });
  expect(isAway()).toBe(true);
});

it('none of a watched folder that is away itself, or of which another disk is gone', async () => {
  const { folder, isAway, dev, ino } = await chosen();
  rmSync(join(folder, 'card/a/1.mov'));
  expect(isAway(gone, { inode: `${dev + 1}:${ino}` })).toBe(false);
  renameSync(folder, `${folder}-away`);
  expect(isAway()).toBe(false);
  writeFileSync(folder, 'no folder any more');
  expect(isAway()).toBe(false);
});

it('none that a person sends, and none that cannot be read', async () => {
  expect((await chosen(null)).isAway()).toBe(false);
  const { isAway } = await chosen();
  expect(isAway(new TransferError('source_unreadable', 'No permission.'))).toBe(false);
});
