import type { BrowserContextOptions, CDPSession, Page } from 'playwright-core';

/** What is done to a tab that another address does not undo; scripts that begin each page can be taken away again. */
const lasting = ['exposeBinding', 'exposeFunction', 'route', 'routeFromHAR', 'routeWebSocket', 'setExtraHTTPHeaders', 'addLocatorHandler'];

type Call = (...args: unknown[]) => Promise<unknown>;
type Calls = Record<string, Call>;
interface Listeners {
  eventNames(): string[];
  listenerCount(event: string): number;
}

/** How a browser looks to a page: what a tab puts on and off. */
export type Look = Pick<BrowserContextOptions, 'viewport' | 'colorScheme' | 'reducedMotion' | 'forcedColors' | 'contrast'>;

/** A tab that is used by one test after the other. */
export interface ReusedTab {
  readonly page: Page;
  /** Has its next page look so; what is not named is as Playwright has it where nobody says. */
  wear(look: Look): Promise<void>;
  /**
   * Makes it an empty one without a past; the profile's own memory (files, cookies, permissions) is not touched.
   *
   * @param openerPolicy its page's `Cross-Origin-Opener-Policy`: under another one it would be another process
   * @returns false where that cannot be: close it, and open another
   */
  empty(openerPolicy?: string): Promise<boolean>;
  /** Clears what the profile keeps of these origins. */
  forget(origins: Iterable<string>): Promise<void>;
}

const sessions = new WeakMap<Page, CDPSession>();

/** The DevTools of a reused tab, which leave nothing behind in it; undefined for any other. */
export const devtoolsOf = (page: Page): CDPSession | undefined => sessions.get(page);

/** @param page a new tab of a profile that says nothing about its look */
export async function reusedTab(page: Page): Promise<ReusedTab> {
  const devtools: CDPSession = await page.context().newCDPSession(page);
  sessions.set(page, devtools);
  const listeners = listenersOf(page);
  const scripts: { dispose(): Promise<void> }[] = [];
  const done = new Set<string>();
  const note = (of: object, name: string) => {
    const calls = of as Calls;
    const call = calls[name]!.bind(of);
    calls[name] = async (...args) => {
      done.add(name);
      return call(...args);
    };
  };
  for (const name of [...lasting, 'setViewportSize', 'emulateMedia']) note(page, name);
  note(page.context(), 'newCDPSession');
  const addScript = page.addInitScript.bind(page) as Call;
  (page as unknown as Calls)['addInitScript'] = async (...args) => {
    const script = (await addScript(...args)) as { dispose(): Promise<void> };
    scripts.push(script);
    return script;
  };

  let worn: string | null = dressed({});
  async function wear(look: Look): Promise<void> {
    if (['setViewportSize', 'emulateMedia'].some((name) => done.has(name))) worn = null;
    const wanted = dressed(look);
    if (wanted !== worn) {
      const { viewport, ...media } = JSON.parse(wanted) as Dress;
      await page.setViewportSize(viewport);
      await page.emulateMedia(media);
    }
    worn = wanted;
    done.clear();
  }
  async function empty(openerPolicy?: string): Promise<boolean> {
    // A worker can end later than its page, and take with it what its whole process was told, as that there is no network.
    if (
      page.isClosed() ||
      page.workers().length > 0 ||
      [...lasting, 'newCDPSession'].some((name) => done.has(name)) ||
      listenersOf(page) !== listeners
    )
      return false;
    for (const script of scripts.splice(0)) await script.dispose();
    try {
      await goToNothing(page, devtools, openerPolicy);
    } catch {
      // It was on its way elsewhere, as to an address that no program opens.
      return false;
    }
    await devtools.send('Page.resetNavigationHistory');
    return true;
  }
  async function forgetAll(origins: Iterable<string>): Promise<void> {
    for (const origin of origins) await devtools.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' });
  }
  return { page, wear, empty, forget: forgetAll };
}

type Dress = ReturnType<typeof dress>;
const dress = ({ viewport, colorScheme, reducedMotion, forcedColors, contrast }: Look) => ({
  viewport: viewport ?? { width: 1280, height: 720 },
  media: null,
  colorScheme: colorScheme ?? 'light',
  reducedMotion: reducedMotion ?? 'no-preference',
  forcedColors: forcedColors ?? 'none',
  contrast: contrast ?? 'no-preference',
});
/** A look as a text that can be compared. */
const dressed = (look: Look): string => JSON.stringify(dress(look));

/**
 * Has the tab show an empty page. After one under an opener policy it is of the same origin and policy, and no server is asked
 * for it: the next page of that origin then has the same process, with all that it has loaded and compiled.
 */
async function goToNothing(page: Page, devtools: CDPSession, openerPolicy: string | undefined): Promise<void> {
  // Not by Playwright, which would bring more than that to the page.
  await devtools.send('Runtime.evaluate', { expression: 'window.name = ""; sessionStorage.clear()' });
  const { protocol, origin } = new URL(page.url());
  if (protocol !== 'http:' || openerPolicy === undefined) {
    await page.goto('about:blank');
    return;
  }
  const url = `${origin}/nothing-of-a-test`;
  devtools.once('Fetch.requestPaused', ({ requestId }) => {
    const responseHeaders = [
      { name: 'content-type', value: 'text/html' },
      { name: 'cross-origin-opener-policy', value: openerPolicy },
    ];
    const body = Buffer.from('<!doctype html><link rel="icon" href="data:,">').toString('base64');
    void devtools.send('Fetch.fulfillRequest', { requestId, responseCode: 200, responseHeaders, body });
  });
  await devtools.send('Fetch.enable', { patterns: [{ urlPattern: url }] });
  await page.goto(url);
  await devtools.send('Fetch.disable');
}

/** How many listen to what, as a text that can be compared. */
function listenersOf(page: Page): string {
  const events = page as unknown as Listeners;
  return events
    .eventNames()
    .map((name) => `${name} ${events.listenerCount(name)}`)
    .filter((line) => !line.endsWith(' 0'))
    .sort()
    .join('\n');
}
