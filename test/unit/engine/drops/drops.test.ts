import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Drops, openDrops } from '#engine/drops/drops.ts';
import { createDiskReservations } from '#engine/folders/disk-reservations.ts';
import { silentLog } from '#engine/ports.ts';
import { nodeFileSystem } from '#filesystem/node-file-system.ts';
import { createFakeClock, type FakeClock } from '#test/support/clock/fake-clock.ts';
import { fakeTransfer } from '#test/support/engine/fake-engine.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

/** Files that a browser sends to its agent: contract/agent.md §13.1. */

const gib = 1024 ** 3;
let folder: Awaited<ReturnType<typeof tempFolder>>;
let clock: FakeClock;
let free: number;
let used: Set<string>;
let drops: Drops;

const openAgain = (): Drops =>
  openDrops({
    dataDir: folder.path,
    fileSystem: nodeFileSystem,
    reservations: createDiskReservations(() => ({ id: 1, free })),
    clock,
    log: silentLog,
    isUsed: (id) => used.has(id),
  });

beforeEach(async () => {
  folder = await tempFolder();
  clock = createFakeClock();
  free = gib;
  used = new Set();
  drops = openAgain();
});
afterEach(async () => {
  await drops.close();
  await folder.remove();
});

async function* bytes(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}
/** A connection that breaks after these. */
async function* broken(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
  throw new Error('aborted');
}
const put = (id: string, path: string, size: number, offset: number, ...texts: string[]) =>
  drops.put(id, { path, size, offset }, bytes(...texts));
const there = (): string[] => (existsSync(join(folder.path, 'drops')) ? readdirSync(join(folder.path, 'drops')) : []);
const over = () => drops.heard({ type: 'transfer.changed', transfer: fakeTransfer({ state: 'complete' }) });

describe('what a browser sends', () => {
  it('keeps its tree, its times and its empty folders', async () => {
    const { id, path } = await drops.create({ bytes: 11, folders: ['A001/empty/deep'] });
    const at = '2020-02-03T04:05:06.000Z';
    await drops.put(id, { path: 'A001/clips/a.mov', size: 5, offset: 0, last_modified: at }, bytes('he', 'llo'));
    expect(await put(id, 'note.txt', 6, 0, 'world!')).toEqual({ bytes: 6, whole: true });
    expect(readFileSync(join(path, 'A001/clips/a.mov'), 'utf8')).toBe('hello');
    expect(statSync(join(path, 'A001/clips/a.mov')).mtime.toISOString()).toBe(at);
    expect(statSync(join(path, 'A001/empty/deep')).isDirectory()).toBe(true);
    expect(readFileSync(join(path, 'note.txt'), 'utf8')).toBe('world!');
  });

  it('goes on where a broken connection ended, also after a restart, and gives a name only to what is whole', async () => {
    const { id, path } = await drops.create({ bytes: 10 });
    await expect(drops.put(id, { path: 'a/b.mov', size: 10, offset: 0 }, broken('12345'))).rejects.toThrow('aborted');
    expect(drops.state(id, 'a/b.mov')).toEqual({ bytes: 5, whole: false });
    expect(existsSync(join(path, 'a/b.mov'))).toBe(false);
    await drops.close();
    drops = openAgain();
    await expect(put(id, 'a/b.mov', 10, 0, '1234567890')).rejects.toMatchObject({ error: 'transfer_conflict' });
    expect(await put(id, 'a/b.mov', 10, 5, '67890')).toEqual({ bytes: 10, whole: true });
    expect(readFileSync(join(path, 'a/b.mov'), 'utf8')).toBe('1234567890');
    // The answer was lost, and it is asked again.
    expect(await put(id, 'a/b.mov', 10, 10)).toEqual({ bytes: 10, whole: true });
  });

  it('takes an empty file', async () => {
    const { id, path } = await drops.create({ bytes: 0 });
    expect(await put(id, 'empty.txt', 0, 0)).toEqual({ bytes: 0, whole: true });
    expect(readFileSync(join(path, 'empty.txt'), 'utf8')).toBe('');
  });

  it('is refused where its name leads out, or no package could hold it', async () => {
    const { id } = await drops.create({ bytes: 100 });
    for (const path of ['../out', '/etc/passwd', 'a/../../out', 'a//b', 'a\\..\\b', 'nul', 'a\0b']) {
      await expect(put(id, path, 1, 0, 'x'), path).rejects.toMatchObject({ error: 'name_refused' });
    }
    await expect(drops.create({ bytes: 0, folders: ['..'] })).rejects.toMatchObject({ error: 'name_refused' });
    await expect(put('../../etc', 'a', 1, 0, 'x')).rejects.toMatchObject({ error: 'not_found' });
  });

  it('is refused where more comes than was said', async () => {
    const { id } = await drops.create({ bytes: 6 });
    await expect(put(id, 'a', 3, 0, '1234')).rejects.toMatchObject({ error: 'transfer_conflict' });
    await put(id, 'b', 4, 0, '1234');
    await expect(put(id, 'c', 4, 0, '1234')).rejects.toMatchObject({ error: 'transfer_conflict' });
  });

  it('is refused where the disk has too little room beside what others were promised and what the agent needs', async () => {
    await expect(drops.create({ bytes: gib })).rejects.toMatchObject({ error: 'drop_no_room', details: { missing: 256 * 1024 ** 2 } });
    const first = await drops.create({ bytes: gib / 2 });
    await expect(drops.create({ bytes: gib / 2 })).rejects.toMatchObject({ error: 'drop_no_room' });
    await drops.remove(first.id);
    await expect(drops.create({ bytes: gib / 2 })).resolves.toMatchObject({ bytes: gib / 2 });
    expect(there()).toHaveLength(1);
  });
});

