import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page, type Request } from 'playwright-core';

const names = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome', 'chrome', 'microsoft-edge'];
const places = [
  '/usr/bin',
  '/usr/local/bin',
  '/snap/bin',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
  'C:\\Program Files (x86)\\Google\\Chrome\\Application\\chrome.exe',
];

function runs(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The Chromium to test with: `CHROMIUM_PATH`, else one in the search path or a usual place. Null where there is none. */
export function findChromium(environment: NodeJS.ProcessEnv = process.env): string | null {
  if (environment['CHROMIUM_PATH']) return runs(environment['CHROMIUM_PATH']) ? environment['CHROMIUM_PATH'] : null;
  const folders = [...(environment['PATH'] ?? '').split(delimiter).filter(Boolean), ...places];
  const candidates = folders.flatMap((folder) => (/chrom/i.test(folder) ? [folder] : names.map((name) => join(folder, name))));
  return candidates.find(runs) ?? null;
}

/** Why browser tests are skipped, as their title says it. */
export const noChromium = 'skipped: no Chromium here (set CHROMIUM_PATH or install one)';

const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Starts Chromium without a window, with further flags where a test needs them. Close what it returns. */
export async function launchChromium(moreFlags: readonly string[] = []): Promise<Browser> {
  const executablePath = findChromium();
  if (!executablePath) throw new Error(noChromium);
  return chromium.launch({ executablePath, headless: true, args: [...flags, ...moreFlags] });
}

export interface WatchedPage {
  readonly page: Page;
  /** Everything that went wrong in the page: uncaught errors, refused resources, console errors but for failed requests. */
  readonly complaints: string[];
  /** Hosts that the page talked to. */
  readonly hosts: ReadonlySet<string>;
  close(): Promise<void>;
}

/** Profiles that nobody uses, by how their browser looks: each with an empty tab. */
const idle = new WeakMap<BrowserContext, string>();

/**
 * Opens a page in a profile without a past, and notes what it complains about and whom it talks to. A profile is used again
 * once it is closed and emptied, since what Chromium has loaded and compiled in it is most of what a first visit costs.
 */
export async function openPage(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<WatchedPage> {
  const look = JSON.stringify(options);
  const used = browser.contexts().find((one) => idle.get(one) === look);
  if (used) idle.delete(used);
  const context = used ?? (await browser.newContext({ locale: 'en-GB', ...options }));
  const page = used?.pages()[0] ?? (await context.newPage());
  const complaints: string[] = [];
  const hosts = new Set<string>();
  const origins = new Set<string>();
  const visited = (request: Request) => {
    if (request.isNavigationRequest()) origins.add(new URL(request.url()).origin);
  };
  context.on('request', visited);
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    // A failed request is an ordinary event for these pages; what they make of it is what the tests look at.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) complaints.push(message.text());
  });
  page.on('request', (request) => hosts.add(new URL(request.url()).host));
  await page.goto(url);
  const close = async (): Promise<void> => {
    context.off('request', visited);
    await empty(context, origins);
    idle.set(context, look);
  };
  return { page, complaints, hosts, close };
}

/** Makes a profile as it was when it was new, with one empty tab. */
async function empty(context: BrowserContext, origins: Iterable<string>): Promise<void> {
  const tabs = context.pages();
  const tab = await context.newPage();
  for (const one of tabs) await one.close();
  await context.setOffline(false);
  await context.clearPermissions();
  await context.clearCookies();
  const devtools = await context.newCDPSession(tab);
  for (const origin of origins) await devtools.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' });
  await devtools.detach();
}
