import { createRequire } from 'node:module';
import { packPackages } from './pack-packages.ts';
import { buildPages } from './pages.ts';

/**
 * npm's `prepare`, at the end of `npm ci`: builds the pages of service and agent, so that every command works right
 * after it, and packs packages, so that it starts sooner. Without the build packages (`npm ci --omit=dev`) it only reports what is missing.
 */
export async function prepare(
  say: (text: string) => void,
  {
    canBuild = hasVite,
    build = buildPages,
    pack = packPackages,
  }: { canBuild?: () => boolean; build?: typeof buildPages; pack?: typeof packPackages } = {},
): Promise<void> {
  if (!canBuild()) {
    say('The pages were not built, since the packages for it are left out. Build them where they are there: npm run build\n');
    return;
  }
  await build();
  await pack();
}

function hasVite(): boolean {
  try {
    createRequire(import.meta.url).resolve('vite/package.json');
    return true;
  } catch {
    return false;
  }
}

if (import.meta.main) await prepare((text) => void process.stderr.write(text));
