import { describe, expect, it } from 'vitest';
import type { PortalRestrictions } from '#protocol/portal-restrictions.ts';
import { type Entry, mergeEntries, pathOf } from '#web/sending/files/entry.ts';
import { fromHandles, fromInput, handlePickers } from '#web/sending/files/read-entries.ts';
import { judge } from '#web/sending/files/rules.ts';

const everything: PortalRestrictions = { maxPackageSize: 0, maxFileSize: 0, maxFileCount: 0, fileTypes: null };
const entry = (whole: string, size = 1, kind: Entry['kind'] = 'file'): Entry => {
  const parts = whole.split('/');
  return { kind, name: parts.at(-1)!, path: parts.slice(0, -1).join('/'), size, lastModified: 0, file: null, root: null };
};

describe('chosen files', () => {
  it('stand by path as people count, and the newer of one path replaces the older', () => {
    const before = [entry('a/take-10.mov'), entry('a/take-2.mov', 5)];
    const merged = mergeEntries(before, [entry('a/take-2.mov', 7), entry('a/take-1.mov')]);
    expect(merged.map((one) => [pathOf(one), one.size])).toEqual([
      ['a/take-1.mov', 1],
      ['a/take-2.mov', 7],
      ['a/take-10.mov', 1],
    ]);
  });

  it('of an input have the folders that were chosen with them', () => {
    const inFolder = new File(['abc'], 'notes.txt', { lastModified: 5 });
    Object.defineProperty(inFolder, 'webkitRelativePath', { value: 'A001/audio/notes.txt' });
    const alone = new File([], 'empty.txt');
    Object.defineProperty(alone, 'webkitRelativePath', { value: '' });
    expect(fromInput([inFolder, alone]).entries.map((one) => [pathOf(one), one.size])).toEqual([
      ['A001/audio/notes.txt', 3],
      ['empty.txt', 0],
    ]);
  });
});

/** Handles as a browser gives them, over a plain tree: text is a file, null one that cannot be read. */
type Tree = { readonly [name: string]: string | null | Tree };
function handle(name: string, node: string | null | Tree): FileSystemHandle {
  if (typeof node === 'object' && node !== null) {
    async function* values() {
      for (const [child, inside] of Object.entries(node as Tree)) yield handle(child, inside);
    }
    return { kind: 'directory', name, values } as unknown as FileSystemHandle;
  }
  const getFile = async () => {
    if (node === null) throw new DOMException('', 'NotReadableError');
    return new File([node], name);
  };
  return { kind: 'file', name, getFile } as unknown as FileSystemHandle;
}

describe('what handles lead to', () => {
  it('is every file, every empty folder, and the names of what cannot be read', async () => {
    const root = handle('A001', { 'a.mov': 'xyz', audio: { 't1.wav': 'x', broken: null }, empty: {} });
    const { entries, unreadable } = await fromHandles([root, handle('alone.txt', 'hi')]);
    expect(entries.map((one) => [one.kind, pathOf(one), one.size])).toEqual([
      ['file', 'A001/a.mov', 3],
      ['file', 'A001/audio/t1.wav', 1],
      ['directory', 'A001/empty', 0],
      ['file', 'alone.txt', 2],
    ]);
    expect(entries[1]!.root).toBe(root);
    expect(unreadable).toEqual(['A001/audio/broken']);
  });

  it('is asked for where the browser has pickers; giving up is no failure, being refused is', async () => {
    expect(handlePickers({})).toBeNull();
    const refused = (name: string) => () => Promise.reject(new DOMException('', name));
    const pickers = handlePickers({ showOpenFilePicker: refused('AbortError'), showDirectoryPicker: refused('SecurityError') })!;
    expect(await pickers.files()).toBeNull();
    await expect(pickers.folder()).rejects.toThrow(DOMException);
  });
});

describe('what a Portal takes', () => {
  it('goes by extension, regardless of case; a name that only begins with a dot has none', () => {
    const all = ['a.MOV', 'b.mov.txt', '.mov', 'c', 'd.mov'].map((name) => entry(name));
    const { faults, files } = judge(all, { ...everything, fileTypes: ['.mov'] });
    expect([...faults].map(([one, fault]) => [one.name, fault])).toEqual([
      ['b.mov.txt', 'type'],
      ['.mov', 'type'],
      ['c', 'type'],
    ]);
    expect(files).toBe(2);
  });

  it('is bounded by size, count and sum; what cannot go does not count, nor do folders', () => {
    const all = [entry('a', 10), entry('b', 11), entry('c', 10), entry('d', 0, 'directory')];
    const limits = { ...everything, maxFileSize: 10 };
    expect(judge(all, limits)).toMatchObject({ files: 2, bytes: 20, sum: null });
    expect(judge(all, { ...limits, maxFileCount: 1 }).sum).toBe('too_many');
    expect(judge(all, { ...limits, maxFileCount: 2, maxPackageSize: 19 }).sum).toBe('too_much');
    expect(judge(all, { ...limits, maxFileCount: 2, maxPackageSize: 20 }).sum).toBeNull();
  });

  it('is no name that some system cannot hold, and no two that differ by case or accents alone', () => {
    const all = [entry('con.txt'), entry('a/b:c/d.txt'), entry('Über.txt'), entry('U\u0308BER.TXT'), entry('x/über.txt')];
    const { faults } = judge(all, everything);
    expect([...faults].map(([one, fault]) => [pathOf(one), fault])).toEqual([
      ['con.txt', 'name'],
      ['a/b:c/d.txt', 'name'],
      ['U\u0308BER.TXT', 'clash'],
    ]);
  });
});
