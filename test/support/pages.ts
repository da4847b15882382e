import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

export interface BuiltPages {
  /** The folder with index.html. */
  readonly folder: string;
  remove(): Promise<void>;
}

/** Builds `renderer` or `web` as it is now into a temporary folder, so that tests never see an old build. */
export async function buildPages(room: 'renderer' | 'web'): Promise<BuiltPages> {
  const folder = await mkdtemp(join(tmpdir(), `longshore-${room}-`));
  const configFile = fileURLToPath(new URL(`../../${room}/vite.config.ts`, import.meta.url));
  // Vitest's own "test" would build React for developers: slower, larger, and not what people get.
  const { NODE_ENV } = process.env;
  process.env.NODE_ENV = 'production';
  try {
    await build({ configFile, logLevel: 'error', build: { outDir: folder, emptyOutDir: true } });
  } finally {
    process.env.NODE_ENV = NODE_ENV;
  }
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}
