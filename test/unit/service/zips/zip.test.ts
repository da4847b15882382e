import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import { Checksums } from '#service/zips/checksums.ts';
import { layOut } from '#service/zips/layout.ts';
import { entryNames, type ZipFlavour } from '#service/zips/names.ts';
import { type Zip, zipBytes } from '#service/zips/stream.ts';
import { caseVariants } from '#test/support/case-variants.ts';
import { runs } from '#test/support/faults/seeds.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

const files = [
  { kind: 'directory', path: '', name: 'empty', size: 0 },
  { kind: 'file', path: '', name: 'Ünï 🎬.txt', size: 5 },
  { kind: 'file', path: '', name: 'zero', size: 0 },
  { kind: 'file', path: 'camera a', name: 'A001.mov', size: 200_000 },
  { kind: 'file', path: 'camera a', name: 'a001.mov', size: 70 },
  ...Array.from({ length: 40 }, (_, index) => ({ kind: 'file' as const, path: 'many', name: `f${index}`, size: index * 37 })),
] as const;

const keyOf = (id: number): string => `object-${id}`;

const contentOf = (id: string, size: number): Buffer =>
  Buffer.from(Uint8Array.from({ length: size }, (_, at) => (at * 31 + Number(id) * 7) % 251));

const storage = {
  async read(key: string, range?: { readonly start: number; readonly end: number }) {
    const id = files.findIndex((_, index) => keyOf(index) === key);
    return Readable.from([contentOf(String(id), files[id]!.size).subarray(range?.start ?? 0, range ? range.end + 1 : undefined)]);
  },
};

function newZip(flavour: ZipFlavour): Zip {
  const names = entryNames(flavour, files);
  const entries = files.map(({ kind, size }, index) => ({
    id: String(index),
    key: keyOf(index),
    name: Buffer.from(names[index]!),
    size,
    directory: kind === 'directory',
    modified: new Date('2026-11-20T18:04:12Z'),
  }));
  return { flavour, layout: layOut(entries), checksums: new Checksums(entries, new Map()) };
}

async function bytesOf(zip: Zip, start = 0, last = zip.layout.size - 1): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of zipBytes(zip, storage, start, last)) pieces.push(piece);
  return Buffer.concat(pieces);
}

it.each(['zip_windows', 'zip_mac'] as const)('%s has the announced length, and Python reads every file of it', async (flavour) => {
  const zip = newZip(flavour);
  const bytes = await bytesOf(zip);
  expect(bytes.length).toBe(zip.layout.size);
  const folder = await tempFolder();
  try {
    const path = join(folder.path, 'package.zip');
    writeFileSync(path, bytes);
    const script =
      'import json,sys,zipfile,hashlib\nz=zipfile.ZipFile(sys.argv[1])\nassert z.testzip() is None\n' +
      'print(json.dumps([[i.filename,i.file_size,hashlib.sha256(z.read(i)).hexdigest(),list(i.date_time)] for i in z.infolist()]))';
    const read = JSON.parse(execFileSync('python3', ['-c', script, path], { encoding: 'utf8' })) as unknown[][];
    const { createHash } = await import('node:crypto');
    expect(read).toEqual(
      files.map(({ size }, index) => [
        entryNames(flavour, files)[index],
        size,
        createHash('sha256')
          .update(contentOf(String(index), size))
          .digest('hex'),
        [2026, 11, 20, 18, 4, 12],
      ]),
    );
  } finally {
    await folder.remove();
  }
});

it('returns any range as the slice of the whole, whichever checksums were known before', async () => {
  const whole = await bytesOf(newZip('zip_mac'));
  const offset = fc.nat({ max: whole.length - 1 });
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(offset, offset), { minLength: 1, maxLength: 3 }), async (ranges) => {
      const zip = newZip('zip_mac');
      for (const [one, other] of ranges) {
        const [start, last] = [Math.min(one, other), Math.max(one, other)];
        expect((await bytesOf(zip, start, last)).equals(whole.subarray(start, last + 1))).toBe(true);
      }
    }),
    { numRuns: runs(20, 1_000) },
  );
});

it('replaces characters that reverse the direction of text', () => {
  const names = entryNames('zip_windows', [
    { kind: 'file', path: 'a\u2067', name: 'photo\u202egnp.exe' },
    { kind: 'file', path: 'a_', name: 'photo_gnp.exe' },
    { kind: 'directory', path: '', name: 'b\u200e' },
  ]);
  expect(names).toEqual(['a_/photo_gnp.exe', 'a_/photo_gnp (2).exe', 'b_/']);
});

it('makes names different that one system treats as the same', () => {
  const names = entryNames('zip_windows', [
    { kind: 'file', path: '', name: 'A.mov' },
    { kind: 'file', path: '', name: 'a.mov' },
    { kind: 'file', path: '', name: 'sub' },
    { kind: 'file', path: 'Sub', name: 'x' },
  ]);
  expect(names).toEqual(['A.mov', 'a (2).mov', 'sub (2)', 'Sub/x']);
});

it('looks at each of many names that differ only in case a few times', () => {
  const many = caseVariants(2_000).map((name) => ({ kind: 'file' as const, path: 'Take', name }));
  const looks = vi.spyOn(String.prototype, 'normalize');
  const names = entryNames('zip_windows', many);
  const times = looks.mock.calls.length;
  looks.mockRestore();
  expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(many.length);
  expect(times).toBeLessThan(10 * many.length);
});

it('looks at no folder above others by itself', () => {
  const deep = Array.from({ length: 20 }, (_, index) => ({ kind: 'file' as const, path: `${index}${'/A'.repeat(1_000)}`, name: 'x' }));
  const looks = vi.spyOn(String.prototype, 'normalize');
  const names = entryNames('zip_windows', [...deep, { kind: 'file', path: '3/a/a', name: 'a' }]);
  const times = looks.mock.calls.length;
  looks.mockRestore();
  expect(deep.every(({ path }, index) => names[index] === `${path}/x`)).toBe(true);
  expect(names[20]).toBe('3/a/a/a (2)');
  expect(times).toBeLessThan(10 * deep.length);
});
