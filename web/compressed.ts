import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { Plugin } from 'vite';

const compresses = /\.(?:js|css|html|svg)$/;
/** Bytes. A smaller file fits into a packet anyway. */
const least = 1_024;
/** Costs a second or two for each build, and saves a fifteenth of every first visit on a slow connection. */
const quality = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };

/**
 * Writes compressed copies next to the built files. The service sends them as they are, with or without a compressing
 * proxy.
 */
export function compressed(): Plugin {
  return {
    name: 'longshore-compressed',
    apply: 'build',
    async writeBundle({ dir }, bundle) {
      for (const [name, output] of Object.entries(bundle)) {
        const content = Buffer.from(output.type === 'chunk' ? output.code : output.source);
        if (!compresses.test(name) || content.length < least) continue;
        await writeFile(join(dir!, `${name}.br`), brotliCompressSync(content, { params: quality }));
        await writeFile(join(dir!, `${name}.gz`), gzipSync(content, { level: 9 }));
      }
    },
  };
}
