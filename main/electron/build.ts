import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const project = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Bundles the desktop app's scripts into a folder, by default `dist` of the project: Electron runs neither
 * TypeScript nor, in a sandboxed preload, modules. The folder must be one level below the project, like the modules in
 * `main/`, so that their relative paths stay valid. Packages are not bundled.
 */
export async function buildDesktop(outDir = join(project, 'dist')): Promise<void> {
  const bundle = (entry: string, format: 'es' | 'cjs', fileName: string, empty: boolean) =>
    build({
      root: project,
      configFile: false,
      logLevel: 'warn',
      publicDir: false,
      build: {
        ssr: join(project, entry),
        outDir,
        emptyOutDir: empty,
        target: 'node24',
        minify: false,
        rolldownOptions: { external: ['electron'], output: { format, entryFileNames: fileName, chunkFileNames: 'chunk-[hash].js' } },
      },
    });
  await bundle('main/electron/main.ts', 'es', 'main.js', true);
  await bundle('main/electron/preload.ts', 'cjs', 'preload.cjs', false);
  // Started for each mount of the agent's storage gateway (main/electron/mount-process.ts).
  await bundle('engine/gateway/mount-process/child.ts', 'es', 'mount-process.js', false);
}

if (import.meta.main) await buildDesktop();
