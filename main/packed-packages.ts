import { accessSync, constants, readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

/** Of these a start needs some hundred small modules each, and all that Node does for a module. */
const packages = {
  typebox: ['.', './compile', './format', './value'],
  kysely: ['.', './migration'],
} as const;

/** What an import names, by the name of the file that holds it: `typebox/compile` of `typebox-compile`. */
export const packedEntries: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(packages).flatMap(([name, entries]) =>
    entries.map((entry) => [name + entry.slice(1).replace('/', '-'), name + entry.slice(1)] as const),
  ),
);

const modules = new URL('../node_modules/', import.meta.url);

/** Where they are packed, named by their versions; null where they are not all installed here. */
export function packedFolder(): URL | null {
  try {
    const versions = Object.keys(packages).map((name) => {
      const { version } = JSON.parse(readFileSync(new URL(`${name}/package.json`, modules), 'utf8')) as { version: string };
      return `${name}-${version}`;
    });
    return new URL(`.cache/longshore-packages/${versions.join('+')}/`, modules);
  } catch {
    return null;
  }
}

/**
 * Has Node load each of these packages from the few files that `npm ci` packs them into (start/pack-packages.ts): a third of
 * the time that a service needs to load. Does nothing where they are not packed. Call it before anything imports them.
 */
export function usePackedPackages(): void {
  const folder = packedFolder();
  if (!folder || !isReadable(fileURLToPath(folder))) return;
  const files = new Map(Object.entries(packedEntries).map(([file, specifier]) => [specifier, new URL(`${file}.mjs`, folder).href]));
  registerHooks({
    resolve(specifier, context, next) {
      const url = context.conditions.includes('import') ? files.get(specifier) : undefined;
      return url === undefined ? next(specifier, context) : { url, format: 'module', shortCircuit: true };
    },
  });
}

function isReadable(folder: string): boolean {
  try {
    accessSync(folder, constants.R_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
