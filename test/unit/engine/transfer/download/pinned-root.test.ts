import { lstatSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { temporaryName } from '#engine/folders/temporary-name.ts';
import { createPinnedRoot } from '#engine/transfer/download/pinned-root.ts';
import type { JobPorts } from '#engine/transfer/job.ts';
import type { DownloadRecord, FileRecord } from '#engine/transfer/record.ts';
import { nodeFileSystem } from '#filesystem/node-file-system.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

/** The pin of a download's root, while another folder comes in its place. */

let folder: Awaited<ReturnType<typeof tempFolder>>;
let root: string;
let record: DownloadRecord;
let complete: FileRecord[];
let partial: FileRecord[];

beforeEach(async () => {
  folder = await tempFolder();
  root = join(folder.path, 'drive');
  mkdirSync(root);
  record = { id: 'download', kind: 'download', facts: { packageId: 'p', root, planned: false } } as DownloadRecord;
  [complete, partial] = [[], []];
});
afterEach(() => folder.remove());

/** The check of a new run, as after a start of the agent. */
function newRun(): () => void {
  const store = {
    files: {
      complete: () => complete,
      withChunks: () => new Set(partial.map(({ id }) => id)),
      one: (id: number) => partial.find((file) => file.id === id) ?? null,
    },
  };
  const registry = {
    changeDownload(_: string, change: Partial<DownloadRecord>) {
      record = { ...record, ...change };
    },
  };
  const check = createPinnedRoot({ registry, store, fileSystem: nodeFileSystem } as unknown as JobPorts, () => record);
  return () => check(lstatSync(root));
}
const planned = (): void => {
  record = { ...record, facts: { ...record.facts, planned: true } };
};
const file = (local: string, state: 'complete' | 'pending') => ({ id: 7, kind: 'file', local, size: 4, state }) as FileRecord;

/** Another folder comes to the root's path, and has another inode since the first one stays. */
function exchange(): void {
  renameSync(root, join(folder.path, 'away'));
  mkdirSync(root);
}
const refused = expect.objectContaining({ code: 'target_unwritable', message: expect.stringContaining('Another folder is at') });

test('a complete file tells the drive that is back with another identity', () => {
  newRun()();
  planned();
  complete = [file('day/a.mov', 'complete')];
  const pinned = record.facts.rootIdentity;
  exchange();
  const check = newRun();
  expect(check).toThrow(refused);
  mkdirSync(join(root, 'day'));
  writeFileSync(join(root, 'day', 'a.mov'), 'other bytes');
  expect(check).toThrow(refused);
  expect(record.facts.rootIdentity).toEqual(pinned);
  writeFileSync(join(root, 'day', 'a.mov'), 'mine');
  check();
  expect(record.facts.rootIdentity).toMatchObject({ ino: lstatSync(root).ino });
  check();
});

test('a partial file tells it too, unless it is empty', () => {
  newRun()();
  planned();
  partial = [file('a.mov', 'pending')];
  exchange();
  const check = newRun();
  const temporary = join(root, temporaryName(record.id, 7));
  writeFileSync(temporary, '');
  expect(check).toThrow(refused);
  writeFileSync(temporary, 'mi');
  check();
});

test('before anything was received, another folder stops the run, and a new one takes it', () => {
  const check = newRun();
  check();
  planned();
  exchange();
  expect(check).toThrow(refused);
  newRun()();
  expect(record.facts.rootIdentity).toMatchObject({ ino: lstatSync(root).ino });
});

test('what an older agent began without a pin goes on as before', () => {
  planned();
  complete = [file('a.mov', 'complete')];
  exchange();
  newRun()();
  expect(record.facts.rootIdentity).toBeUndefined();
});
