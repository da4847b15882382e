import { registerHooks } from 'node:module';

const root = new URL('../', import.meta.url).href;
const packages = `${root}node_modules/`;

/**
 * The file that an import in our sources names, `#room/file.ts` or `./file.ts`; null for whatever else is imported, and for
 * imports of packages.
 */
export function ownModule(specifier: string, parent: string | undefined): string | null {
  if (!specifier.endsWith('.ts')) return null;
  if (specifier.startsWith('#')) return new URL(specifier.slice(1), root).href;
  return specifier.startsWith('.') && parent?.startsWith(root) && !parent.startsWith(packages) ? new URL(specifier, parent).href : null;
}

/**
 * Has Node take each of our modules from the file that its import names: whole, with its ending. Node itself would look for
 * the nearest package.json and its `imports`, for links and for the kind of file at each of two thousand imports, which is a
 * fifth of what a service needs to load. Call it before anything imports them; hooks of an earlier call are not asked.
 */
export function useOwnModules(): void {
  registerHooks({
    resolve(specifier, context, next) {
      const url = ownModule(specifier, context.parentURL);
      return url === null ? next(specifier, context) : { url, format: 'module-typescript', shortCircuit: true };
    },
  });
}
