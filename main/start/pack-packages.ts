import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeDirs } from '#filesystem/make-dirs.ts';
import { packedEntries, packedFolder } from '../packed-packages.ts';

/** Packs the packages of `packed-packages.ts` as they are installed now, unless they are packed already. */
export async function packPackages(): Promise<void> {
  const url = packedFolder();
  if (!url) return;
  const folder = fileURLToPath(new URL('.', url)).replace(/[\\/]$/, '');
  if (existsSync(folder)) return;
  const parent = dirname(folder);
  makeDirs(parent);
  const others = await readdir(parent);
  const fresh = await mkdtemp(join(parent, 'new-'));
  const { build } = await import('vite');
  await build({
    configFile: false,
    publicDir: false,
    logLevel: 'error',
    ssr: { noExternal: true },
    build: {
      ssr: true,
      target: 'esnext',
      minify: false,
      outDir: fresh,
      rolldownOptions: {
        input: { ...packedEntries },
        preserveEntrySignatures: 'strict',
        output: { entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' },
      },
    },
  });
  // Whoever may read the packages may read these: a service often runs as another user than the one who installed it.
  await chmod(fresh, (await stat(parent)).mode & 0o777);
  // Another process may have been quicker.
  await rename(fresh, folder).catch(async (error: unknown) => {
    await rm(fresh, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  });
  for (const old of others) if (!old.startsWith('new-')) await rm(join(parent, old), { recursive: true, force: true });
}
