import { existsSync } from 'node:fs';
import { installPackage } from './install-package.ts';

const folders = [...(process.env['PATH'] ?? '/usr/bin').split(':'), '/usr/sbin'];
const isThere = (program: string): boolean => folders.some((folder) => existsSync(`${folder}/${program}`));

/** What some tests call, and the Debian packages it comes in. */
const packages = {
  unzip: 'unzip',
  bsdtar: 'libarchive-tools',
  python3: 'python3',
  curl: 'curl',
  jq: 'jq',
  openssl: 'openssl',
  aria2c: 'aria2',
  rsync: 'rsync',
  promtool: 'prometheus',
  haproxy: 'haproxy',
  cc: 'gcc',
} as const;

export type Program = keyof typeof packages;

export const hasPrograms = (...programs: readonly Program[]): boolean => programs.every(isThere);

/**
 * Sees to it that all of them are there: finds them, or on Debian and its kin installs them when this user may.
 *
 * @returns null when all are there, else which tests are skipped and why, as a sentence
 */
export function bringPrograms(say: (text: string) => void): string | null {
  for (const [program, name] of Object.entries(packages)) {
    if (isThere(program)) continue;
    say(`There is no ${program} here: installing it for tests that call it.`);
    const problem = installPackage(name);
    if (problem) return `The tests that call ${program} are skipped: there is none here, ${problem}.`;
  }
  return null;
}
