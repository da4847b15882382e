import type { BrowserContextOptions, CDPSession, Page } from 'playwright-core';

/** What is done to a tab that another address does not undo; scripts that begin each page can be taken away again. */
const lasting = ['exposeBinding', 'exposeFunction', 'route', 'routeFromHAR', 'routeWebSocket', 'setExtraHTTPHeaders', 'addLocatorHandler'];

type Call = (...args: unknown[]) => Promise<unknown>;
type Calls = Record<string, Call>;
interface Listeners {
  eventNames(): string[];
  listenerCount(event: string): number;
}

/** A tab that is used by one test after the other. */
export interface UsedTab {
  readonly page: Page;
  /**
   * Makes it an empty one without a past; the profile's own memory (files, cookies, permissions) is not touched.
   *
   * @returns false where that cannot be: close it, and open another
   */
  empty(): Promise<boolean>;
  /** Clears what the profile keeps of these origins. */
  forget(origins: Iterable<string>): Promise<void>;
}

/** @param page a new tab of a profile with this look */
export async function usedTab(page: Page, look: BrowserContextOptions): Promise<UsedTab> {
  const devtools: CDPSession = await page.context().newCDPSession(page);
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

  async function empty(): Promise<boolean> {
    if (page.isClosed() || [...lasting, 'newCDPSession'].some((name) => done.has(name)) || listenersOf(page) !== listeners) return false;
    for (const script of scripts.splice(0)) await script.dispose();
    await page.goto('about:blank');
    await page.evaluate(() => {
      window.name = '';
    });
    await devtools.send('Page.resetNavigationHistory');
    if (done.has('setViewportSize')) await page.setViewportSize(look.viewport ?? { width: 1280, height: 720 });
    if (done.has('emulateMedia')) {
      const { colorScheme = 'light', reducedMotion = 'no-preference', forcedColors = 'none', contrast = 'no-preference' } = look;
      await page.emulateMedia({ media: null, colorScheme, reducedMotion, forcedColors, contrast });
    }
    done.clear();
    return true;
  }
  async function forgetAll(origins: Iterable<string>): Promise<void> {
    for (const origin of origins) await devtools.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' });
  }
  return { page, empty, forget: forgetAll };
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
