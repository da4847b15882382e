import { closeSync, mkdirSync, openSync, renameSync, writeFileSync, writeSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { seededBytes } from '../system/file-tree.ts';
import type { WriterOptions, Written } from './file-writer.ts';
import { seededRandom } from './seeds.ts';

/** Writes files one after the other until SIGTERM, and a line for each that is whole. */
const { folder, staging, seed, marker } = JSON.parse(process.argv[2]!) as WriterOptions;
const random = seededRandom(seed);
const below = (count: number): number => Math.floor(random() * count);
let stopping = false;
process.on('SIGTERM', () => {
  stopping = true;
});

// Nobody is left to stop it.
process.stdin
  .on('end', () => process.exit(1))
  .resume()
  .unref();

let made = 0;
/** No two have the same bytes, so that each is found by them; one has two chunks. */
function contentOf(): { readonly bytes: Buffer; readonly seed: number } {
  const number = ++made;
  const own = seed * 10_000 + number;
  return { bytes: seededBytes(number === 4 ? 6_000_000 + below(1_000) : 1 + below(30_000), own), seed: own };
}

const tell = (written: Written): void => void writeSync(1, `${JSON.stringify(written)}\n`);

async function slowly(path: string, bytes: Buffer): Promise<void> {
  const file = openSync(path, 'w');
  const third = Math.ceil(bytes.length / 3);
  for (let at = 0; at < bytes.length; at += third) {
    writeSync(file, bytes.subarray(at, at + third));
    await sleep(below(400));
  }
  closeSync(file);
}

/** Folders that have become empty are taken away by whoever sends what was in them, also right after they were made. */
async function inFolder(path: string, write: () => Promise<void>): Promise<void> {
  for (;;) {
    mkdirSync(path, { recursive: true });
    try {
      return await write();
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') throw cause;
    }
  }
}

async function put(path: string): Promise<void> {
  const { bytes, seed: own } = contentOf();
  const local = join(folder, path);
  const way = below(3);
  await inFolder(dirname(local), async () => {
    if (way === 0) return slowly(local, bytes);
    // Under a name that says "not yet", or from outside.
    const before = way === 1 ? `${local}.part` : join(staging, basename(local));
    writeFileSync(before, bytes);
    renameSync(before, local);
  });
  tell({ path, size: bytes.length, seed: own });
}

async function putFolder(name: string): Promise<void> {
  const count = 1 + below(4);
  const outside = below(2) === 0;
  if (!outside) {
    for (let file = 0; file < count; file++) await put(`${name}/${below(2) === 0 ? 'a/' : ''}${file}.mov`);
    if (marker) await put(`${name}/_READY`);
    return;
  }
  const written: Written[] = [];
  mkdirSync(join(staging, name));
  for (const file of [...Array.from({ length: count }, (_, index) => `${index}.mov`), ...(marker ? ['_READY'] : [])]) {
    const { bytes, seed: own } = contentOf();
    writeFileSync(join(staging, name, file), bytes);
    written.push({ path: `${name}/${file}`, size: bytes.length, seed: own });
  }
  renameSync(join(staging, name), join(folder, name));
  written.forEach(tell);
}

for (let entry = 0; !stopping; entry++) {
  if (marker || below(3) === 0) await putFolder(`card-${entry}`);
  else await put(`clip-${entry}.mov`);
  // As long as nobody stops it, and more and more slowly, so that an agent of a busy machine has an end to reach.
  await sleep(40 + below(60) + entry * 8);
}
