import { installPackage } from '../system/install-package.ts';
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
  say('There is no Chromium here: installing it for the browser tests.');
  const problem = installPackage('chromium');
  if (problem) return `${why}, ${problem}, or name one by CHROMIUM_PATH.`;
  return findChromium() ? null : `${why}, even after installing the package chromium. Name one by CHROMIUM_PATH.`;
}
