import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Plugin } from 'vite';
import { type Licence, licencesFile } from '../about/licence.ts';

interface LockedPackage {
  readonly version?: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  readonly link?: boolean;
}

/** The licences of all installed runtime packages, sorted by name; each version once. */
async function licencesOf(projectDir: string): Promise<Licence[]> {
  const lock = JSON.parse(await readFile(join(projectDir, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, LockedPackage>>;
  };
  const found = new Map<string, Licence>();
  for (const [path, { version = '', license = '', dev, devOptional, link }] of Object.entries(lock.packages)) {
    if (path === '' || dev || devOptional || link) continue;
    const name = path.split('node_modules/').at(-1)!;
    const key = `${name} ${version}`;
    if (found.has(key)) continue;
    const text = await licenceText(join(projectDir, path));
    // Packages with binaries for other systems are in the lock file, but not installed and not shipped.
    if (text !== null) found.set(key, { name, version, licence: license || 'not stated', text });
  }
  return [...found.values()].sort((a, b) => a.name.localeCompare(b.name, 'en') || a.version.localeCompare(b.version, 'en'));
}

/** Null where the package is not installed. */
async function licenceText(folder: string): Promise<string | null> {
  const names = await readdir(folder).catch(() => null);
  if (names === null) return null;
  const file =
    names.find((name) => /^(licen[cs]e|copying)(\.(md|txt|mit))?$/i.test(name)) ?? names.find((name) => /^licen[cs]e/i.test(name));
  return file === undefined ? '' : (await readFile(join(folder, file), 'utf8').catch(() => '')).trim();
}

/** Writes the licences next to the built page. */
export function licencesPlugin(projectDir: string): Plugin {
  return {
    name: 'longshore-licences',
    apply: 'build',
    async generateBundle() {
      this.emitFile({ type: 'asset', fileName: licencesFile, source: JSON.stringify(await licencesOf(projectDir)) });
    },
  };
}
