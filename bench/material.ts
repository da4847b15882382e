import { randomFillSync } from 'node:crypto';
import { closeSync, mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { basename, join } from 'node:path';

/** What is sent: one big file, and a folder of small ones. Random bytes, so that nobody compresses or merges them. */

export interface Sizes {
  readonly bigBytes: number;
  readonly smallFiles: number;
  readonly smallBytes: number;
  /** How much memory is touched before each run. */
  readonly touchBytes: number;
}

const kibi = 1024;
const mebi = 1024 * kibi;
const gibi = 1024 * mebi;

export const fullSizes: Sizes = { bigBytes: gibi, smallFiles: 10_000, smallBytes: 10 * kibi, touchBytes: 2.5 * gibi };
/** Of each file, where files of many gigabytes in all are what is measured. */
export const largeBytes = 100 * mebi;
export const quickSizes: Sizes = { bigBytes: 24 * mebi, smallFiles: 200, smallBytes: 10 * kibi, touchBytes: 64 * mebi };

export interface Material extends Sizes {
  /** The big file. */
  readonly big: string;
  /** The folder of small files, all right in it. */
  readonly small: string;
  /** Names of the small files. */
  readonly names: readonly string[];
}

export function makeMaterial(folder: string, sizes: Sizes): Material {
  const big = join(folder, 'big.bin');
  const small = join(folder, 'small');
  writeRandom(big, sizes.bigBytes);
  mkdirSync(small);
  const names = Array.from({ length: sizes.smallFiles }, (_, index) => `${String(index).padStart(5, '0')}.bin`);
  const bytes = Buffer.allocUnsafe(sizes.smallBytes);
  for (const name of names) writeFileSync(join(small, name), randomFillSync(bytes));
  return { ...sizes, big, small, names };
}

export function writeRandom(file: string, size: number): void {
  const piece = Buffer.allocUnsafe(mebi);
  const descriptor = openSync(file, 'wx');
  try {
    for (let left = size; left > 0; left -= piece.length) writeSync(descriptor, randomFillSync(piece), 0, Math.min(left, piece.length));
  } finally {
    closeSync(descriptor);
  }
}

export const isBig = (workload: string): boolean => workload.startsWith('big');

/** The files of a workload. */
export function sourcesOf(material: Material, workload: string): readonly string[] {
  return isBig(workload) ? [material.big] : material.names.map((name) => join(material.small, name));
}

/** Bytes of a workload. */
export function bytesOf(sizes: Sizes, workload: string): number {
  return isBig(workload) ? sizes.bigBytes : sizes.smallFiles * sizes.smallBytes;
}

/** Names under which peers keep the two on their servers. */
export const nameOf = (path: string): string => basename(path);
