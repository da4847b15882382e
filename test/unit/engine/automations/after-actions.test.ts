import { execFileSync } from 'node:child_process';
import { renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { joinedDigests } from '#client/chunks.ts';
import type { TeamUploadRecord } from '#engine/automations/record.ts';
import { afterActions } from '#engine/automations/uploads/after-actions.ts';
import { moveSent } from '#engine/automations/uploads/move-file.ts';
import { identityOf } from '#engine/automations/uploads/scan-folder.ts';
import { temporaryPrefix } from '#engine/folders/temporary-name.ts';
import { blake3Hex } from '#engine/io/digests.ts';
import { sealerOf } from '#engine/secrets/seal.ts';
import { openDatabase } from '#engine/state/database.ts';
import { openStore, type Store } from '#engine/state/store.ts';
import { chosenUpload } from '#engine/transfer/chosen-upload.ts';
import { createTransferRegistry, type TransferRegistry } from '#engine/transfer/transfer-registry.ts';
import { nodeFileSystem } from '#filesystem/node-file-system.ts';
import { createFakeClock, type FakeClock } from '#test/support/clock/fake-clock.ts';
import { readTree, writeTree } from '#test/support/system/file-tree.ts';
import { mountDisk } from '#test/support/system/other-disk.ts';
import { diskFolder } from '#test/support/system/temp-folder.ts';

/** What becomes of files that were sent, with crashes in between. */

let own: Awaited<ReturnType<typeof diskFolder>>;
let hot: string;
let clock: FakeClock;
let store: Store;
let registry: TransferRegistry;
const signal = new AbortController().signal;

beforeEach(async () => {
  own = await diskFolder();
  hot = join(own.path, 'hot');
  clock = createFakeClock();
  store = openStore(openDatabase(own.path, { now: 0 }), sealerOf(Buffer.alloc(32)), clock);
  registry = createTransferRegistry({ store, clock, emit: () => {} });
  store.writer.write(() => store.automations.records.insert(automation({})));
});
afterEach(async () => {
  store.close();
  await own.remove();
});

const automation = (fields: object): TeamUploadRecord =>
  ({
    id: 'a',
    kind: 'team_upload',
    fields: { name: 'Hot', active: true, ...fields },
    facts: { counter: 0 },
    secrets: {},
    restricted: false,
    createdAt: 1,
    updatedAt: 1,
    lastRunAt: null,
  }) as unknown as TeamUploadRecord;

function noteSent(path: string, transferId = ''): void {
  const found = statSync(join(hot, path));
  const seen = { key: path, path, size: found.size, modifiedAt: found.mtimeMs, identity: identityOf(found) };
  store.writer.write(() => store.automations.ledger.put('a', [{ ...seen, transferId, state: 'sent', at: 1 }]));
}

const act = (fields: object): Promise<string> => {
  const ports = { store, registry, fileSystem: nodeFileSystem, pathGuard: (path: string) => path, now: clock.now };
  return afterActions(ports, automation(fields), hot, signal);
};

async function withTime<T>(work: Promise<T>): Promise<T> {
  let over = false;
  const end = work.finally(() => {
    over = true;
  });
  while (!over) {
    await new Promise((resume) => setImmediate(resume));
    clock.advance(20);
  }
  return end;
}

it('takes away the emptied folder of a file that was gone, as after a crash', async () => {
  writeTree(hot, { 'card/a/1.mov': 'one', 'b.mov': 'two' });
  noteSent('card/a/1.mov');
  nodeFileSystem.unlink(join(hot, 'card/a/1.mov'));
  // The inner folder went, the outer one not any more.
  nodeFileSystem.rmdir(join(hot, 'card/a'));
  await withTime(act({ after: 'delete' }));
  expect(Object.keys(readTree(hot))).toEqual(['b.mov']);
  expect(store.automations.ledger.byKey('a', 'card/a/1.mov')).toMatchObject({ state: 'deleted', message: 'It was gone already.' });
});

it('leaves no copy under another name on another disk after a crash', async (context) => {
  const disk = mountDisk(own.path, '4m');
  if (!disk) return context.skip('Another disk is a tmpfs, and this process may not mount one.');
  try {
    writeTree(hot, { 'a.mov': 'one' });
    const { size, mtimeMs, ino } = statSync(join(hot, 'a.mov'));
    const to = join(disk.path, 'a.mov');
    const temporary = join(disk.path, `${temporaryPrefix}${ino}-a.mov.part`);
    // Killed between the two halves of giving the copy its name.
    writeFileSync(temporary, 'one');
    nodeFileSystem.link(temporary, to);
    expect(await moveSent(join(hot, 'a.mov'), to, { size, mtimeMs, ino: String(ino) }, nodeFileSystem, signal)).toBe('moved');
    expect([Object.keys(readTree(disk.path)), readTree(hot)]).toEqual([['a.mov'], {}]);
  } finally {
    disk.remove();
  }
});

/** In chunks of 3 bytes, as a transfer notes them when they are complete. */
function noteTransfer(id: string, contents: Readonly<Record<string, string>>): void {
  const files = Object.entries(contents).map(([path, { length: size }]) => {
    return { kind: 'file' as const, path: '', name: path, local: join(hot, path), size, modifiedAt: 0, inode: '' };
  });
  const given = { automationId: 'a', restricted: false, name: 'all', folder: hot, files, description: '' };
  const to = { serviceUrl: 'http://service', sessionId: 's', teamId: 't', recipients: [] };
  const counts = { bytes: 0, totalBytes: 0, files: 0, totalFiles: 0, createdAt: 0, updatedAt: 0 };
  const common = { id, phase: { state: 'complete', finishedAt: 1 }, priority: 'normal', position: 1, rateLimit: 0, ...counts } as const;
  store.writer.write(() => {
    registry.add(chosenUpload(common, { ...given, to }));
    store.files.insert(id, files);
    for (const { id: fileId, name } of store.files.after(id, 0, 100)) {
      const chunks = (contents[name]!.match(/.{1,3}/gs) ?? ['']).map((chunk) => blake3Hex(Buffer.from(chunk)));
      store.files.started(fileId, { fileId: name, uploadId: name, chunkSize: 3, chunkChecksum: 'none' });
      store.files.completed(fileId, `blake3:${blake3Hex(joinedDigests(chunks))}`);
    }
  });
}

/** As after a remount of a disk that keeps no inodes: the same size and time, and another inode. */
function giveOtherInode(path: string, content?: string): void {
  const at = join(hot, path);
  const before = statSync(at, { bigint: true });
  execFileSync('cp', ['--preserve=timestamps', at, `${at}.new`]);
  if (content !== undefined) {
    writeFileSync(`${at}.new`, content);
    execFileSync('touch', ['--reference', at, `${at}.new`]);
  }
  renameSync(`${at}.new`, at);
  const { size, mtimeNs, ino } = statSync(at, { bigint: true });
  expect([size, mtimeNs]).toEqual([before.size, before.mtimeNs]);
  expect(ino).not.toBe(before.ino);
}

it.each(['delete', 'move'] as const)('knows what was sent by its content where its disk gives it another inode (%s)', async (after) => {
  const done = join(own.path, 'done');
  const contents = { 'a.mov': 'one and more', 'b.mov': 'two', 'empty.mov': '' };
  writeTree(hot, contents);
  noteTransfer('t', contents);
  for (const path of Object.keys(contents)) {
    noteSent(path, 't');
    giveOtherInode(path);
  }
  expect(await withTime(act({ after, move_to: done }))).toBe('');
  expect(readTree(hot)).toEqual({});
  if (after === 'move') expect(Object.keys(readTree(done)).toSorted()).toEqual(Object.keys(contents));
  expect(store.automations.results.last('a', 10)).toEqual([]);
});

it('leaves what has the size and time of what was sent and is something else, or cannot be compared, and says so once', async () => {
  const contents = { 'a.mov': 'one', 'b.mov': 'two', 'c.mov': 'three' };
  writeTree(hot, contents);
  noteTransfer('t', contents);
  noteSent('a.mov', 't');
  noteSent('b.mov', 'removed');
  noteSent('c.mov', 't');
  giveOtherInode('a.mov', 'own');
  giveOtherInode('b.mov');
  await withTime(act({ after: 'delete' }));
  await withTime(act({ after: 'delete' }));
  expect(Object.keys(readTree(hot)).toSorted()).toEqual(['a.mov', 'b.mov']);
  const messageOf = (path: string) => store.automations.ledger.byKey('a', path)?.message;
  expect(messageOf('a.mov')).toMatch(/^It is not what was sent/);
  expect(messageOf('b.mov')).toMatch(/nothing left to compare it with/);
  expect(store.automations.results.last('a', 10)).toMatchObject([
    { kind: 'skipped', name: 'a.mov', message: `${messageOf('a.mov')} So do 1 more.` },
  ]);
});
