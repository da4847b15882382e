import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installPackage } from '../system/install-package.ts';

/** A real gnome-keyring on a D-Bus session of its own, for agents that keep their secrets in the system's keychain. */

const packages = {
  'dbus-run-session': 'dbus-daemon',
  'gnome-keyring-daemon': 'gnome-keyring',
  'secret-tool': 'libsecret-tools',
  'dbus-send': 'dbus-bin',
} as const;
const folders = (process.env['PATH'] ?? '/usr/bin').split(':');
const isThere = (program: string): boolean => folders.some((folder) => existsSync(`${folder}/${program}`));

const root = fileURLToPath(new URL('../../../', import.meta.url));
/** Where one is built for the tests alone, when `npm ci` could not. */
const ownFolder = join(root, 'node_modules/.cache/longshore-keytar');
const ownKeytar = join(ownFolder, 'node_modules/keytar/lib/keytar.js');

/** Where keytar is, or null: it is an optional dependency that has to be built with libsecret. */
export function findKeytar(): string | null {
  const elsewhere = process.env['LONGSHORE_TEST_KEYTAR'];
  const runs = (path: string): boolean => spawnSync(process.execPath, ['-e', `require(${JSON.stringify(path)})`]).status === 0;
  if (elsewhere) return runs(elsewhere) ? elsewhere : null;
  return [installed(), ownKeytar].find((path) => path !== null && existsSync(path) && runs(path)) ?? null;
}

function installed(): string | null {
  try {
    return createRequire(import.meta.url).resolve('keytar');
  } catch {
    return null;
  }
}

/**
 * Builds keytar into a folder of the tests, in some eight seconds, where a compiler is there; what `npm ci` has installed
 * stays as it is. Null, or why not.
 */
function buildKeytar(say: (text: string) => void): string | null {
  const missing = ['npm', 'make', 'g++', 'python3'].filter((program) => !isThere(program));
  if (missing.length > 0) return `there is no ${missing.join(', ')} to build keytar with`;
  if (!existsSync('/usr/include/libsecret-1/libsecret/secret.h')) {
    const problem = installPackage('libsecret-1-dev');
    if (problem) return `keytar cannot be built, ${problem}`;
  }
  say('keytar is not installed: building it for the tests of the keychain.');
  const { optionalDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  mkdirSync(ownFolder, { recursive: true });
  const project = { private: true, dependencies: { keytar: optionalDependencies.keytar }, allowScripts: { keytar: true } };
  writeFileSync(join(ownFolder, 'package.json'), JSON.stringify(project));
  const { status } = spawnSync('npm', ['install', '--no-audit', '--no-fund', '--no-package-lock', '--build-from-source'], {
    cwd: ownFolder,
    stdio: 'ignore',
    // Node's headers as Debian has them; otherwise they are fetched.
    env: { ...process.env, ...(existsSync('/usr/include/node/node_api.h') ? { npm_config_nodedir: '/usr' } : {}) },
    timeout: 120_000,
  });
  return status === 0 && findKeytar() !== null ? null : 'keytar could not be built';
}

/** Why tests with a real keyring are skipped; null where everything is there. */
export function whyNoKeychain(): string | null {
  if (process.platform !== 'linux') return 'skipped: a keyring of its own is started on Linux only';
  if (findKeytar() === null)
    return 'skipped: keytar is not installed (it needs libsecret-1-dev when `npm ci` runs; `npm test` builds one for itself)';
  const missing = Object.keys(packages).filter((program) => !isThere(program));
  return missing.length === 0 ? null : `skipped: there is no ${missing.join(', ')} here`;
}

/** Installs what is missing, on Debian and its kin, when this user may; null, or which tests are skipped and why. */
export function bringKeychain(say: (text: string) => void): string | null {
  if (process.platform !== 'linux') return null;
  const unbuilt = findKeytar() === null ? buildKeytar(say) : null;
  if (unbuilt) return `The tests of the keychain are skipped: ${unbuilt}.`;
  for (const [program, name] of Object.entries(packages)) {
    if (isThere(program)) continue;
    say(`There is no ${program} here: installing it for the tests of the keychain.`);
    const problem = installPackage(name);
    if (problem) return `The tests of the keychain are skipped: there is no ${program}, ${problem}.`;
  }
  return null;
}

/**
 * A command line that runs another inside a session with an unlocked keyring; the keyring lives in `HOME`. The daemon
 * goes to the background before it is on the bus: who asks earlier starts a second one, which is locked and empty.
 */
export function insideKeychainSession(command: readonly string[]): readonly [string, ...string[]] {
  const unlock = 'printf %s keyring | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1';
  const owned =
    'dbus-send --session --print-reply --dest=org.freedesktop.DBus / org.freedesktop.DBus.NameHasOwner string:org.freedesktop.secrets';
  const wait = `tries=0; until ${owned} | grep -q "boolean true"; do tries=$((tries+1)); [ $tries -lt 600 ] || exit 1; sleep 0.05; done`;
  return ['dbus-run-session', '--', 'sh', '-c', `${unlock}; ${wait}; "$@"`, 'sh', ...command];
}
