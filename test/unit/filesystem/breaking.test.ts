import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BreakingFileSystem, type BreakingOptions } from '#filesystem/breaking/breaking-file-system.ts';
import { openFlags } from '#filesystem/flags.ts';
import { readFully, writeFully, writeFullyNow } from '#filesystem/fully.ts';
import { makeDirs } from '#filesystem/make-dirs.ts';
import type { FileSystem } from '#filesystem/port.ts';
import { createSyncWhenFast } from '#filesystem/sync-when-fast.ts';
import { diskFolder } from '#test/support/system/temp-folder.ts';

let folder: Awaited<ReturnType<typeof diskFolder>>;
beforeEach(async () => {
  folder = await diskFolder();
});
afterEach(() => folder.remove());

const at = (...names: string[]): string => join(folder.path, ...names);
const breaking = (options?: BreakingOptions): BreakingFileSystem => new BreakingFileSystem(options);
const code = (expected: string) => expect.objectContaining({ code: expected });

function put(files: FileSystem, path: string, bytes = Buffer.from('text')): void {
  const file = files.openNow(path, openFlags.create, 0o600);
  try {
    writeFullyNow(file, [bytes], 0);
  } finally {
    file.closeNow();
  }
}

describe('planned faults', () => {
  it('meet a call by its name, its path and its count, in both of its forms', async () => {
    const files = breaking();
    put(files, at('a'));
    const fault = files.faults.add({ call: 'read', path: at('a'), after: 1, times: 2, effect: { code: 'EIO' } });
    const file = files.openNow(at('a'), openFlags.read);
    const buffer = Buffer.alloc(4);
    expect(file.readNow(buffer, 0, 4, 0)).toBe(4);
    expect(() => file.readNow(buffer, 0, 4, 0)).toThrow(code('EIO'));
    expect(fault.met).toBe(1);
    await expect(file.read(buffer, 0, 4, 0)).rejects.toEqual(code('EIO'));
    expect(await file.read(buffer, 0, 4, 0)).toBe(4);
    file.closeNow();
    expect(files.openFiles).toEqual([]);
    expect(files.faults.unmet).toEqual([]);
  });

  it('have the words of the system', () => {
    const files = breaking();
    files.faults.add({ call: 'list', path: /a$/, effect: { code: 'EACCES' } });
    expect(() => files.list(at('a'))).toThrow(`EACCES: permission denied, list '${at('a')}'`);
  });

  it('that met nothing are known', () => {
    const files = breaking();
    const fault = { call: 'flush', path: at('a'), effect: { code: 'EIO' } } as const;
    files.faults.add(fault);
    put(files, at('a'));
    expect(files.faults.unmet).toEqual([expect.objectContaining(fault)]);
  });

  it('meet all calls below a folder until they are lifted', async () => {
    const files = breaking();
    files.mkdir(at('in'));
    const fault = files.faults.add({ path: at('in'), times: Number.POSITIVE_INFINITY, effect: { code: 'ETIMEDOUT' } });
    expect(() => files.stat(at('in', 'a'))).toThrow(code('ETIMEDOUT'));
    await expect(files.open(at('in', 'a'), openFlags.read)).rejects.toEqual(code('ETIMEDOUT'));
    expect(files.stat(at('in2'))).toBeNull();
    fault.lift();
    expect(files.stat(at('in', 'a'))).toBeNull();
    expect(fault.met).toBe(2);
  });

  it('may hold a call until they are told', async () => {
    const files = breaking();
    files.mkdir(at('in'));
    const gate = Promise.withResolvers<void>();
    const fault = files.faults.add({ call: 'openDirectory', effect: { until: gate.promise } });
    const opening = files.openDirectory(at('in'), 10);
    await fault.reached;
    gate.resolve();
    const directory = await opening;
    expect(await directory.read()).toBeNull();
    await directory.close();
    files.faults.add({ call: 'stat', effect: { until: gate.promise } });
    expect(() => files.stat(at('in'))).toThrow('cannot wait');
  });

  it('close what is open, whatever comes of it', async () => {
    const files = breaking();
    put(files, at('a'));
    files.faults.add({ call: 'close', path: at('a'), times: 2, effect: { code: 'EIO' } });
    const [one, other] = [files.openNow(at('a'), openFlags.read), files.openNow(at('a'), openFlags.read)];
    await expect(one.close()).rejects.toEqual(code('EIO'));
    expect(() => other.closeNow()).toThrow(code('EIO'));
    expect(files.openFiles).toEqual([]);
  });
});

describe('a full disk', () => {
  it('takes what fits, refuses the rest, and takes it once there is room', async () => {
    const files = breaking();
    files.limitedSpace.limit(10);
    const file = await files.open(at('a'), openFlags.readWriteOwnOrCreate, 0o600);
    const pieces = [Buffer.from('1234'), Buffer.from('5678'), Buffer.from('9abc')];
    await expect(writeFully(file, pieces, 0)).rejects.toEqual(code('ENOSPC'));
    expect((await file.stat()).size).toBe(10);
    expect(files.space(at('a')).free).toBe(0);
    expect(() => file.writeNow([Buffer.from('x')], 10)).toThrow(code('ENOSPC'));
    files.limitedSpace.giveBack(5);
    await writeFully(file, [Buffer.from('bc')], 10);
    expect((await file.stat()).size).toBe(12);
    expect(files.limitedSpace.left).toBe(3);
    await file.close();
  });

  it('counts each byte once, and gives back what was not written', async () => {
    const files = breaking();
    files.limitedSpace.limit(8);
    put(files, at('a'), Buffer.alloc(5));
    expect(files.limitedSpace.left).toBe(3);
    files.faults.add({ call: 'write', effect: { code: 'EIO' } });
    expect(() => put(files, at('b'), Buffer.alloc(2))).toThrow(code('EIO'));
    expect(files.limitedSpace.left).toBe(3);
    expect(() => put(files, at('c'), Buffer.alloc(4))).toThrow(code('ENOSPC'));
    expect(files.stat(at('c'))!.size).toBe(3);
  });
});

