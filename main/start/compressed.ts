import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const compresses = /\.(?:js|css|html|svg)$/;
/** Bytes. Of a smaller file little is left to save. */
const least = 256;
/** Costs a second or two for each build, and saves a fifteenth of every first visit on a slow connection. */
const quality = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };

/**
 * Writes compressed copies next to built files. Service and agent send them as they are, with or without a compressing
 * proxy.
 */
export async function writeCompressed(folder: string): Promise<void> {
  const names = (await readdir(folder, { recursive: true })).filter((name) => compresses.test(name));
  for (const name of names) {
    const path = join(folder, name);
    const content = await readFile(path);
    if (content.length < least) continue;
    await writeFile(`${path}.br`, await promisify(brotliCompress)(content, { params: quality }));
    await writeFile(`${path}.gz`, await promisify(gzip)(content, { level: 9 }));
  }
}
