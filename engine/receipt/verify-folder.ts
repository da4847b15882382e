import { join } from 'node:path';
import { chunkCount, chunkSlice, digestOfChunks } from '#client/chunks.ts';
import { forEachConcurrent } from '#client/for-each-concurrent.ts';
import { openFlags } from '#filesystem/flags.ts';
import { readFully } from '#filesystem/fully.ts';
import { nodeFileSystem } from '#filesystem/node-file-system.ts';
import type { FileStats, FileSystem } from '#filesystem/port.ts';
import type { ReceiptEntry } from '#protocol/receipt.ts';
import { systemCode, wordsOf } from '../errors.ts';
import { blake3Hex, createSliceDigest } from '../io/digests.ts';
import { filesComparedAtOnce } from '../transfer/concurrency/limits.ts';
import type { Keys } from './check-signature.ts';
import { createHashSet, type HashSet } from './hash-set.ts';
import { type CheckedReceipt, type Pieces, readReceipt, receivedPath } from './read-receipt.ts';

type DifferenceKind = 'missing' | 'changed' | 'unreadable' | 'extra';

/** A difference between a folder and its receipt. */
export interface Difference {
  readonly kind: DifferenceKind;
  /** Below the folder, with `/`. */
  readonly path: string;
  /** For people; empty if the kind says everything. */
  readonly detail: string;
}

export interface VerifyJob {
  readonly folder: string;
  /** Opens the receipt; it is read twice. */
  readonly receipt: () => Pieces;
  readonly keys: Keys;
  /** Whether to search for files that are not in the receipt. */
  readonly extras: boolean;
  /** Absolute paths that are not extra, such as the receipt's own. */
  readonly ignore: ReadonlySet<string>;
  readonly signal: AbortSignal;
  /** By default the real disks. */
  readonly fileSystem?: FileSystem;
  /** Called with the content once the receipt is verified. */
  readonly begin: (checked: CheckedReceipt) => void;
  readonly found: (difference: Difference) => void;
  /** More files are done, more bytes read. */
  readonly advance: (files: number, bytes: number) => void;
}

export interface Verified extends CheckedReceipt {
  readonly differences: Readonly<Record<DifferenceKind, number>>;
  /** Files without a digest in the receipt: only their size was compared. */
  readonly withoutDigest: number;
}

const stride = 1024 * 1024;

/**
 * Compares a folder with a receipt without a service: the receipt's signature (`receipt_invalid`), then each of its files
 * by size and digest, then the files that it does not name. Memory grows by 8 bytes for each file, and not with sizes.
 * Rejects with the signal's reason.
 */
export async function verifyFolder(job: VerifyJob): Promise<Verified> {
  const { folder, signal, keys, fileSystem = nodeFileSystem } = job;
  const differences = { missing: 0, changed: 0, unreadable: 0, extra: 0 };
  const found = (kind: DifferenceKind, path: string, detail: string): void => {
    differences[kind]++;
    job.found({ kind, path, detail });
  };
  const named = createHashSet();
  const checked = await readReceipt(job.receipt(), keys, (entries) => {
    signal.throwIfAborted();
    if (!job.extras) return;
    for (const entry of entries) {
      named.add(nameOf(entry.path));
      const received = receivedPath(entry);
      if (received !== entry.path) named.add(nameOf(received));
    }
  });
  job.begin(checked);

  let withoutDigest = 0;
  const second = await readReceipt(job.receipt(), keys, async (entries) => {
    await forEachConcurrent(filesComparedAtOnce, [...entries.keys()], async (index) => {
      signal.throwIfAborted();
      const entry = entries[index]!;
      if (entry.kind === 'file' && entry.digest === undefined) withoutDigest++;
      const wrong = await check(fileSystem, folder, entry, (bytes) => job.advance(0, bytes), signal);
      if (wrong) found(wrong.kind, entry.path, wrong.detail);
      if (entry.kind === 'file') job.advance(1, 0);
    });
  });
  if (job.extras) await findExtras(job, fileSystem, named, found);
  return { ...second, differences, withoutDigest };
}

type Wrong = Pick<Difference, 'kind' | 'detail'> | null;

const missing: Wrong = { kind: 'missing', detail: '' };
const changed = (detail: string): Wrong => ({ kind: 'changed', detail });

