import { existsSync } from 'node:fs';
import { installPackage } from '../system/install-package.ts';
import { debianChromium, findChromium } from './chromium.ts';

/**
 * Sees to it that there is a browser: finds one, or on Debian and its kin installs one when this user may.
 *
 * @returns null when there is one, else why not, as a sentence
 */
export function bringChromium(say: (text: string) => void): string | null {
  if (findChromium()) return bringShell(say);
  const why = 'Browser tests are skipped: there is no Chromium here';
  if (process.env['CHROMIUM_PATH']) return `${why}, and CHROMIUM_PATH (${process.env['CHROMIUM_PATH']}) is no program.`;
  say('There is no Chromium here: installing it for the browser tests.');
  const problem = installPackage('chromium');
  if (problem) return `${why}, ${problem}, or name one by CHROMIUM_PATH.`;
  return findChromium() ? bringShell(say) : `${why}, even after installing the package chromium. Name one by CHROMIUM_PATH.`;
}

/** Debian's shell beside its Chromium: tests cost less with it, and run without it. */
function bringShell(say: (text: string) => void): null {
  if (!process.env['CHROMIUM_PATH'] && existsSync(debianChromium.whole) && !existsSync(debianChromium.shell)) {
    say('Installing the headless shell of Chromium for the browser tests.');
    installPackage('chromium-headless-shell');
  }
  return null;
}