describe('a slow disk', () => {
  it('lets the given clock pass, so that synchronous work notices', () => {
    let now = 0;
    const pass = (milliseconds: number): void => {
      now += milliseconds;
    };
    const files = breaking({ clock: { pass } });
    put(files, at('a'));
    files.faults.add({ call: 'read', times: 1, effect: { milliseconds: 30 } });
    const syncWhenFast = createSyncWhenFast({ clock: () => now, waits: () => now }, undefined, true);
    const file = files.openNow(at('a'), openFlags.read);
    const read = () => syncWhenFast(() => file.readNow(Buffer.alloc(4), 0, 4, 0));
    expect(read()).toBe(4);
    expect(now).toBe(30);
    expect(read()).toBeUndefined();
    now += 1_001;
    expect(read()).toBe(4);
    file.closeNow();
  });

  it('is waited for by calls with a promise', async () => {
    const passed: number[] = [];
    const files = breaking({ clock: { pass: async (milliseconds) => void passed.push(milliseconds) } });
    put(files, at('a'));
    files.faults.add({ call: 'flush', effect: { milliseconds: 250 } });
    const file = await files.open(at('a'), openFlags.flush);
    await file.flush();
    await file.close();
    expect(passed).toEqual([250]);
    const clockless = breaking();
    clockless.faults.add({ call: 'stat', effect: { milliseconds: 1 } });
    expect(() => clockless.stat(at('a'))).toThrow('needs a clock');
  });
});

describe('a disk that folds case', () => {
  it('takes names that differ in case, or in composed letters, for one', () => {
    const files = breaking({ foldsCase: true });
    makeDirs(at('Folder'), 0o700, files);
    put(files, at('folder', 'Caf\u00e9'));
    expect(files.list(at('FOLDER'))).toEqual(['Caf\u00e9']);
    expect(files.stat(at('folder', 'cafe\u0301'))!.size).toBe(4);
    expect(() => put(files, at('Folder', 'CAF\u00c9'))).toThrow(code('EEXIST'));
    expect(files.realPath(at('folder', 'CAF\u00c9'))).toBe(join(files.realPath(at('Folder')), 'Caf\u00e9'));
    expect(() => files.mkdir(at('fOLDER'))).toThrow(code('EEXIST'));
  });

  it('changes the case of a name when it is asked to', () => {
    const files = breaking({ foldsCase: true });
    put(files, at('a'));
    files.rename(at('a'), at('A'));
    expect(files.list(folder.path)).toEqual(['A']);
    put(files, at('b'), Buffer.from('of b'));
    files.rename(at('B'), at('a'));
    expect(files.list(folder.path)).toEqual(['A']);
  });
});

describe('a folder that is not there any more', () => {
  it('vanishes with all that is in it, and comes back', async () => {
    const files = breaking();
    files.mkdir(at('in'));
    put(files, at('in', 'a'));
    const open = files.openNow(at('in', 'a'), openFlags.read);
    files.vanish(at('in'));
    expect(files.lstatNow(at('in'))).toBeNull();
    expect(await files.lstat(at('in', 'a'))).toBeNull();
    expect(files.identity(at('in'))).toBeNull();
    expect(() => files.list(at('in'))).toThrow(code('ENOENT'));
    await expect(files.open(at('in', 'a'), openFlags.read)).rejects.toEqual(code('ENOENT'));
    await files.removeTree(at('in'));
    // As after an unlink, what is open can be read.
    expect(await readFully(open, Buffer.alloc(4), 4, 0)).toBe(4);
    open.closeNow();
    files.comeBack(at('in'));
    expect(files.list(at('in'))).toEqual(['a']);
  });

  it('leaves an empty mount point when its drive goes, with another identity', () => {
    const files = breaking();
    files.mkdir(at('drive'));
    files.mkdir(at('empty'));
    put(files, at('drive', 'a'));
    const real = files.realPath(at('drive'));
    const identity = files.identity(at('drive'));
    const open = files.openNow(at('drive', 'a'), openFlags.read);
    files.unmount(at('drive'), at('empty'));
    expect(files.stat(at('drive'))!.isDirectory()).toBe(true);
    expect(files.list(at('drive'))).toEqual([]);
    expect(files.identity(at('drive'))).not.toBe(identity);
    expect(files.realPath(at('drive'))).toBe(real);
    expect(files.stat(at('drive', 'a'))).toBeNull();
    expect(() => open.readNow(Buffer.alloc(4), 0, 4, 0)).toThrow(code('EIO'));
    open.closeNow();
    // What is written now goes to the wrong disk: code that compares identities does not.
    put(files, at('drive', 'b'));
    files.comeBack(at('drive'));
    expect(files.identity(at('drive'))).toBe(identity);
    expect(files.list(at('drive'))).toEqual(['a']);
    expect(files.list(at('empty'))).toEqual(['b']);
  });
});
