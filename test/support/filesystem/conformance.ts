import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { accessModes, openFlags } from '#filesystem/flags.ts';
import { readFully, readFullyNow, writeFully, writeFullyNow } from '#filesystem/fully.ts';
import type { FileSystem, OpenFile, WatchOptions } from '#filesystem/port.ts';
import { createFakeClock } from '../clock/fake-clock.ts';
import { diskFolder } from '../system/temp-folder.ts';

const withCode = (code: string) => expect.objectContaining({ code, syscall: expect.any(String), path: expect.any(String) });
const posix = process.platform !== 'win32';

/** What every file system of the port does. */
export function describeFileSystem(name: string, create: () => FileSystem): void {
  describe(name, () => {
    let files: FileSystem;
    let folder: Awaited<ReturnType<typeof diskFolder>>;
    const at = (...names: string[]): string => join(folder.path, ...names);

    beforeEach(async () => {
      folder = await diskFolder();
      files = create();
    });
    afterEach(() => folder.remove());

    function put(path: string, text = ''): void {
      const file = files.openNow(path, openFlags.create, 0o600);
      writeFullyNow(file, [Buffer.from(text)], 0);
      file.closeNow();
    }

    function textOf(path: string): string {
      const file = files.openNow(path, openFlags.read);
      try {
        const buffer = Buffer.alloc(files.stat(path)!.size);
        readFullyNow(file, buffer, buffer.length, 0);
        return buffer.toString();
      } finally {
        file.closeNow();
      }
    }

    it('writes and reads at positions, with promises and without', async () => {
      const file = await files.open(at('a'), openFlags.readWriteOwnOrCreate, 0o600);
      await writeFully(file, [Buffer.from('me'), Buffer.from('dium')], 2);
      writeFullyNow(file, [Buffer.from('re'), Buffer.from('medy')], 0);
      const buffer = Buffer.alloc(10);
      expect(await readFully(file, buffer, 10, 0)).toBe(8);
      expect(buffer.toString('utf8', 0, 8)).toBe('remedyum');
      expect(readFullyNow(file, buffer, 3, 5)).toBe(3);
      expect(buffer.toString('utf8', 0, 3)).toBe('yum');
      expect(await file.read(buffer, 0, 10, 8)).toBe(0);
      expect(file.readNow(buffer, 4, 2, 0)).toBe(2);
      expect(buffer.toString('utf8', 4, 6)).toBe('re');
      await file.truncate(6);
      expect(file.statNow().size).toBe(6);
      file.truncateNow(2);
      expect((await file.stat()).size).toBe(2);
      await file.flush();
      file.flushNow();
      await file.close();
      expect(textOf(at('a'))).toBe('re');
    });

    it('creates only what is not there, and follows no link for its own names', () => {
      put(at('a'), 'first');
      expect(() => files.openNow(at('a'), openFlags.create)).toThrow(withCode('EEXIST'));
      expect(() => files.openNow(at('b'), openFlags.read)).toThrow(withCode('ENOENT'));
      if (!posix) return;
      expect(files.stat(at('a'))!.isFile()).toBe(true);
      files.link(at('a'), at('second'));
      expect(textOf(at('second'))).toBe('first');
    });

    it('sets times with fractions', async () => {
      const file: OpenFile = files.openNow(at('a'), openFlags.writeOwnOrCreate, 0o600);
      await file.setTimes('1.5');
      expect(file.statNow().mtimeMs).toBe(1_500);
      file.setTimesNow('2.25');
      expect(files.stat(at('a'))!.mtimeMs).toBe(2_250);
      file.closeNow();
    });

    it('says what is there, and nothing where nothing is', async () => {
      put(at('file'), 'four');
      files.mkdir(at('folder'), 0o700);
      expect(files.stat(at('file'))).toMatchObject({ size: 4 });
      expect(files.lstatNow(at('folder'))!.isDirectory()).toBe(true);
      expect((await files.lstat(at('file')))!.isFile()).toBe(true);
      expect(files.stat(at('none'))).toBeNull();
      expect(files.lstatNow(at('none'))).toBeNull();
      expect(await files.lstat(at('none'))).toBeNull();
      files.access(at('file'), accessModes.read | accessModes.write);
      expect(() => files.access(at('none'), accessModes.exist)).toThrow(withCode('ENOENT'));
      expect(() => files.mkdir(at('folder'))).toThrow(withCode('EEXIST'));
      expect(() => files.mkdir(at('none', 'below'))).toThrow(withCode('ENOENT'));
      expect(() => files.realPath(at('none'))).toThrow(withCode('ENOENT'));
      expect(files.realPath(at('folder', '..', 'file'))).toBe(join(files.realPath(folder.path), 'file'));
    });

    it('lists a directory at once, entry by entry, and in a loop that closes it', async () => {
      for (const name of ['a', 'b', 'c']) put(at(name));
      files.mkdir(at('d'));
      expect(files.list(folder.path).sort()).toEqual(['a', 'b', 'c', 'd']);
      const directory = await files.openDirectory(folder.path, 2);
      const kinds = new Map<string, boolean>();
      for (let entry = await directory.read(); entry; entry = await directory.read()) kinds.set(entry.name, entry.isDirectory());
      await directory.close();
      expect([...kinds].sort()).toEqual([
        ['a', false],
        ['b', false],
        ['c', false],
        ['d', true],
      ]);
      const names: string[] = [];
      for await (const { name } of await files.openDirectory(folder.path, 100)) names.push(name);
      expect(names.sort()).toEqual(['a', 'b', 'c', 'd']);
      await expect(files.openDirectory(at('none'), 2)).rejects.toEqual(withCode('ENOENT'));
      expect(() => files.list(at('none'))).toThrow(withCode('ENOENT'));
    });

    it('moves, links and removes', async () => {
      put(at('a'), 'one');
      put(at('b'), 'two');
      files.rename(at('a'), at('b'));
      expect(textOf(at('b'))).toBe('one');
      put(at('a'), 'other');
      expect(() => files.link(at('b'), at('a'))).toThrow(withCode('EEXIST'));
      files.unlink(at('a'));
      expect(() => files.unlink(at('a'))).toThrow(withCode('ENOENT'));
      files.removeNow(at('a'));
      await files.remove(at('a'));
      await files.remove(at('b'));
      files.mkdir(at('tree'));
      put(at('tree', 'leaf'));
      expect(() => files.rmdir(at('tree'))).toThrow(withCode('ENOTEMPTY'));
      files.mkdir(at('tree', 'empty'));
      files.rmdir(at('tree', 'empty'));
      await files.removeTree(at('tree'));
      await files.removeTree(at('tree'));
      expect(files.list(folder.path)).toEqual([]);
      expect(() => files.rename(at('a'), at('b'))).toThrow(withCode('ENOENT'));
    });

    it('tells a folder from another one of the same name', () => {
      files.mkdir(at('a'));
      const first = files.identity(at('a'));
      expect(first).toBe(files.identity(at('a')));
      files.rename(at('a'), at('b'));
      files.mkdir(at('a'));
      expect(files.identity(at('b'))).toBe(first);
      expect(files.identity(at('a'))).not.toBe(first);
      expect(files.identity(at('none'))).toBeNull();
    });

    it('knows the space of a disk', async () => {
      const { total, free } = files.space(folder.path);
      expect(total).toBeGreaterThan(0);
      if (free !== null) expect(free).toBeLessThanOrEqual(total);
      expect(() => files.space(at('none'))).toThrow(expect.objectContaining({ code: 'ENOENT' }));
      expect(typeof (await files.isLocal(folder.path))).toBe('boolean');
    });

    it.runIf(process.platform === 'linux')('reaches an open directory by its descriptor, whatever its name has become', async () => {
      files.mkdir(at('a'));
      put(at('a', 'file'), 'in');
      const directory = files.openNow(at('a'), openFlags.directory);
      const path = `/proc/self/fd/${directory.descriptor}`;
      files.rename(at('a'), at('b'));
      files.mkdir(at('a'));
      expect(files.readLink(path)).toBe(join(files.realPath(folder.path), 'b'));
      expect(files.list(path)).toEqual(['file']);
      expect(textOf(join(path, 'file'))).toBe('in');
      directory.closeNow();
    });

    it('makes a scan due after an event, and none once it is closed', async () => {
      files.mkdir(at('in'));
      let due = Promise.withResolvers<void>();
      let scans = 0;
      const clock = createFakeClock();
      const options: WatchOptions = {
        onScanDue: () => {
          scans++;
          due.resolve();
        },
        onTrouble: (error) => due.reject(error),
        settleMs: 10,
        maximumDelayMs: 1_000,
        rescanMs: 60_000,
        pollMs: 60_000,
        ignored: (path) => path.endsWith('.part'),
        clock,
      };
      const watch = files.watch(folder.path, options);
      expect(await watch.ready).toBe('events');
      expect(scans).toBe(1);
      const pending = clock.pending;
      due = Promise.withResolvers();
      put(at('in', 'file'), 'new');
      // The event comes from the system, whenever that is; then the schedule waits for the clock.
      while (clock.pending === pending) await sleep(5);
      clock.advance(10);
      await due.promise;
      expect(scans).toBe(2);
      await watch.close();
      clock.advance(120_000);
      expect(scans).toBe(2);
    });
  });
}