describe('what was dropped', () => {
  it('may be sent by everybody that may send, and nothing beside it', async () => {
    const { id, path } = await drops.create({ bytes: 1 });
    await put(id, 'a.mov', 1, 0, 'x');
    expect(drops.realPathOf(join(path, 'a.mov'))).toBe(join(path, 'a.mov'));
    symlinkSync('/etc', join(path, 'link'));
    for (const other of [
      path,
      join(path, '..', 'drop.json'),
      join(path, 'link', 'passwd'),
      join(folder.path, 'drops'),
      folder.path,
      '/etc',
    ]) {
      expect(drops.realPathOf(other), other).toBeNull();
    }
  });

  it('is deleted when the last upload of it is over, and not before', async () => {
    const { id, path } = await drops.create({ bytes: 1 });
    await put(id, 'a.mov', 1, 0, 'x');
    used.add(id);
    drops.take([join(path, 'a.mov')]);
    over();
    clock.advance(1_000);
    expect(there()).toEqual([id]);
    await expect(drops.remove(id)).rejects.toMatchObject({ error: 'transfer_conflict' });
    used.delete(id);
    expect(drops.isGone([join(path, 'a.mov')])).toBe(false);
    over();
    clock.advance(1_000);
    await expect.poll(there).toEqual([]);
    expect(drops.isGone([join(path, 'a.mov')])).toBe(true);
  });

  it('is deleted after a restart where its upload was over, or nothing has used it for a day', async () => {
    const taken = await drops.create({ bytes: 1 });
    drops.take([join(taken.path, 'a.mov')]);
    const fresh = await drops.create({ bytes: 1 });
    mkdirSync(join(folder.path, 'drops', '00000000-0000-4000-8000-000000000000'));
    await drops.close();
    drops = openAgain();
    clock.advance(1_000);
    await expect.poll(there).toEqual([fresh.id]);
    clock.advance(25 * 3_600_000);
    await expect.poll(there).toEqual([]);
  });
});
