import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { findChromium } from './chromium.ts';

/**
 * Sees to it that there is a browser: finds one, or on Debian and its kin installs one when this user may.
 *
 * @returns null when there is one, else why not, as a sentence
 */
export function bringChromium(say: (text: string) => void): string | null {
  if (findChromium()) return null;
  const why = 'Browser tests are skipped: there is no Chromium here';
  if (process.env['CHROMIUM_PATH']) return `${why}, and CHROMIUM_PATH (${process.env['CHROMIUM_PATH']}) is no program.`;
  if (!existsSync('/usr/bin/apt-get')) return `${why}. Install one, or name one by CHROMIUM_PATH.`;
  const asRoot = rightsPrefix();
  if (asRoot === null) return `${why}, and this user may not install one. Ask for the package chromium, or name one by CHROMIUM_PATH.`;
  say('There is no Chromium here: installing it for the browser tests.');
  for (const args of [
    ['update', '-qq'],
    ['install', '-y', '-qq', '--no-install-recommends', 'chromium'],
  ]) {
    const [command, ...rest] = [...asRoot, 'apt-get', ...args];
    const { status } = spawnSync(command!, rest, {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    });
    if (status !== 0) return `${why}, and \`apt-get ${args[0]}\` failed. Install the package chromium by hand.`;
  }
  return findChromium() ? null : `${why}, even after installing the package chromium. Name one by CHROMIUM_PATH.`;
}

/** What to put before a command to run it as root, or null when this user may not. */
function rightsPrefix(): readonly string[] | null {
  if (process.getuid?.() === 0) return [];
  return spawnSync('sudo', ['-n', 'true'], { stdio: 'ignore' }).status === 0 ? ['sudo', '-n'] : null;
}
