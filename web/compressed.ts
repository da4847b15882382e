import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { Plugin } from 'vite';

const compresses = /\.(?:js|css|html|svg)$/;
/** Bytes. Below this a compressed copy spares nobody a packet. */
const least = 1_024;
/** Takes a second or two a build, and spares a slow line a fifteenth of every first visit. */
const quality = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };

/** Compressed copies beside what is built: the service hands them out as they are, whether a proxy compresses or none. */
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
