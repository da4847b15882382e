import { spawnSync } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';

/**
 * Installs a package from Debian or its kin, where this user may.
 *
 * @returns null when that worked, else why not, as the end of a sentence
 */
export function installPackage(name: string): string | null {
  if (!existsSync('/usr/bin/apt-get')) return `and this system has no apt-get to install ${name} with`;
  const asRoot = rightsPrefix();
  if (asRoot === null) return `and this user may not install one. Ask for the package ${name}`;
  // Some packages would start a server of their own.
  const policy = '/usr/sbin/policy-rc.d';
  const refuses = asRoot.length === 0 && !existsSync(policy);
  if (refuses) writeFileSync(policy, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    return install(name, asRoot);
  } finally {
    if (refuses) rmSync(policy, { force: true });
  }
}

function install(name: string, asRoot: readonly string[]): string | null {
  for (const args of [
    ['update', '-qq'],
    ['install', '-y', '-qq', '--no-install-recommends', name],
  ]) {
    const [command, ...rest] = [...asRoot, 'apt-get', ...args];
    const { status } = spawnSync(command!, rest, {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    });
    if (status !== 0) return `and \`apt-get ${args[0]}\` failed. Install the package ${name} by hand`;
  }
  return null;
}

/** What to put before a command to run it as root, or null when this user may not. */
function rightsPrefix(): readonly string[] | null {
  if (process.getuid?.() === 0) return [];
  return spawnSync('sudo', ['-n', 'true'], { stdio: 'ignore' }).status === 0 ? ['sudo', '-n'] : null;
}
