import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { installPackage } from './install-package.ts';

/** A real gnome-keyring on a D-Bus session of its own, for agents that keep their secrets in the system's keychain. */

const packages = { 'dbus-run-session': 'dbus-daemon', 'gnome-keyring-daemon': 'gnome-keyring', 'secret-tool': 'libsecret-tools' } as const;
const folders = (process.env['PATH'] ?? '/usr/bin').split(':');
const isThere = (program: string): boolean => folders.some((folder) => existsSync(`${folder}/${program}`));

/** Where keytar is, or null: it is an optional dependency that has to be built with libsecret. */
export function findKeytar(): string | null {
  const elsewhere = process.env['LONGSHORE_TEST_KEYTAR'];
  try {
    const path = elsewhere ?? createRequire(import.meta.url).resolve('keytar');
    return spawnSync(process.execPath, ['-e', `require(${JSON.stringify(path)})`]).status === 0 ? path : null;
  } catch {
    return null;
  }
}

/** Why tests with a real keyring are skipped; null where everything is there. */
export function noKeyring(): string | null {
  if (process.platform !== 'linux') return 'skipped: a keyring of its own is started on Linux only';
  if (findKeytar() === null) return 'skipped: keytar is not installed (it needs libsecret-1-dev when `npm ci` runs)';
  const missing = Object.keys(packages).filter((program) => !isThere(program));
  return missing.length === 0 ? null : `skipped: there is no ${missing.join(', ')} here`;
}

/** Installs what is missing, on Debian and its kin, when this user may; null, or which tests are skipped and why. */
export function bringKeyring(say: (text: string) => void): string | null {
  if (process.platform !== 'linux') return null;
  if (findKeytar() === null) return `The tests of the keychain are ${noKeyring()}.`;
  for (const [program, name] of Object.entries(packages)) {
    if (isThere(program)) continue;
    say(`There is no ${program} here: installing it for the tests of the keychain.`);
    const problem = installPackage(name);
    if (problem) return `The tests of the keychain are skipped: there is no ${program}, ${problem}.`;
  }
  return null;
}

/** A command line that runs another inside a session with an unlocked keyring; the keyring lives in `HOME`. */
export function insideKeyring(command: readonly string[]): readonly [string, ...string[]] {
  const unlock = 'printf %s keyring | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1';
  return ['dbus-run-session', '--', 'sh', '-c', `${unlock}; "$@"`, 'sh', ...command];
}
