import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { TeamUploadRecord } from '#engine/automations/record.ts';
import { afterActions } from '#engine/automations/uploads/after-actions.ts';
import { moveSent } from '#engine/automations/uploads/move-file.ts';
import { identityOf } from '#engine/automations/uploads/scan-folder.ts';
import { temporaryPrefix } from '#engine/folders/temporary-name.ts';
import { sealerOf } from '#engine/secrets/seal.ts';
import { openDatabase } from '#engine/state/database.ts';
import { openStore, type Store } from '#engine/state/store.ts';
import { nodeFileSystem } from '#filesystem/node-file-system.ts';
import { createFakeClock, type FakeClock } from '#test/support/clock/fake-clock.ts';
import { readTree, writeTree } from '#test/support/system/file-tree.ts';
import { mountDisk } from '#test/support/system/other-disk.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

/** What becomes of files that were sent, with crashes in between. */

let own: Awaited<ReturnType<typeof tempFolder>>;
let hot: string;
let clock: FakeClock;
let store: Store;
const signal = new AbortController().signal;

beforeEach(async () => {
  own = await tempFolder();
  hot = join(own.path, 'hot');
  clock = createFakeClock();
  store = openStore(openDatabase(own.path, { now: 0 }), sealerOf(Buffer.alloc(32)), clock);
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

function noteSent(path: string): void {
  const found = statSync(join(hot, path));
  const row = { key: path, path, size: found.size, modifiedAt: found.mtimeMs, identity: identityOf(found), state: 'sent' as const, at: 1 };
  store.writer.write(() => store.automations.ledger.put('a', [row]));
}

const act = (fields: object): Promise<string> =>
  afterActions({ store, fileSystem: nodeFileSystem, pathGuard: (path) => path, now: clock.now }, automation(fields), hot, signal);

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
