import { randomFillSync } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeRandom } from '../material.ts';

/** What a visitor of the upload page sends. */
export interface PageSizes {
  readonly bigBytes: number;
  readonly smallFiles: number;
  readonly smallBytes: number;
  readonly folders: number;
}

export const pageSizes = {
  full: { bigBytes: 2 ** 30, smallFiles: 5_000, smallBytes: 10 * 1_024, folders: 300 },
  quick: { bigBytes: 80 * 2 ** 20, smallFiles: 300, smallBytes: 10 * 1_024, folders: 20 },
} as const satisfies Record<string, PageSizes>;

export function makePageMaterial(folder: string, { bigBytes, smallFiles, smallBytes, folders }: PageSizes): { big: string; small: string } {
  const [big, small] = [join(folder, 'big.bin'), join(folder, 'many')];
  writeRandom(big, bigBytes);
  const bytes = Buffer.allocUnsafe(smallBytes);
  for (let index = 0; index < folders; index++) mkdirSync(join(small, `folder-${index}`), { recursive: true });
  for (let index = 0; index < smallFiles; index++)
    writeFileSync(join(small, `folder-${index % folders}`, `${index}.bin`), randomFillSync(bytes));
  return { big, small };
}
