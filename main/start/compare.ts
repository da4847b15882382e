import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

export interface Comparison {
  readonly files: number;
  readonly bytes: number;
  /** One sentence for each entry that differs. */
  readonly differences: readonly string[];
}

/**
 * Compares a file or folder with its copy, byte for byte (by SHA-256, which nothing else here uses, so that an error in
 * our own digests could not hide). Symbolic links and devices are skipped, as in a package.
 */
export async function compareTrees(original: string, copy: string): Promise<Comparison> {
  const [originals, copies] = await Promise.all([entriesOf(original), entriesOf(copy)]);
  const differences: string[] = [];
  let files = 0;
  let bytes = 0;
  for (const [path, entry] of originals) {
    const other = copies.get(path);
    const shown = path || '.';
    if (!other) differences.push(`${shown} is missing`);
    else if (other.kind !== entry.kind) differences.push(`${shown} is a ${other.kind}, not a ${entry.kind}`);
    else if (entry.kind === 'file') {
      files += 1;
      bytes += entry.size;
      if (other.size !== entry.size) differences.push(`${shown} has ${other.size} bytes, not ${entry.size}`);
      else {
        const [wanted, got] = await Promise.all([digest(join(original, path), entry.size), digest(join(copy, path), entry.size)]);
        if (wanted !== got) differences.push(`${shown} has other bytes`);
      }
    }
  }
  for (const path of copies.keys()) if (!originals.has(path)) differences.push(`${path || '.'} should not be there`);
  return { files, bytes, differences };
}

interface Entry {
  readonly kind: 'file' | 'folder';
  readonly size: number;
}

/** Files and folders below a root, by relative path. The root itself is the empty path. */
async function entriesOf(root: string): Promise<Map<string, Entry>> {
  const found = new Map<string, Entry>();
  const pending = [''];
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    const stats = await lstat(join(root, path)).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    });
    if (stats?.isFile()) found.set(path, { kind: 'file', size: stats.size });
    if (!stats?.isDirectory()) continue;
    found.set(path, { kind: 'folder', size: 0 });
    for (const name of await readdir(join(root, path))) pending.push(path === '' ? name : join(path, name));
  }
  return found;
}

async function digest(path: string, size: number): Promise<string> {
  const hash = createHash('sha256');
  // The stream allocates its whole buffer with the first byte: for thousands of small files that would be gigabytes.
  const highWaterMark = Math.min(size, 1024 * 1024) || 1;
  await pipeline(createReadStream(path, { highWaterMark }), hash);
  return hash.digest('hex');
}
