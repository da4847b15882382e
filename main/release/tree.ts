import { chmod, copyFile, cp, readdir, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeDirs } from '#filesystem/make-dirs.ts';
import { packedFolder } from '../packed-packages.ts';
import { mergeBoms, npmBom } from './components.ts';
import { leftOut, operatorFiles, pages, rooms } from './contents.ts';
import { bringNode } from './node-runtime.ts';
import { installPackages, lockFor, pagesManifest, readManifest, runtimeManifest, trimPackages } from './packages.ts';
import type { Target } from './targets.ts';

/** Of a checkout; relative to a room's own folder they are `dist`. */
const notSources = new Set(['dist', 'node_modules', 'README.md']);

interface LayOutOptions {
  readonly project: string;
  /** The folder with the built pages, as `renderer/dist` and `web/dist`. */
  readonly pages: string;
  /** A folder to make. */
  readonly tree: string;
  readonly target: Target;
  /** The archive's time, since 1970. */
  readonly seconds: number;
}

/**
 * Lays out what an archive holds:
 *
 *     bin/longshore      the launcher
 *     node/              Node's binary and licences
 *     app/               the rooms that run, with packages and built pages
 *     resources/         units, configurations and examples for operators
 *     components.json    what all of it is made of (CycloneDX)
 *
 * Packages must be packed.
 */
export async function layOut({ project, pages: built, tree, target, seconds }: LayOutOptions): Promise<void> {
  makeDirs(join(tree, 'bin'));
  await copyFile(join(project, 'main/cli/longshore.sh'), join(tree, 'bin/longshore'));
  await bringNode(target, join(tree, 'node'));
  const app = join(tree, 'app');
  const whole = await readManifest(project);
  const manifest = runtimeManifest(whole, rooms);
  await lockFor(project, app, manifest);
  await installPackages(app, target);
  await listComponents(project, tree, target, seconds);
  await rm(join(app, 'package-lock.json'));
  await trimPackages(join(app, 'node_modules'), target);
  await copyPacked(join(app, 'node_modules'));
  for (const room of rooms) await copySources(join(project, room), join(app, room));
  for (const part of leftOut) await rm(join(app, part), { recursive: true });
  for (const page of pages) {
    await cp(join(built, page), join(app, page), { recursive: true, filter: (path) => !/\.map$|[\\/]\.built-from$/.test(path) });
  }
  for (const name of operatorFiles) await cp(join(project, 'resources', name), join(tree, 'resources', name), { recursive: true });
  await copyFile(join(project, 'CHANGELOG.md'), join(tree, 'CHANGELOG.md'));
  await evenModes(tree);
}

async function copySources(from: string, to: string): Promise<void> {
  await cp(from, to, { recursive: true, filter: (path) => path === from || !(notSources.has(basename(path)) || path.endsWith('.d.ts')) });
}

/** Made of the same packages as those of the lock file, by name and version (`packed-packages.ts`). */
async function copyPacked(modules: string): Promise<void> {
  const url = packedFolder();
  if (!url) throw new Error('There are no packages to pack here: run npm ci.');
  const folder = fileURLToPath(url);
  await cp(folder, join(modules, '.cache/longshore-packages', basename(folder)), { recursive: true });
}

async function listComponents(project: string, tree: string, target: Target, seconds: number): Promise<void> {
  const beside = `${tree}.pages`;
  await lockFor(project, beside, pagesManifest(await readManifest(project)));
  const bom = mergeBoms(await npmBom(join(tree, 'app')), await npmBom(beside, '--package-lock-only'), target, seconds);
  await rm(beside, { recursive: true });
  await writeFile(join(tree, 'components.json'), `${JSON.stringify(bom, null, 1)}\n`);
}

/** Whoever builds has a umask of their own. */
async function evenModes(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await evenModes(path);
    else if (entry.isFile()) await chmod(path, isProgram(path) ? 0o755 : 0o644);
  }
}

/** The launcher, Node, and PostgreSQL's programs. */
const isProgram = (path: string): boolean => /\/(?:bin\/longshore|node\/node|native\/bin\/[^/]+)$/.test(path);
