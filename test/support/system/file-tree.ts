import { createCipheriv, createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Relative paths with `/` to contents; `null` is an empty folder. */
export type Tree = Readonly<Record<string, Buffer | string | null>>;

export function writeTree(root: string, tree: Tree): void {
  mkdirSync(root, { recursive: true });
  for (const [path, content] of Object.entries(tree)) {
    const place = join(root, path);
    mkdirSync(content === null ? place : dirname(place), { recursive: true });
    if (content !== null) writeFileSync(place, content);
  }
}

export const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** Every file below a folder by its SHA-256, and every empty folder as `null`. */
export function readTree(root: string, below = ''): Record<string, string | null> {
  const found: Record<string, string | null> = {};
  const entries = readdirSync(join(root, below), { withFileTypes: true });
  if (entries.length === 0 && below !== '') found[below] = null;
  for (const entry of entries) {
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory()) Object.assign(found, readTree(root, path));
    else found[path] = sha256(readFileSync(join(root, path)));
  }
  return found;
}

/** Bytes that look random and are the same for the same seed: a stream cipher makes them a hundred times as fast as a loop. */
export function seededBytes(length: number, seed: number): Buffer {
  const key = Buffer.alloc(16);
  key.writeUInt32LE(seed >>> 0);
  return createCipheriv('aes-128-ctr', key, Buffer.alloc(16)).update(Buffer.alloc(length));
}
