import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type ConsoleMessage,
  chromium,
  type Frame,
  type LaunchOptions,
  type Page,
  type Request,
} from 'playwright-core';
import { type Look, type ReusedTab, reusedTab } from './reused-tab.ts';

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

/** Debian's Chromium, and the same without a user interface: a package of its own. */
export const debianChromium = { whole: '/usr/lib/chromium/chromium', shell: '/usr/lib/chromium/chromium-headless-shell' };

/**
 * The Chromium to open pages with where nothing of its interface matters: the shell where there is one, as its own process
 * takes half the CPU of a whole browser's; else `findChromium`'s.
 */
export const findLightChromium = (environment: NodeJS.ProcessEnv = process.env): string | null =>
  !environment['CHROMIUM_PATH'] && runs(debianChromium.shell) ? debianChromium.shell : findChromium(environment);

/** Why browser tests are skipped, as their title says it. */
export const noChromium = 'skipped: no Chromium here (set CHROMIUM_PATH or install one)';

/**
 * What Chromium goes without. The last list that it is given counts alone, so that of Playwright stands here, too
 * (test/e2e/profile.test.ts holds them together).
 */
export const withoutFeatures: readonly string[] = [
  // What drops from the address bar, which nobody sees here: two hidden pages of 0.9 s of CPU for each profile.
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'TcpPortRandomizationWin',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
  'msForceBrowserSignIn',
  'msEdgeUpdateLaunchServicesPreferredVersion',
];

const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  `--disable-features=${withoutFeatures.join(',')}`,
];

/** Starts Chromium without a window, with further flags where a test needs them. Close what it returns. */
export async function launchChromium(
  moreFlags: readonly string[] = [],
  { executablePath = findChromium(), ...options }: Omit<LaunchOptions, 'args' | 'executablePath'> & { executablePath?: string | null } = {},
): Promise<Browser> {
  if (!executablePath) throw new Error(noChromium);
  return chromium.launch({ executablePath, headless: true, args: [...flags, ...moreFlags], ...options });
}

export interface WatchedPage {
  readonly page: Page;
  /** Everything that went wrong in the page: uncaught errors, refused resources, console errors but for failed requests. */
  readonly complaints: string[];
  /** Hosts that the page talked to. */
  readonly hosts: ReadonlySet<string>;
  close(): Promise<void>;
}

/** A profile, and its only tab that the next test finds empty. */
interface Profile {
  readonly context: BrowserContext;
  tab: ReusedTab;
}

/** What is the same for a profile's whole life; the rest of how it looks is its tab's. */
type Kind = Omit<BrowserContextOptions, keyof Look>;

/** Profiles that nobody uses now, by their kind. */
const idle = new WeakMap<Browser, Map<string, Profile[]>>();

function idleProfiles(browser: Browser, kind: Kind): Profile[] {
  const all = idle.get(browser) ?? new Map<string, Profile[]>();
  idle.set(browser, all);
  const key = JSON.stringify(kind);
  const some = all.get(key) ?? [];
  all.set(key, some);
  return some;
}

async function newProfile(browser: Browser, kind: Kind): Promise<Profile> {
  const context = await browser.newContext(kind);
  return { context, tab: await reusedTab(await context.newPage()) };
}

/**
 * Opens a page in a profile without a past, and notes what it complains about and whom it talks to. A profile is used again
 * once it is closed and emptied, since what Chromium has loaded and compiled in it is most of what a first visit costs; so
 * is its tab, whose process would else be another one.
 *
 * @param options how the browser looks to the tab, and what its whole profile is like; without a locale it is British
 * @param prepare what to do to the tab before it opens the page
 */
export async function openPage(
  browser: Browser,
  url: string,
  { viewport, colorScheme, reducedMotion, forcedColors, contrast, ...rest }: BrowserContextOptions = {},
  prepare?: (page: Page) => Promise<unknown>,
): Promise<WatchedPage> {
  const kind = { locale: 'en-GB', ...rest };
  const unused = idleProfiles(browser, kind);
  const profile = unused.pop() ?? (await newProfile(browser, kind));
  const { context, tab } = profile;
  const { page } = tab;
  const complaints: string[] = [];
  const hosts = new Set<string>();
  const origins = new Set<string>();
  const shown = new Set<string>();
  const visited = (request: Request) => {
    if (request.isNavigationRequest()) origins.add(new URL(request.url()).origin);
  };
  const arrived = (frame: Frame) => {
    if (frame.url().startsWith('http')) shown.add(new URL(frame.url()).origin);
  };
  const failed = (error: Error) => complaints.push(error.message);
  const said = (message: ConsoleMessage) => {
    // A failed request is an ordinary event for these pages; what they make of it is what the tests look at.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) complaints.push(message.text());
  };
  const asked = (request: Request) => hosts.add(new URL(request.url()).host);
  context.on('request', visited);
  page.on('pageerror', failed).on('console', said).on('request', asked).on('framenavigated', arrived);
  await tab.wear({ viewport, colorScheme, reducedMotion, forcedColors, contrast });
  await prepare?.(page);
  const openerPolicy = (await page.goto(url))?.headers()['cross-origin-opener-policy'];
  const close = async (): Promise<void> => {
    context.off('request', visited);
    page.off('pageerror', failed).off('console', said).off('request', asked).off('framenavigated', arrived);
    await empty(profile, { origins, shown, openerPolicy });
    unused.push(profile);
  };
  return { page, complaints, hosts, close };
}

interface Past {
  /** Whom its tabs asked for pages or downloads. */
  readonly origins: ReadonlySet<string>;
  /** Whose pages its first tab showed. */
  readonly shown: ReadonlySet<string>;
  /** Of the first of those pages. */
  readonly openerPolicy: string | undefined;
}

/** Makes a profile as it was when it was new, with one empty tab. */
async function empty(profile: Profile, { origins, shown, openerPolicy }: Past): Promise<void> {
  const { context, tab } = profile;
  const tabs = context.pages();
  const kept = tabs.length === 1 && tabs[0] === tab.page && shown.size <= 1 && (await tab.empty(openerPolicy));
  if (!kept) {
    profile.tab = await reusedTab(await context.newPage());
    for (const one of tabs) await one.close();
  }
  await context.setOffline(false);
  await context.clearPermissions();
  await context.clearCookies();
  await profile.tab.forget(origins);
}

/** Closes what tests have left open, as those do that fail; profiles that wait for the next one stay. */
export async function closeLeft(browser: Browser): Promise<void> {
  const waiting = new Set([...(idle.get(browser)?.values() ?? [])].flat().map(({ context }) => context));
  for (const context of browser.contexts()) if (!waiting.has(context)) await context.close();
}