async function check(
  fileSystem: FileSystem,
  folder: string,
  entry: ReceiptEntry,
  onBytes: (count: number) => void,
  signal: AbortSignal,
): Promise<Wrong> {
  try {
    // The sender's folder has the original name, a download may have the replaced one.
    const [path, stats] = entryAt(fileSystem, folder, entry.path) ?? entryAt(fileSystem, folder, receivedPath(entry)) ?? ['', null];
    if (!stats) return missing;
    if (entry.kind === 'directory') return stats.isDirectory() ? null : changed(`it is ${kindOf(stats)}, not a folder`);
    if (!stats.isFile()) return changed(`it is ${kindOf(stats)}, not a file`);
    const { size = 0, digest } = entry;
    if (stats.size !== size) return changed(`it has ${stats.size} bytes, not ${size}`);
    if (digest === undefined) return null;
    return (await digestOf(fileSystem, path, entry, onBytes, signal)) === digest ? null : changed('its content is another');
  } catch (cause) {
    signal.throwIfAborted();
    const code = systemCode(cause);
    // ENOTDIR: a parent folder is a file now.
    if (code === 'ENOENT' || code === 'ENOTDIR') return missing;
    if (code === '') throw cause;
    return { kind: 'unreadable', detail: wordsOf(cause) };
  }
}

function entryAt(fileSystem: FileSystem, folder: string, path: string): [found: string, stats: FileStats] | null {
  const found = join(folder, ...path.split('/'));
  const stats = fileSystem.lstatNow(found);
  return stats ? [found, stats] : null;
}

async function digestOf(
  fileSystem: FileSystem,
  path: string,
  entry: ReceiptEntry,
  onBytes: (count: number) => void,
  signal: AbortSignal,
): Promise<string | null> {
  const { size = 0, chunk_size: chunkSize = Math.max(1, size) } = entry;
  const file = await fileSystem.open(path, openFlags.read);
  const buffer = Buffer.allocUnsafe(Math.max(1, Math.min(stride, size)));
  try {
    const chunks: string[] = [];
    for (let index = 0; index < chunkCount(size, chunkSize); index++) {
      const { offset, length } = chunkSlice(index, size, chunkSize);
      const digest = createSliceDigest(false);
      for (let done = 0; done < length; ) {
        signal.throwIfAborted();
        const wanted = Math.min(buffer.length, length - done);
        const got = await readFully(file, buffer, wanted, offset + done);
        // The file was shortened while it was read.
        if (got < wanted) return null;
        digest.update(buffer.subarray(0, got));
        done += got;
        onBytes(got);
      }
      chunks.push(digest.end().blake3);
    }
    return await digestOfChunks(blake3Hex, chunks);
  } finally {
    await file.close();
  }
}

function kindOf(stats: FileStats): string {
  if (stats.isDirectory()) return 'a folder';
  if (stats.isFile()) return 'a file';
  return stats.isSymbolicLink() ? 'a symbolic link' : 'a device, pipe or socket';
}

/** Some file systems on macOS return names in decomposed form. */
const nameOf = (path: string): string => (process.platform === 'darwin' ? path.normalize('NFC') : path);

/** Entries examined before other work gets a turn. */
const entriesAtOnce = 512;

/** Reports files that the receipt does not name. Symbolic links are not followed. */
async function findExtras(
  { folder, ignore, signal }: VerifyJob,
  fileSystem: FileSystem,
  named: HashSet,
  found: (kind: DifferenceKind, path: string, detail: string) => void,
): Promise<void> {
  const waiting = [''];
  let looked = 0;
  for (let below = waiting.pop(); below !== undefined; below = waiting.pop()) {
    try {
      for await (const entry of await fileSystem.openDirectory(join(folder, ...below.split('/')), entriesAtOnce)) {
        if (++looked % entriesAtOnce === 0) await new Promise((resume) => setImmediate(resume));
        signal.throwIfAborted();
        const path = below === '' ? entry.name : `${below}/${entry.name}`;
        if (entry.isDirectory()) waiting.push(path);
        else if (!named.has(nameOf(path)) && !ignore.has(join(folder, ...path.split('/')))) {
          found('extra', path, entry.isSymbolicLink() ? 'a symbolic link' : '');
        }
      }
    } catch (cause) {
      signal.throwIfAborted();
      const code = systemCode(cause);
      if (code === '') throw cause;
      // A folder that was deleted meanwhile: its files are reported as missing already.
      if (code !== 'ENOENT') found('unreadable', below || '.', wordsOf(cause));
    }
  }
}
