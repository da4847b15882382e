import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findChromium, findLightChromium, launchChromium, noChromium, openPage, withoutFeatures } from '#test/support/browser/chromium.ts';
import { startHttpServer, type TestServer } from '#test/support/system/http-server.ts';

const title = 'a browser that is used again';

let server: TestServer;
let browser: Browser;
beforeAll(async () => {
  if (!findChromium()) return;
  server = await startHttpServer((_, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Here'));
  browser = await launchChromium([], { executablePath: findLightChromium() });
});
afterAll(async () => {
  await browser?.close();
  await server?.close();
});

/** What a page finds of earlier ones, wherever it can leave something. */
const findings = (page: Page) =>
  page.evaluate(async () => {
    const files: string[] = [];
    for await (const name of (await navigator.storage.getDirectory()).keys()) files.push(name);
    return {
      files,
      local: Object.keys(localStorage),
      session: Object.keys(sessionStorage),
      databases: (await indexedDB.databases()).map(({ name }) => name),
      caches: await caches.keys(),
      cookies: document.cookie,
      clipboard: (await navigator.permissions.query({ name: 'clipboard-read' as PermissionName })).state,
      online: navigator.onLine,
      window: 'left' in window,
    };
  });

/** What a page finds of earlier ones in its own tab. */
const tabFindings = (page: Page) =>
  page.evaluate(async () => {
    // What is under the pointer is found once the page was drawn.
    for (let frame = 0; frame < 20; frame++) await new Promise(requestAnimationFrame);
    return {
      name: window.name,
      pages: history.length,
      width: innerWidth,
      dark: matchMedia('(prefers-color-scheme: dark)').matches,
      still: matchMedia('(prefers-reduced-motion: reduce)').matches,
      print: matchMedia('print').matches,
      pointed: document.querySelector('p:hover') !== null,
    };
  });

describe.skipIf(!findChromium())(findChromium() ? title : `${title} (${noChromium})`, () => {
  it('has no past in its profile', async () => {
    const first = await openPage(browser, server.url);
    const nothing = await findings(first.page);
    expect(nothing).toMatchObject({
      files: [],
      local: [],
      session: [],
      databases: [],
      caches: [],
      cookies: '',
      online: true,
      window: false,
    });
    await first.page.addInitScript(() => Object.assign(window, { left: 1 }));
    await first.page.context().grantPermissions(['clipboard-read']);
    const second = await first.page.context().newPage();
    for (const page of [first.page, second]) {
      await page.goto(server.url);
      await page.evaluate(async () => {
        await (await navigator.storage.getDirectory()).getDirectoryHandle('left', { create: true });
        localStorage.setItem('left', '1');
        sessionStorage.setItem('left', '1');
        await caches.open('left');
        await new Promise((done) => {
          indexedDB.open('left').onsuccess = done;
        });
      });
    }
    await first.page.context().addCookies([{ name: 'left', value: '1', url: server.url }]);
    expect(await findings(first.page)).toEqual({
      files: ['left'],
      local: ['left'],
      session: ['left'],
      databases: ['left'],
      caches: ['left'],
      cookies: 'left=1',
      clipboard: 'granted',
      online: true,
      window: true,
    });
    await first.page.context().setOffline(true);
    await first.close();

    const again = await openPage(browser, server.url);
    expect(again.page.context()).toBe(first.page.context());
    expect(again.page.context().pages()).toHaveLength(1);
    expect(await findings(again.page)).toEqual(nothing);
    await again.close();
    // Another language is another profile.
    const other = await openPage(browser, server.url, { locale: 'de-DE' });
    expect(other.page.context()).not.toBe(again.page.context());
    expect(await other.page.evaluate(() => navigator.language)).toBe('de-DE');
    expect(browser.contexts()).toHaveLength(2);
    await other.close();
  });

  it('looks as each of its users wants it to', async () => {
    const looks = [
      { viewport: { width: 360, height: 740 }, colorScheme: 'dark', reducedMotion: 'reduce' },
      {},
      { colorScheme: 'dark' },
      { viewport: { width: 1400, height: 900 } },
    ] as const;
    const seen: unknown[] = [];
    for (const look of looks) {
      const { page, close } = await openPage(browser, server.url, look);
      const { width, dark, still } = await tabFindings(page);
      seen.push([page.context(), width, dark, still]);
      await close();
    }
    const [[context]] = seen as [[unknown]];
    expect(seen).toEqual([
      [context, 360, true, true],
      [context, 1280, false, false],
      [context, 1280, true, false],
      [context, 1400, false, false],
    ]);
  });

  it.each([
    ['no', {}],
    ['an', { 'cross-origin-opener-policy': 'same-origin' }],
  ])('has the same process for the next page of an origin with %s opener policy', async (_, headers) => {
    const other = await startHttpServer((__, response) => void response.writeHead(200, { ...headers, 'content-type': 'text/html' }).end());
    const devtools = await browser.newBrowserCDPSession();
    const renderers = async () => {
      const { processInfo } = await devtools.send('SystemInfo.getProcessInfo');
      return processInfo.flatMap(({ type, id }) => (type === 'renderer' ? [id] : [])).sort();
    };
    const first = await openPage(browser, other.url);
    const before = await renderers();
    await first.close();
    const again = await openPage(browser, other.url);
    expect(again.page).toBe(first.page);
    expect(await renderers()).toEqual(before);
    await again.close();
    await devtools.detach();
    await other.close();
  });

  it('has no past in its tab', async () => {
    const look = { reducedMotion: 'reduce' } as const;
    const first = await openPage(browser, server.url, look);
    const { page } = first;
    const nothing = { ...(await findings(page)), ...(await tabFindings(page)) };
    expect(nothing).toMatchObject({
      session: [],
      window: false,
      name: '',
      width: 1280,
      dark: false,
      still: true,
      print: false,
      pointed: false,
    });
    await page.addInitScript(() => Object.assign(window, { left: 1 }));
    await page.goto(`${server.url}/further`);
    await page.setViewportSize({ width: 360, height: 740 });
    await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'no-preference', media: 'print' });
    await page.getByText('Here').hover();
    await page.evaluate(() => {
      sessionStorage.setItem('left', '1');
      window.name = 'left';
    });
    const left = { ...(await findings(page)), ...(await tabFindings(page)) };
    expect(left).toMatchObject({
      session: ['left'],
      window: true,
      name: 'left',
      width: 360,
      dark: true,
      still: false,
      print: true,
      pointed: true,
    });
    expect(left.pages).toBeGreaterThan(nothing.pages);
    await first.close();

    const again = await openPage(browser, server.url, look);
    expect(again.page).toBe(page);
    expect({ ...(await findings(page)), ...(await tabFindings(page)) }).toEqual(nothing);
    await again.close();
  });

  it.each<[string, (page: Page) => Promise<unknown>]>([
    ['answers in the place of a server', (page) => page.route('**/never', (route) => route.abort())],
    ['functions of the test', (page) => page.exposeFunction('left', () => 1)],
    ['a debugger', (page) => page.context().newCDPSession(page)],
    ['a listener', async (page) => page.on('download', () => undefined)],
    ['a page of another origin', (page) => page.goto(server.url.replace('127.0.0.1', 'localhost'))],
  ])('has another tab after %s', async (_, leave) => {
    const look = { colorScheme: 'dark' } as const;
    const first = await openPage(browser, server.url, look);
    await leave(first.page);
    await first.close();
    const again = await openPage(browser, server.url, look);
    expect(again.page.context()).toBe(first.page.context());
    expect(again.page).not.toBe(first.page);
    expect(again.page.context().pages()).toHaveLength(1);
    await again.close();
  });

  it('goes without all that Playwright would have it go without', async () => {
    // It says how it starts a program that is no browser.
    const told = await chromium.launch({ executablePath: process.execPath }).catch(String);
    const list = /--disable-features=(\S+)/.exec(told as string)?.[1]?.split(',') ?? [];
    expect(list).toContain('PaintHolding');
    expect(withoutFeatures).toEqual(expect.arrayContaining(list));
  });
});
