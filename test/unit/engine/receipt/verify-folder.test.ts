import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Difference, type VerifyJob, verifyFolder } from '#engine/receipt/verify-folder.ts';
import { entriesOfTree, signedReceipt, type TestReceipt } from '../../../support/service/receipts.ts';
import { seededBytes, type Tree, writeTree } from '../../../support/system/file-tree.ts';
import { tempFolder } from '../../../support/system/temp-folder.ts';

const chunkSize = 1_500_000;
const tree: Tree = {
  'clip.mov': seededBytes(2 * chunkSize + 7, 1),
  'exact.bin': seededBytes(2 * chunkSize, 2),
  'zero.bin': '',
  'a/b/deep.txt': 'deep',
  'Grüße/日本語 🎬.txt': 'ünïcode',
  empty: null,
};

let folder: Awaited<ReturnType<typeof tempFolder>>;
let receipt: TestReceipt;
let root: string;

beforeEach(async () => {
  folder = await tempFolder();
  root = join(folder.path, 'root');
  writeTree(root, tree);
  receipt = await signedReceipt(await entriesOfTree(tree, chunkSize));
});
afterEach(() => folder.remove());

async function verify(changes: Partial<VerifyJob> = {}) {
  const found: Difference[] = [];
  const done = { files: 0, bytes: 0 };
  const verified = await verifyFolder({
    folder: root,
    receipt: () => Readable.from([Buffer.from(receipt.text)]),
    keys: receipt.keys,
    extras: true,
    ignore: new Set(),
    signal: new AbortController().signal,
    begin: () => {},
    found: (difference) => found.push(difference),
    advance: (files, bytes) => {
      done.files += files;
      done.bytes += bytes;
    },
    ...changes,
  });
  return { verified, done, found: found.toSorted((a, b) => (a.path < b.path ? -1 : 1)) };
}

it('finds nothing in a folder that is as its receipt has it, whatever the times', async () => {
  utimesSync(join(root, 'clip.mov'), 1, 1);
  const { verified, found, done } = await verify();
  expect(found).toEqual([]);
  expect(verified).toMatchObject({ differences: { missing: 0, changed: 0, unreadable: 0, extra: 0 }, withoutDigest: 0 });
  expect(done).toEqual({ files: 5, bytes: verified.claims.bytes });
});

it('finds a name with a direction control by itself, as its sender has it, and replaced, as a download writes it', async () => {
  const turned = { 'day\u2066/photo\u202egnp.exe': Buffer.from('x') };
  receipt = await signedReceipt(await entriesOfTree(turned, chunkSize));
  for (const name of ['day\u2066/photo\u202egnp.exe', 'day_/photo_gnp.exe']) {
    root = join(folder.path, `root of ${name.length} ${name.slice(0, 3)} ${name.includes('_')}`);
    writeTree(root, { [name]: Buffer.from('x') });
    expect((await verify()).found).toEqual([]);
  }
  writeTree(root, { 'day_/photo_gnp.exe': Buffer.from('y') });
  expect((await verify()).found).toMatchObject([{ kind: 'changed' }]);
});

it('finds what is missing, changed and extra, each by its path', async () => {
  rmSync(join(root, 'a'), { recursive: true });
  const bytes = readFileSync(join(root, 'clip.mov'));
  bytes[chunkSize + 5]! ^= 1;
  writeFileSync(join(root, 'clip.mov'), bytes);
  truncateSync(join(root, 'exact.bin'), 10);
  rmSync(join(root, 'empty'), { recursive: true });
  mkdirSync(join(root, 'more', 'deeper'), { recursive: true });
  writeFileSync(join(root, 'more', 'deeper', 'file'), '');
  symlinkSync('/etc/hostname', join(root, 'link'));
  renameSync(join(root, 'zero.bin'), join(root, 'zero2.bin'));
  const { verified, found } = await verify();
  expect(found).toEqual([
    { kind: 'missing', path: 'a/b/deep.txt', detail: '' },
    { kind: 'changed', path: 'clip.mov', detail: 'its content is another' },
    { kind: 'missing', path: 'empty', detail: '' },
    { kind: 'changed', path: 'exact.bin', detail: 'it has 10 bytes, not 3000000' },
    { kind: 'extra', path: 'link', detail: 'a symbolic link' },
    { kind: 'extra', path: 'more/deeper/file', detail: '' },
    { kind: 'missing', path: 'zero.bin', detail: '' },
    { kind: 'extra', path: 'zero2.bin', detail: '' },
  ]);
  expect(verified.differences).toEqual({ missing: 3, changed: 2, unreadable: 0, extra: 3 });
});

