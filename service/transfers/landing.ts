import type { PathRules } from '#providers/ports.ts';
import { safeName } from './delivery/names.ts';

/** Where deliveries land: contract/connections.md §7. */

/** What the placeholders of a folder stand for; empty for what there is not. */
export interface LandingNames {
  readonly portal: string;
  readonly package: string;
  readonly sender: string;
  readonly date: Date;
}

/** Where a connection names no folder. */
export const usualFolders = { portal: 'Portal Downloads/{portal}/{package}', other: 'Longshore/{package}' } as const;
const placeholder = /\{(portal|package|date|sender)\}/g;

/** Within a name a slash begins no folder. Written as `safeName` writes what a provider cannot hold. */
const slash = '_x002F_';

/** Of each name, in bytes as it is written: whoever sends a package names it, and files need room in the path too. */
const longestName = 200;

/** The folder that all deliveries of a connection ask for: a `template` without placeholders; else null. */
export function givenFolder(template: string, rules: PathRules): string | null {
  if (template.replaceAll('/', '') === '' || template.search(placeholder) !== -1) return null;
  return landingFolder(template, { portal: '', package: '', sender: '', date: new Date(0) }, rules);
}

/**
 * The folder that a delivery asks for, as a path at the provider: `template` with its placeholders replaced, or the usual one
 * where it is empty. Steps that are empty, since there is no Portal or sender, are left out.
 */
export function landingFolder(template: string, names: LandingNames, rules: PathRules): string {
  const written = (name: string): string =>
    name
      .trim()
      .split('/')
      .map((part) => safeName(rules, part))
      .join(slash);
  const safe = (name: string): string => {
    const characters = [...name.trim()];
    while (Buffer.byteLength(written(characters.join(''))) > longestName) characters.pop();
    return written(characters.join(''));
  };
  const values = { portal: names.portal, package: names.package, sender: names.sender, date: names.date.toISOString().slice(0, 10) };
  const folder = template.replace(/^\/+|\/+$/g, '') || (names.portal === '' ? usualFolders.other : usualFolders.portal);
  return folder
    .split('/')
    .map((step) => step.replaceAll(placeholder, (_, name: keyof typeof values) => (values[name] === '' ? '' : safe(values[name]))))
    .map((step) => (step === '.' || step === '..' ? step.replace('.', '_x002E_') : step))
    .filter((step) => step !== '')
    .join('/');
}
