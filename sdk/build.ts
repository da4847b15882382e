import { spawnSync } from 'node:child_process';
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const project = fileURLToPath(new URL('..', import.meta.url));
const outDir = join(project, 'sdk/dist');

/** Builds the package: one ES module, and the types of all that it is made of. Its dependencies stay imports. */
export async function buildSdk(): Promise<void> {
  rmSync(outDir, { recursive: true, force: true });
  await build({
    root: project,
    configFile: false,
    logLevel: 'error',
    publicDir: false,
    build: {
      lib: { entry: join(project, 'sdk/index.ts'), formats: ['es'], fileName: () => 'index.js' },
      outDir,
      emptyOutDir: false,
      target: 'es2024',
      minify: false,
      rolldownOptions: { external: [/^typebox(\/|$)/] },
    },
  });
  emitTypes(join(outDir, 'types'));
}

function emitTypes(folder: string): void {
  const compiler = join(project, 'node_modules/typescript/bin/tsc');
  const { status, stdout } = spawnSync(process.execPath, [compiler, '-p', join(project, 'sdk/tsconfig.build.json'), '--outDir', folder], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`The types of the package cannot be built:\n${stdout}`);
  for (const file of globSync('**/*.d.ts', { cwd: folder })) {
    const path = join(folder, file);
    writeFileSync(path, withPackagePaths(readFileSync(path, 'utf8'), relative(dirname(path), folder) || '.'));
  }
}

/** Imports by alias (`#protocol/x.ts`) and of sources (`./x.ts`), as a package has them: `../protocol/x.js`, `./x.js`. */
function withPackagePaths(text: string, toRoot: string): string {
  return text
    .replaceAll(/(["'])#((?:protocol|client)\/[^"']+)\.ts\1/g, (_, quote, path) => `${quote}${toRoot}/${path}.js${quote}`)
    .replaceAll(/(["'])(\.\.?\/[^"']+)\.ts\1/g, '$1$2.js$1');
}

if (import.meta.main) await buildSdk();