it('takes no notice of what is extra where nobody asks, or of what is to be ignored', async () => {
  writeFileSync(join(root, 'extra'), '');
  expect((await verify({ extras: false })).found).toEqual([]);
  expect((await verify({ ignore: new Set([join(root, 'extra')]) })).found).toEqual([]);
});

it('follows no link, and takes a file for no folder', async () => {
  renameSync(join(root, 'clip.mov'), join(folder.path, 'elsewhere'));
  symlinkSync(join(folder.path, 'elsewhere'), join(root, 'clip.mov'));
  rmSync(join(root, 'a'), { recursive: true });
  writeFileSync(join(root, 'a'), 'a file');
  rmSync(join(root, 'empty'), { recursive: true });
  writeFileSync(join(root, 'empty'), '');
  rmSync(join(root, 'zero.bin'));
  mkdirSync(join(root, 'zero.bin'));
  const { found } = await verify({ extras: false });
  expect(found).toEqual([
    { kind: 'missing', path: 'a/b/deep.txt', detail: '' },
    { kind: 'changed', path: 'clip.mov', detail: 'it is a symbolic link, not a file' },
    { kind: 'changed', path: 'empty', detail: 'it is a file, not a folder' },
    { kind: 'changed', path: 'zero.bin', detail: 'it is a folder, not a file' },
  ]);
});

it.skipIf(process.getuid?.() === 0)('says what cannot be read', async () => {
  chmodSync(join(root, 'clip.mov'), 0);
  expect((await verify()).found).toEqual([{ kind: 'unreadable', path: 'clip.mov', detail: expect.stringContaining('EACCES') }]);
});

it('compares sizes alone where the receipt has no digest, and says of how many', async () => {
  receipt = await signedReceipt(receipt.entries.map(({ digest: _, ...entry }) => entry));
  writeFileSync(join(root, 'a/b/deep.txt'), 'reep');
  const { verified, found } = await verify();
  expect([found, verified.withoutDigest]).toEqual([[], 5]);
});

it('looks at no file before the receipt has been found to hold', async () => {
  const corrupted = receipt.text.replace('deep.txt', 'deer.txt');
  const run = verify({ receipt: () => Readable.from([Buffer.from(corrupted)]), advance: () => expect.unreachable() });
  await expect(run).rejects.toMatchObject({ error: 'receipt_invalid', message: expect.stringContaining('changed or cut off') });
});

it('trusts no other key where keys are given, and takes the enclosed one where none are', async () => {
  const { createReceiptSigner } = await import('#service/receipts/signer.ts');
  const other = await createReceiptSigner(Buffer.alloc(32, 2));
  await expect(verify({ keys: { keys: [other.key] } })).rejects.toMatchObject({ error: 'receipt_invalid' });
  expect((await verify({ keys: { keys: [other.key, ...receipt.keys.keys] } })).found).toEqual([]);
  expect((await verify({ keys: 'enclosed' })).verified.keyId).toBe(receipt.keys.keys[0]!.kid);
});

it('stops at once when it is told to', async () => {
  const stopping = new AbortController();
  const run = verify({ signal: stopping.signal, advance: () => stopping.abort(new Error('stop')) });
  await expect(run).rejects.toThrow('stop');
});

it('knows ten thousand names from ten thousand others', async () => {
  const { createHashSet: createMarks } = await import('#engine/receipt/hash-set.ts');
  const marks = createMarks();
  expect(marks.has('0')).toBe(false);
  for (let number = 0; number < 10_000; number++) marks.add(String(number));
  for (let number = 0; number < 20_000; number++) expect(marks.has(String(number))).toBe(number < 10_000);
  marks.add('late');
  expect([marks.has('late'), marks.size]).toEqual([true, 10_001]);
});
