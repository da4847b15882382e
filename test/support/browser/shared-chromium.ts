import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { removeAfterUs } from '../service/databases/remove-after-exit.ts';
import { closeLeft, findLightChromium, launchChromium } from './chromium.ts';

/** Among the arguments of the browser that this process's files share, by which it can be told from others. */
export const sharedMark = `--longshore-test=${process.pid}`;

const flags = [
  sharedMark,
  // Portals' own names lead to this machine.
  '--host-resolver-rules=MAP *.portals.test 127.0.0.1',
  // A page lives for a second or two: to optimise its code, and axe's, costs more than it gains.
  '--js-flags=--no-opt --no-maglev',
];

let running: Promise<Browser> | undefined;

/**
 * The Chromium of all files of this process: starting one, and a profile in it, takes longer than most tests. It ends with
 * the process. Give it back by `leaveChromium` when a file is done.
 */
export async function sharedChromium(): Promise<Browser> {
  const before = await running?.catch(() => null);
  if (before?.isConnected()) return before;
  // The runner ends a worker so, and waits for half a second: Playwright would close the browser, and not the process.
  if (!running) process.once('SIGTERM', () => process.exit());
  running = start();
  return running;
}

/** Its files are in a folder that goes when it has gone, whichever way this process ends. */
async function start(): Promise<Browser> {
  const folder = await mkdtemp(join(tmpdir(), 'longshore-test-chromium-'));
  const usual = process.env['TMPDIR'];
  // Playwright asks nobody where it makes a profile's folder.
  process.env['TMPDIR'] = folder;
  let pid: number | undefined;
  try {
    const browser = await launchChromium(flags, { executablePath: findLightChromium(), handleSIGTERM: false });
    const { processInfo } = await (await browser.newBrowserCDPSession()).send('SystemInfo.getProcessInfo');
    pid = processInfo.find(({ type }) => type === 'browser')?.id;
    return browser;
  } finally {
    if (usual === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = usual;
    removeAfterUs(folder, `/proc/${pid}`);
  }
}

/** Closes what the tests of a file have left open in it. */
export async function leaveChromium(browser: Browser | undefined): Promise<void> {
  if (browser?.isConnected()) await closeLeft(browser);
}
